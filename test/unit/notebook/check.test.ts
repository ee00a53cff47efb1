import { beforeEach, describe, expect, it } from 'vitest';
import { listPageFiles, readSeal } from '../../../src/notebook/index.ts';
import { sealPage } from '../../../src/notebook/seal.ts';
import { proposed } from '../../helpers/gate.ts';
import { openConversation, type TestConversation, written } from '../../helpers/notebook.ts';
import { ana, THREAD } from '../../helpers/people.ts';

let conversation: TestConversation;
let page: string;

/** Two calls: one is edited and runs, one is rejected with a reason. */
beforeEach(async () => {
  conversation = openConversation([written('plan my week', { response: 'Planned.' })]);
  const later = proposed('c2', {}, { title: 'Retro' });
  const listed = { title: 'List events', arguments: {}, why: '' };
  await conversation.ask([proposed('c1'), later], { title: 'My week', later: [listed] });
  await conversation.decide('c1', ana, { type: 'edit', arguments: { title: 'Standup at 9' } });
  await conversation.decide('c2', ana, { type: 'reject', feedback: 'not on a Friday' });
  const content = [{ type: 'text' as const, text: 'event evt_1' }];
  await conversation.run('c1', { status: 'succeeded', content, structured: null });
  page = await conversation.page();
});

/** How many lines stand above the block that the page is verified by. */
const sealLine = (): number => page.split('\n').lastIndexOf('```json');

describe('a page that nobody changed', () => {
  it('is as the audit has it', async () => {
    expect(await conversation.check(page)).toEqual([]);
  });

  it('is so with the ends of lines of Windows, and without its last one', async () => {
    expect(await conversation.check(page.replaceAll('\n', '\r\n'))).toEqual([]);
    expect(await conversation.check(`\uFEFF${page.trimEnd()}`)).toEqual([]);
  });

  it('is so after the conversation has gone on', async () => {
    await conversation.ask([proposed('c3')]);
    expect(await conversation.check(page)).toEqual([]);
    const next = await conversation.page();
    expect(next).not.toBe(page);
    expect(await conversation.check(next)).toEqual([]);
  });
});

/** What is changed: in the first line from `after` on that holds `find`. It's found there, with this problem. */
const CHANGES: readonly (readonly [
  what: string,
  after: string,
  find: string,
  to: string,
  problem: RegExp,
])[] = [
  ['who decided', 'decided', '`Ana`', '`Eve`', /The audit says: .*`Ana`/],
  ['whose id decided', 'decided', 'slack:T1:U1', 'slack:T1:U9', /The audit says: .*`slack:T1:U1`/],
  ['what was decided', 'decision `reject`', '`reject`', '`approve`', /The audit says: .*`reject`/],
  ['when it was decided', 'decided', '1970-01-01T00:16', '1970-01-01T00:17', /The audit says: .*00:16/],
  ['an argument', '**Arguments**', 'Standup at 9', 'Standup at 8', /not the arguments of call 1/],
  ['an argument as proposed', 'as they were', '"Standup"', '"Sit"', /not proposed with these arguments/],
  ['the tool', '### Call 1', 'create_event', 'drop_event', /should be: .*create_event/],
  ['the definition', '### Call 2', '`v1`', '`v2`', /should be: .*`v1`/],
  ['the digest', '### Call 2', 'arguments): `', 'arguments): `0', /should be: - \*\*Digest/],
  ['a reason', 'decision `reject`', 'not on a Friday', 'never mind', /not the words of entry #/],
  ['the number of an entry', 'decision `reject`', '- #', '- #9', /no such entry #9/],
  ['a message', '## 1.', 'plan my week', 'cancel my week', /not as it was exported/],
  ['who wrote it', '## 1.', '`Ana`', '`Bob`', /not as it was exported/],
  ['a result', '**Result**', 'evt_1', 'evt_2', /not as it was exported/],
  ['an answer', '### Answer', 'Planned.', 'Cancelled.', /not as it was exported/],
  ['the title of a plan', '### Plan', 'My week', 'Your week', /not as it was exported/],
  ['a step of a plan', '### Plan', 'call 2', 'call 1', /not as it was exported/],
  ['a state', '### Call 2', '`rejected`', '`succeeded`', /not as it was exported/],
  ['what an edit changed', '**Changed**', '"Standup"', '"Nothing"', /not as it was exported/],
];

describe('of a page that somebody changed', () => {
  it.each(CHANGES)('it finds %s, and its line', async (_what, after, find, to, problem) => {
    const lines = page.split('\n');
    const from = lines.findIndex((line) => line.includes(after));
    const at = lines.findIndex((line, index) => index >= from && line.includes(find));
    lines[at] = lines[at]?.replace(find, to) ?? '';
    const found = await conversation.check(lines.join('\n'));
    expect(found.join('\n')).toMatch(problem);
    expect(found.some((words) => words.startsWith(`${at + 1}: `) || words.startsWith('page: '))).toBe(true);
    // The block of arguments, the line in it, and an entry that is no longer there.
    expect(found.length).toBeLessThan(4);
  });

  it('it finds an entry that is gone, and where a line is missing', async () => {
    const lines = page.split('\n');
    const at = lines.findIndex((line) => line.includes('decision `reject`'));
    const found = await conversation.check(lines.toSpliced(at, 1).join('\n'));
    expect(found).toContain(`${at + 1}: A line of the export is missing before this one.`);
    expect(found.at(-1)).toMatch(/^page: The page lacks an entry of the audit: .*`reject`/);
  });

  it('it finds that it ends with another entry than it says', async () => {
    const found = await conversation.check(page.replace('"hash":"', '"hash":"0'));
    expect(found).toEqual([expect.stringMatching(`^${sealLine() + 1}: The audit’s entry #\\d+, with which`)]);
  });

  it('it finds an approval that was made up, also with a mark of its own', async () => {
    const lines = page.split('\n');
    const at = lines.findIndex((line) => line.includes('decision `reject`'));
    const forged = (lines[at] ?? '').replace('`reject`', '`approve`').replace(/#\d+/, '#77');
    const found = await conversation.check(lines.toSpliced(at, 0, forged).join('\n'));
    expect(found).toEqual([expect.stringMatching(`^${at + 1}: The audit has no such entry #77`)]);
  });

  it('it finds an entry that was moved to another call', async () => {
    const lines = page.split('\n');
    const at = lines.findIndex((line) => line.includes('decision `reject`'));
    const [moved = ''] = lines.splice(at, 1);
    const to = lines.findIndex((line) => line.includes('decision `edit`'));
    lines.splice(to, 0, moved);
    expect((await conversation.check(lines.join('\n')))[0]).toMatch(
      new RegExp(`^${to + 1}: Entry #\\d+ is of another call.`),
    );
  });

  it('it finds a call that is gone', async () => {
    const lines = page.split('\n');
    const from = lines.findIndex((line) => line.startsWith('### Call 2'));
    const to = lines.findIndex((line) => line.startsWith('### Answer'));
    const found = await conversation.check(lines.toSpliced(from, to - from).join('\n'));
    expect(found.join('\n')).toContain('page: Call 2 is not on the page.');
  });

  it('it finds that something was, where the marks of the lines were changed too', async () => {
    const forged = await sealPage(
      [
        page
          .split('\n')
          .slice(0, sealLine())
          .map((line) => line.replace('evt_1', 'evt_2')),
      ],
      {
        threadId: THREAD,
        entries: await conversation.chain().then((entries) => entries.slice(0, -1)),
        calls: [],
        isWithheld: () => false,
      },
    );
    const calls = /"calls": \[[\s\S]*?\n\]/.exec(page)?.[0] ?? '';
    const found = await conversation.check(forged.replace('"calls": []', calls));
    expect(found).toEqual(['page: The audit knows no export of this page: something in it was changed.']);
  });

  it('it says so where it is no page at all', async () => {
    expect(await conversation.check('# My week\n')).toEqual([
      'page: This is no page of a notebook, or what it is verified by was changed.',
    ]);
  });
});

describe('of a page that was made to be hard to compare', () => {
  it('it tells in one line that all lines differ', async () => {
    const lines = Array.from({ length: 40_000 }, (_, index) => `line ${index}`);
    const about = { threadId: THREAD, entries: [], calls: [], isWithheld: () => false };
    const long = await sealPage([lines], about);
    const wrapped = long.replaceAll(/^line (\d+)$/gm, 'line  $1').replace('line  0\n', 'line 0\n');
    expect(await conversation.check(wrapped)).toContain(
      '2: This line and the next 39998 are not as they were exported, as 39999 lines.',
    );
  });

  it('it is as quick where no block ends, and where blank lines stand everywhere', async () => {
    const fences = '```text\n'.repeat(200_000);
    expect(readSeal(`${fences}${'\n'.repeat(200_000)}end`)).toBeNull();
  });

  it('it looks for no file whose name begins with a dot', () => {
    const line = (name: string) => `- File: [${name}](${name}), 1 bytes, SHA-256 \`${'0'.repeat(64)}\``;
    const names = ['..', '.env', 'call-1-1-image.png'];
    expect(listPageFiles(names.map(line).join('\n')).map(({ name }) => name)).toEqual(['call-1-1-image.png']);
  });
});
