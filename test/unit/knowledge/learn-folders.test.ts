import { mkdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createKnowledge } from '../../../src/knowledge/index.ts';
import { channelReader, EVERYBODY, type ParseFile, type ParseResult } from '../../../src/knowledge/ports.ts';
import { openDocumentIndex } from '../../../src/storage/documents/index.ts';
import { temporaryFolder } from '../../helpers/process.ts';

/** A file's lines as paragraphs; `encrypted`, in its first line, is a problem. */
function lineParser() {
  const parsed: string[] = [];
  const parse: ParseFile = async (content) => {
    const text = content.toString('utf8');
    parsed.push(text);
    if (text.startsWith('encrypted')) return { ok: false, problem: 'encrypted' };
    const blocks = text.split('\n').map((line) => ({ kind: 'text' as const, text: line, page: null }));
    return { ok: true, document: { title: null, pages: null, blocks } } satisfies ParseResult;
  };
  return { parse, parsed };
}

function write(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
}

function learn(
  folders: readonly string[],
  path = ':memory:',
  { parse, parsed } = lineParser(),
  readers: readonly string[] = [EVERYBODY],
) {
  const index = openDocumentIndex(path);
  const said: string[] = [];
  const log = (_details: object, message: string) => void said.push(message);
  const knowledge = createKnowledge({
    findReaders: async () => ({ place: { kind: 'program' }, readers: [EVERYBODY], notes: [] }),
    folders,
    readersWithin: () => readers,
    index,
    parse,
    clock: () => 1_000,
    log: { info: log, warn: log, error: log },
  });
  onTestFinished(() => knowledge.stop());
  const names = async () => (await index.list()).map(({ name }) => name);
  const finds = async (word: string) =>
    (await index.find([word], { readers: [EVERYBODY], limit: 5 })).map(({ text }) => text);
  return { knowledge, index, said, parsed, names, finds };
}

describe('folders of documents', () => {
  it('are learned with what is in their folders, but for hidden files, links and kinds that are not known', async () => {
    const folder = temporaryFolder();
    write(folder, {
      'a.md': 'apples',
      'deep/er/b.txt': 'pears',
      '.hidden.md': 'x',
      '.git/c.md': 'x',
      'd.exe': 'x',
    });
    symlinkSync('/etc/passwd', join(folder, 'link.txt'));
    const { knowledge, names, said } = learn([folder]);
    await knowledge.start();
    expect(await names()).toEqual(['a.md', 'deep/er/b.txt']);
    expect(said).toEqual(['learned a.md: 1 passage', 'learned deep/er/b.txt: 1 passage']);
  });

  it('are kept up with: a change, a new file, one that went, and nothing is read again that stayed', async () => {
    const folder = temporaryFolder();
    write(folder, { 'a.md': 'apples', 'b.md': 'pears', 'c.md': 'plums' });
    const { knowledge, names, finds, parsed } = learn([folder]);
    await knowledge.start();
    parsed.length = 0;
    write(folder, { 'a.md': 'cherries', 'd.md': 'figs' });
    rmSync(join(folder, 'b.md'));
    await knowledge.look();
    expect(parsed).toEqual(['cherries', 'figs']);
    expect(await names()).toEqual(['a.md', 'c.md', 'd.md']);
    expect(await Promise.all(['apples', 'cherries', 'pears', 'figs'].map(finds))).toEqual([
      [],
      ['cherries'],
      [],
      ['figs'],
    ]);
    utimesSync(join(folder, 'c.md'), 5, 5);
    await knowledge.look();
    expect(parsed).toEqual(['cherries', 'figs']);
    expect(await finds('plums')).toEqual(['plums']);
  });

  it('are not read again after a restart, and one that is no longer configured is forgotten', async () => {
    const [one, two] = [temporaryFolder(), temporaryFolder()];
    write(one, { 'a.md': 'apples' });
    write(two, { 'a.md': 'pears' });
    const path = join(temporaryFolder(), 'documents.db');
    const first = learn([one, two], path);
    await first.knowledge.start();
    await first.knowledge.stop();
    const second = learn([one], path);
    await second.knowledge.start();
    expect(second.parsed).toEqual([]);
    expect(await second.names()).toEqual(['a.md']);
    expect(await second.finds('pears')).toEqual([]);
    await second.knowledge.stop();
    const third = learn([one], path);
    await third.knowledge.start();
    expect(third.parsed).toEqual([]);
    expect(await third.finds('apples')).toEqual(['apples']);
  });

  it('of the same names are told apart by where they are', async () => {
    const root = temporaryFolder();
    write(root, { 'x/hr/a.md': 'one', 'y/hr/a.md': 'two', 'z/it/a.md': 'three' });
    const { knowledge, names } = learn(['x/hr', 'y/hr', 'z/it'].map((name) => join(root, name)));
    await knowledge.start();
    expect(await names()).toEqual(['hr-1/a.md', 'hr-2/a.md', 'it/a.md']);
  });

  it('say of a file that can’t be read why, once, and read it again when it has changed', async () => {
    const folder = temporaryFolder();
    write(folder, { 'a.pdf': 'encrypted' });
    const { knowledge, said, finds } = learn([folder]);
    await knowledge.start();
    await knowledge.look();
    expect(said).toEqual(["a.pdf can't be searched: it is protected by a password"]);
    expect(await knowledge.list({ personId: null, threadId: null })).toMatchObject({
      text: 'There are 0 documents. 1 more cannot be searched.',
      data: { not_searched: [{ name: 'a.pdf', why: 'it is protected by a password' }] },
    });
    write(folder, { 'a.pdf': 'open now' });
    await knowledge.look();
    expect(await finds('open')).toEqual(['open now']);
  });

  it('that are gone keep what was learned, and say so once', async () => {
    const folder = join(temporaryFolder(), 'share');
    write(folder, { 'a.md': 'apples' });
    const { knowledge, finds, said } = learn([folder]);
    await knowledge.start();
    rmSync(folder, { recursive: true });
    await knowledge.look();
    await knowledge.look();
    expect(await finds('apples')).toEqual(['apples']);
    expect(said.filter((line) => line.includes("can't be read"))).toHaveLength(1);
  });

  it('that are empty, as where a disk is not mounted, keep what was learned until there is any file', async () => {
    const folder = join(temporaryFolder(), 'share');
    write(folder, { 'a.md': 'apples', 'deep/b.md': 'pears' });
    const path = join(temporaryFolder(), 'documents.db');
    const first = learn([folder], path);
    await first.knowledge.start();
    rmSync(folder, { recursive: true });
    mkdirSync(folder);
    await first.knowledge.look();
    await first.knowledge.stop();
    expect(first.said.at(-1)).toBe(
      `the folder of documents ${folder} is empty, as where a disk isn't mounted. What was learned of it stays; to forget that, put any file there, or take the folder out of the configuration.`,
    );

    const { knowledge, names, said } = learn([folder], path);
    await knowledge.start();
    await knowledge.look();
    expect(await names()).toEqual(['a.md', 'deep/b.md']);
    expect(said).toHaveLength(1);
    const asker = { personId: null, threadId: null };
    const note = 'The folder share is empty now; what was there before is still found.';
    expect(await knowledge.list(asker)).toMatchObject({ text: `${note} There are 2 documents.` });
    write(folder, { 'moved.bin': '' });
    await knowledge.look();
    expect(await names()).toEqual([]);
    expect(await knowledge.list(asker)).toMatchObject({ text: 'There are 0 documents.' });
  });

  it('that are empty and always were are nothing to speak of', async () => {
    const { knowledge, said } = learn([temporaryFolder()]);
    await knowledge.start();
    expect(said).toEqual([]);
  });

  it('are for others once the readers of their folder are, before anything is answered, and without reading them again', async () => {
    const folder = temporaryFolder();
    const path = join(temporaryFolder(), 'documents.db');
    write(folder, { 'pay.txt': 'salaries' });
    const first = learn([folder], path);
    await first.knowledge.start();
    expect(await first.finds('salaries')).toEqual(['salaries']);
    await first.knowledge.stop();

    const readers = [channelReader('slack:T1:C1')];
    const second = learn([folder], path, lineParser(), readers);
    const asker = { personId: null, threadId: null };
    expect(await second.knowledge.search(asker, 'salaries', 5)).toMatchObject({ data: { passages: [] } });
    expect(await second.index.find(['salaries'], { readers, limit: 5 })).toHaveLength(1);
    await second.knowledge.look();
    expect(await second.finds('salaries')).toEqual([]);
    expect(second.parsed).toEqual([]);
  });

  it('that cannot be read are not named to those who may not read them', async () => {
    const gone = join(temporaryFolder(), 'payroll');
    const { knowledge } = learn([gone], ':memory:', lineParser(), [channelReader('slack:T1:C1')]);
    await knowledge.start();
    const said = await knowledge.list({ personId: null, threadId: null });
    expect(JSON.stringify(said)).not.toContain('payroll');
  });
});
