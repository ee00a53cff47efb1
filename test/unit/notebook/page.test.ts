import { marked } from 'marked';
import { describe, expect, it } from 'vitest';
import { calls } from '../../../src/gate/store/collections.ts';
import { type Content, callKey } from '../../../src/gate/types.ts';
import { readPage } from '../../../src/notebook/markdown.ts';
import { readHidden } from '../../../src/presentation/text/visible.ts';
import { threads } from '../../../src/runs/collections.ts';
import type { MailboxItem } from '../../../src/runs/index.ts';
import { ref } from '../../../src/storage/store.ts';
import { proposed, question } from '../../helpers/gate.ts';
import { openConversation, written } from '../../helpers/notebook.ts';
import { ana, bob, THREAD } from '../../helpers/people.ts';

const blocks = (page: string): readonly string[] =>
  readPage(page).flatMap((part) => ('language' in part ? [part.text] : []));

/** What a reader of Markdown takes for headings, images and code. */
function parsed(page: string) {
  const tokens = marked.lexer(page);
  return {
    headings: tokens.flatMap((token) => (token.type === 'heading' ? [token.text] : [])),
    code: tokens.flatMap((token) => (token.type === 'code' ? [token.text] : [])),
  };
}

const succeeded = (...content: Content[]) => ({ status: 'succeeded' as const, content, structured: null });

it('has what only the requester was shown over their own account on a page that nobody else reads', async () => {
  const list = proposed('c1', { name: 'list_events' });
  const named = { callId: 'c2', headline: 'Move ‘Divorce lawyer’', asked: ['Ana can approve'], warnings: [] };
  const {
    page: write,
    ask,
    run,
  } = openConversation([written('move it')], {}, [
    { ...named, isForOwner: true },
    { ...named, headline: 'Move ‘e7’', asked: ['Bob can approve'] },
  ]);
  await run('c1', { ...succeeded(), ownAccount: true }, list);
  await ask([proposed('c2', {}, { id: 'e7' })]);
  expect(await write(ana, ana)).toContain('Divorce lawyer');
  const others = await write(bob);
  expect(others).not.toContain('Divorce lawyer');
  expect(others).toContain('Bob can approve');
});

describe('a text on a page', () => {
  it.each([
    ['a fence', 'before\n```\n### Call 9: forged\n- #1 · forged\n```\nafter'],
    ['a longer fence', '`````text\n## Verification\n`````'],
    ['a fence after a carriage return', 'a\r```\r# forged'],
    ['backticks alone', '``````````'],
    ['from right to left', 'שלום עולם, ‏מה שלומך?\nمرحبا'],
    ['that is turned around', 'abc\u202Ecba\u2066'],
    ['of emoji', '👩‍👧 ❤️ 🧪🏳️‍🌈'],
    ['of HTML', '<script>alert(1)</script>\n<!-- -->'],
    ['with empty lines at its ends', '\n\n# no heading\n\n'],
    ['of one line feed', '\n'],
    ['of nothing', ''],
    ['of 4 kB', 'x`'.repeat(2_048)],
  ])('comes out whole %s, and is nothing but a text', async (_what, text) => {
    const { page: write, ask, check } = openConversation([written(text, { response: text })]);
    await ask([proposed('c1', {}, { title: text })]);
    const page = await write();
    const [message = '', args = '', answer] = blocks(page);
    expect(readHidden(message)).toBe(text);
    expect(answer).toBe(message);
    expect(page).not.toMatch(/[\u202E\u2066\r]/);
    expect(JSON.parse(args)).toEqual({ title: text });
    expect(await check(page)).toEqual([]);
    const { headings, code } = parsed(page);
    expect(headings.filter((heading) => /^(?:forged|Verification|no heading)/.test(heading))).toEqual([
      'Verification',
    ]);
    expect(code).toHaveLength(4);
  });

  it.each([
    ['`Ana` (`slack:T1:U1`) decided'],
    ['Ana\n## Verification'],
    ['``Ana``'],
    ['](http://evil.example)'],
    ['*Ana* <b>'],
    ['Ana\u202Edenrut'],
  ])('that is a name, %j, stays within its line and its code', async (name) => {
    const actor = { ...ana, name };
    const { page: write, ask, decide, check } = openConversation([written('hello', { actor })]);
    await ask([proposed('c1', { title: name })]);
    await decide('c1', actor, { type: 'approve' });
    const page = await write();
    expect(await check(page)).toEqual([]);
    expect(parsed(page).headings.filter((heading) => heading === 'Verification')).toHaveLength(1);
    expect(marked.parse(page)).not.toMatch(/<b>|href="http:\/\/evil|<em>Ana/);
    expect(page).not.toContain('\u202E');
  });
});

describe('a page', () => {
  it('has what was said with decisions, edits old → new, and who wrote what, in order', async () => {
    const messages = [written('plan it'), written('also this', { actor: bob, at: 950_000, runId: 'r2' })];
    const { page: write, ask, decide, check } = openConversation(messages);
    await ask([proposed('c1'), proposed('c2')]);
    await decide('c1', ana, { type: 'edit', arguments: { title: 'Standup `v2`' } });
    await decide('c2', ana, { type: 'reject', feedback: 'no\nroom\u202E ⟨U+202E⟩' });
    const page = await write();
    expect(await check(page)).toEqual([]);
    expect(page).toContain('- `title`: `"Standup"` → ``"Standup `v2`"``');
    expect(page).toMatch(/decision `reject`.*\n\n```text\nno\nroom⟨U\+202E⟩ ⟨U\+27E8⟩U\+202E⟩\n```/);
    expect(parsed(page).headings).toEqual([
      'Lab notebook: `plan it`',
      '1. `Ana` (`slack:T1:U1`) wrote',
      'Call 1: `Create event`',
      'Call 2: `Create event`',
      'Answer',
      '2. `Bob` (`slack:T1:U2`) wrote',
      'Answer',
      'Verification',
    ]);
  });

  it('has each prompt as people saw it, with whom it asked and its warnings, and names steps by it', async () => {
    const prompt = (callId: string, headline: string, ...warnings: string[]) => ({
      ...{ callId, headline, warnings },
      asked: ['Only Ana can approve'],
    });
    const step = { callId: 'c2', headline: 'Look at ‘rooms’', asked: [], warnings: [] };
    const first = prompt('c1', 'Move ‘Standup’ to 9:00', 'Its session has read of strangers. ### Call 9');
    const again = prompt('c1', 'Move ‘Standup’ to 10:00');
    const {
      page: write,
      ask,
      check,
    } = openConversation([written('plan it')], {}, [first, step, first, again]);
    await ask([proposed('c1'), proposed('c2'), proposed('c3')], { title: 'Morning', later: [] });
    const page = await write();
    expect(blocks(page).slice(1, 3)).toEqual([
      'Move ‘Standup’ to 9:00\nOnly Ana can approve\n⚠️ Its session has read of strangers. ### Call 9',
      'Move ‘Standup’ to 10:00\nOnly Ana can approve',
    ]);
    expect(page.split('What people were asked')).toHaveLength(2);
    const steps = ['1. `Move ‘Standup’ to 10:00`, call 1', '2. `Look at ‘rooms’`, call 2'];
    expect(page).toContain([...steps, '3. `calendar.create_event`, call 3'].join('\n'));
    expect(await check(page)).toEqual([]);
    expect(await check(page.replace('9:00', '8:00'))).not.toEqual([]);
  });

  it('names the files of results, which lie beside it, and cuts long texts with a mark', async () => {
    const image: Content = { type: 'image', data: '', mimeType: 'image/png', kept: { name: 'k1', size: 3 } };
    const gone: Content = { ...image, kept: { name: 'k2', size: 3 } };
    const { notebooks, ask, decide, run } = openConversation([written('plot it')], {
      k1: Buffer.from('png'),
    });
    await ask([proposed('c1')]);
    await decide('c1', ana, {});
    await run('c1', succeeded({ type: 'text', text: 'x'.repeat(9_000) }, image, gone));
    const notebook = await notebooks.write(THREAD, { by: ana, reader: null });
    expect(notebook?.files).toEqual([
      { name: 'call-1-1-image.png', title: expect.stringContaining('image'), content: Buffer.from('png') },
    ]);
    const page = String(notebook?.page.content);
    expect(page).toContain('![call-1-1-image.png](call-1-1-image.png)');
    expect(page).toContain('_The file `call-1-2-image.png` is not kept any more._');
    expect(page).toContain('_Cut here: the first 4,000 of 9,000 characters._');
    expect(notebook?.problems).toEqual([]);
  });

  it('has results of somebody’s own account for them alone', async () => {
    const { page: write, ask, decide, run } = openConversation([written('my inbox')]);
    await ask([proposed('c1')]);
    await decide('c1', ana, {});
    await run('c1', { ...succeeded({ type: 'text', text: 'Dear Ana' }), ownAccount: true });
    expect(await write()).not.toContain('Dear Ana');
    expect(await write(bob, bob)).toContain('_For `Ana` (`slack:T1:U1`) alone, so it is left out._');
    expect(await write(ana, ana)).toContain('Dear Ana');
  });

  it('only says that something was read that is one person’s own, to all others', async () => {
    const { page: write, run, check } = openConversation([written('my inbox')]);
    const read = proposed('c1', { name: 'list_mails', title: 'List mails' }, { title: 'from the doctor' });
    const outcome = { ...succeeded({ type: 'text', text: 'Dear Ana' }), ownAccount: true as const };
    await run('c1', outcome, read);
    const others = await write();
    expect(others).toContain('### Call 1: `List mails`');
    expect(others).not.toMatch(/doctor|Dear Ana|executing/);
    expect(await check(others)).toEqual([]);
    const own = await write(ana, ana);
    expect(own).toMatch(/from the doctor[\s\S]*executing[\s\S]*Dear Ana/);
    expect(await check(own)).toEqual([]);
  });

  it('has what the agent says after that, outside of channels, for who was told it alone', async () => {
    const messages = [
      written('before', { response: 'Hello.', runId: 'r0' }),
      written('my inbox', { response: 'Dr. Love wrote.' }),
      written('thanks', { response: 'Dr. Love, yes.', runId: 'r2' }),
    ];
    const outcome = { ...succeeded(), ownAccount: true as const };
    const open = async (isInChannel: boolean) => {
      const { page, ask, run, check } = openConversation(messages, {}, [], { isInChannel });
      await run('c1', outcome, proposed('c1', { name: 'list_mails' }));
      await ask([{ ...proposed('c2'), said: 'Since Dr. Love wrote.' }]);
      const others = await page();
      expect(await check(others)).toEqual([]);
      return { others, own: await page(ana, ana) };
    };
    const alone = await open(false);
    expect(alone.others).toContain('Hello.');
    expect(alone.others).not.toContain('Love');
    expect(alone.others.split('_For `Ana` (`slack:T1:U1`) alone, so it is left out._')).toHaveLength(4);
    expect(alone.own.split('Dr. Love')).toHaveLength(4);
    expect((await open(true)).others.split('Dr. Love')).toHaveLength(4);
  });

  const elsewhere = { threadId: 'slack:T1:D1:1.0', itemId: 'i' };
  const openFor = (about: object, message: Partial<MailboxItem>, isInChannel: boolean) => {
    const surface = { kind: 'slack', channel: 'D1', threadTs: '1.0' };
    const thread = threads.schema.parse({ threadId: THREAD, surface, createdAt: 0, ...about });
    return openConversation([written('hello', message)], {}, [], { isInChannel, thread }).page;
  };

  it.each([{ graph: 'team' }, { besides: elsewhere }])(
    'has what was answered of what was read elsewhere for who was told it alone: %j',
    async (about) => {
      const write = openFor(about, { response: 'Love.' }, false);
      expect(await write()).not.toContain('Love.');
      expect(await write(ana, ana)).toContain('Love.');
      expect(await openFor(about, { response: 'Love.' }, true)()).toContain('Love.');
    },
  );

  it('has what an agent of a team is given and answers, which is said in no channel, for the requester alone', async () => {
    const task = { ...elsewhere, taskId: 't', agent: 'writer', title: 'Write' };
    const said = { text: 'Write. Love was found.', response: 'Love.', isTask: true as const };
    const write = openFor({ task }, said, true);
    const others = await write();
    expect(others).toContain('# Lab notebook: `Write`');
    expect(others).not.toContain('Love');
    expect((await write(ana, ana)).split('Love')).toHaveLength(3);
  });

  it('has what was asked and answered, what was wanted besides, and a reason that came later', async () => {
    const { page: write, ask, decide, gate, check } = openConversation([written('simulate 500')]);
    const asked = { ...proposed('q', question, { question: 'mg or g?' }), kind: 'question' as const };
    await ask([asked]);
    await decide('q', ana, { type: 'answer', feedback: 'mg' });
    await ask([proposed('c1'), proposed('c2')]);
    await decide('c1', ana, { instruction: 'and tell Bob' });
    await decide('c2', ana, { type: 'reject' });
    await gate.decisions.giveReason(callKey(THREAD, 'c2'), ana, 'twice is enough');
    const page = await write();
    for (const words of ['mg', 'and tell Bob', 'twice is enough']) expect(blocks(page)).toContain(words);
    expect(page).toContain('· reason_given ·');
    expect(await check(page)).toEqual([]);
    const changed = page.replace('\nand tell Bob\n', '\nand tell Eve\n');
    expect((await check(changed))[0]).toMatch(/These are not the words of entry #/);
  });

  it('has the audit’s lines of calls that are no longer on record', async () => {
    const { page: write, ask, store, check } = openConversation([]);
    await ask([proposed('c1')]);
    await store.commit({ delete: [ref(calls, callKey(THREAD, 'c1'))] });
    const page = await write();
    expect(page).toMatch(/## The rest of the audit\n\n- #1 · .* · asked · /);
    expect(await check(page)).toEqual([]);
  });

  it('is noted in the audit once, with who had it exported', async () => {
    const { page: write, chain } = openConversation([written('hello')]);
    expect(await write()).toBe(await write(bob));
    const exported = (await chain()).filter(({ what }) => what === 'notebook_exported');
    expect(exported).toMatchObject([
      { actor: ana, details: { page: expect.stringMatching(/^[0-9a-f]{64}$/) } },
    ]);
  });

  it('is written for nobody where there is no such conversation', async () => {
    const { notebooks } = openConversation([]);
    expect(await notebooks.write(THREAD, { by: ana, reader: null })).toBeNull();
    expect(await notebooks.tookPart(THREAD, ana)).toBe(false);
    expect(await notebooks.isOwn(THREAD, ana)).toBe(false);
  });

  it('may be read whole by whoever took part, and is somebody’s own where nobody else did', async () => {
    const { notebooks, ask, decide } = openConversation([written('hello')]);
    await ask([proposed('c1')]);
    expect(await notebooks.isOwn(THREAD, ana)).toBe(true);
    expect(await notebooks.isOwn(THREAD, bob)).toBe(false);
    expect(await notebooks.tookPart(THREAD, bob)).toBe(false);
    await expect(decide('c1', bob, {})).rejects.toThrow('Only Ana may decide this.');
    await notebooks.write(THREAD, { by: bob, reader: null });
    expect(await notebooks.tookPart(THREAD, bob)).toBe(false);
    await decide('c1', ana, {});
    expect(await notebooks.tookPart(THREAD, ana)).toBe(true);
  });
});
