import { describe, expect, it, onTestFinished } from 'vitest';
import type { DocumentRecord } from '../../../../src/knowledge/index.ts';
import { hashContent, type Room } from '../../../../src/knowledge/ports.ts';
import { StoreError } from '../../../../src/lib/errors.ts';
import { BroughtFiles } from '../../../../src/slack/documents/brought-files.ts';
import type { Brought } from '../../../../src/slack/documents/collections.ts';
import type { Fetched } from '../../../../src/slack/documents/fetch-file.ts';
import { Intake } from '../../../../src/slack/documents/intake.ts';
import type { SlackFile } from '../../../../src/slack/documents/slack-file.ts';
import { openSqliteStore } from '../../../../src/storage/sqlite/store.ts';

const ana = { id: 'slack:T1:U1', name: 'Ana' };
const hosted = (id: string, name: string): SlackFile => ({ id, name, mode: 'hosted', size: 3 });
const DROP = { channel: 'D1', ts: '1.2', threadId: 'slack:T1:D1:1.2', requester: ana, hasWords: false };

/** What is known of a text that was learned. */
function learned(id: string, hash: string): DocumentRecord {
  const nothing = { owner: null, link: null, title: null, description: null, pages: null, problem: null };
  const about = { origin: 'slack', name: 'a.txt', kind: 'text', readers: [], version: '1' };
  return { ...nothing, ...about, id, hash, passages: 1, learnedAt: 0, changedAt: null };
}

/** An intake whose files come from `fetched`, one after the other, and are learned at once. */
function open(
  fetched: readonly (Fetched | Promise<Fetched>)[],
  { unusable = null }: { unusable?: 'none' | 'not_kept' | null } = {},
) {
  const store = openSqliteStore({ path: ':memory:' });
  onTestFinished(() => store.close());
  const time = { now: 1_000 };
  const clock = () => time.now;
  const known = new Map<string, DocumentRecord>();
  const reach = { isThere: true };
  const given: string[] = [];
  let room: Room = { bytes: 100 * 1024 * 1024, limit: 'own_documents' };
  const asked: number[] = [];
  const knowledge = {
    findRoom: async () => room,
    find: async (id: string) => ({ learned: known.get(id) ?? null, given: known.get(id) ?? null }),
    forgetById: async (id: string, hash?: string) => {
      if (!reach.isThere) throw new StoreError('the documents are away');
      return (hash === undefined || known.get(id)?.hash === hash) && known.delete(id);
    },
    countEmptyPages: async () => 0,
    listFor: async () => [],
    give: async ({ name }: { readonly name: string }) => {
      given.push(name);
      return 'kept' as const;
    },
  };
  const answers = [...fetched];
  const files = new BroughtFiles({ store, clock, wake: () => undefined });
  const intake = new Intake({
    files,
    clock,
    async fetch(_source, maxBytes) {
      asked.push(maxBytes);
      return answers.shift() ?? { ok: false, problem: 'gone' };
    },
    isAdmin: async () => false,
    isEditable: async () => false,
    documents: {
      unusable,
      open: async () => knowledge,
      opened: () => null,
      whenOpened: () => undefined,
    },
    log: { error: () => undefined },
  });
  onTestFinished(() => intake.stop());
  const states = async (ts = '1.2'): Promise<readonly Pick<Brought, 'state' | 'problem' | 'name'>[]> =>
    (await files.ofDrop(`D1:${ts}`)).map(({ state, problem, name }) => ({ state, problem, name }));
  const leave = (left: Room) => {
    room = left;
  };
  return { store, intake, files, states, given, time, known, reach, asked, leave };
}

describe('files that come into Slack', () => {
  it('are waited for by what is asked in their thread, in every process, and by nothing else', async () => {
    const fetching = Promise.withResolvers<Fetched>();
    const { store, intake, time } = open([fetching.promise]);
    const other = new BroughtFiles({ store, clock: () => time.now, wake: () => undefined });
    const { signal } = new AbortController();
    const arrived: string[] = [];
    const arrive = async (threadId: string) => {
      await other.arrived(threadId, signal);
      arrived.push(threadId);
    };
    await intake.take({ ...DROP, files: [hosted('F1', 'a.txt')] });
    const waiting = arrive(DROP.threadId);
    await arrive('slack:T1:D1:9.9');
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(arrived).toEqual(['slack:T1:D1:9.9']);
    fetching.resolve({ ok: false, problem: 'gone' });
    await waiting;
    expect(arrived).toEqual(['slack:T1:D1:9.9', DROP.threadId]);
  });

  it('aren’t waited for once that took ten seconds, or whoever asked has gone', async () => {
    const fetching = Promise.withResolvers<Fetched>();
    const { intake, files, time } = open([fetching.promise]);
    await intake.take({ ...DROP, files: [hosted('F1', 'a.txt')] });
    const gone = new AbortController();
    const waiting = files.arrived(DROP.threadId, gone.signal);
    gone.abort();
    await waiting;
    time.now += 12_000;
    await files.arrived(DROP.threadId, new AbortController().signal);
    fetching.resolve({ ok: false, problem: 'gone' });
  });

  it('aren’t taken where several processes have documents of their own, which is said of each', async () => {
    const { intake, states } = open([], { unusable: 'not_kept' });
    await intake.take({ ...DROP, files: [hosted('F1', 'a.txt'), hosted('F2', 'b.png')] });
    expect(await states()).toEqual([
      { state: 'unread', problem: 'not_shared', name: 'a.txt' },
      { state: 'unread', problem: 'kind', name: 'b.png' },
    ]);
  });

  it('aren’t taken where documents are turned off, which is said where nothing else is answered', async () => {
    const { intake, states } = open([], { unusable: 'none' });
    await intake.take({ ...DROP, hasWords: true, files: [hosted('F1', 'a.txt')] });
    expect(await states()).toEqual([]);
    await intake.take({ ...DROP, files: [hosted('F1', 'a.txt')] });
    expect(await states()).toEqual([{ state: 'unread', problem: 'no_documents', name: 'a.txt' }]);
  });

  it('aren’t fetched where Slack says that there is nothing to fetch', async () => {
    const { intake, states, given } = open([]);
    const files: SlackFile[] = [
      { id: 'F1', mode: 'tombstone' },
      { id: 'F2', mode: 'hidden_by_limit' },
      { ...hosted('F3', 'a.txt'), mode: 'external' },
      { ...hosted('F4', 'a.txt'), size: 51 * 1024 * 1024 },
    ];
    await intake.take({ ...DROP, files });
    expect((await states()).map(({ problem }) => problem)).toEqual([
      'gone',
      'hidden',
      'external',
      'too_large',
    ]);
    expect(given).toEqual([]);
  });

  it('aren’t fetched where whoever brings them may bring no more, and are told how much may still be', async () => {
    const { intake, states, given, asked, leave } = open([
      { ok: false, problem: 'no_room' },
      { ok: true, name: 'a.txt', link: null, content: Buffer.from('x') },
    ]);
    leave({ bytes: Number.NEGATIVE_INFINITY, limit: 'own_documents' });
    const bring = (ts: string) => intake.take({ ...DROP, ts, files: [hosted(`F${ts}`, 'a.txt')] });
    await bring('1.1');
    await intake.start();
    await expect.poll(() => states('1.1')).toMatchObject([{ state: 'unread', problem: 'own_documents' }]);
    expect(asked).toEqual([]);
    leave({ bytes: 2, limit: 'all_bytes' });
    await bring('1.2');
    await expect.poll(() => states('1.2')).toMatchObject([{ state: 'unread', problem: 'all_bytes' }]);
    await bring('1.3');
    await expect.poll(() => states('1.3')).toMatchObject([{ state: 'learning' }]);
    expect([asked, given]).toEqual([[2, 2], ['a.txt']]);
  });

  it('stay where they are known and are given again, though nothing more may be brought by then', async () => {
    const content = Buffer.from('x');
    const fetched: Fetched = { ok: true, name: 'a.txt', link: null, content };
    const { intake, states, known, leave, time } = open([fetched, fetched]);
    const [taken] = await intake.take({ ...DROP, files: [hosted('F1', 'a.txt')] });
    await intake.start();
    await expect.poll(() => states()).toMatchObject([{ state: 'learning' }]);
    const documentId = taken?.documentId ?? '';
    known.set(documentId, learned(documentId, hashContent(content)));
    time.now += 1;
    await intake.take({ ...DROP, ts: '1.3', files: [hosted('F2', 'a.txt')] });
    await intake.start();
    await expect.poll(() => states('1.3')).toMatchObject([{ state: 'learning' }]);
    leave({ bytes: Number.NEGATIVE_INFINITY, limit: 'own_documents' });
    await intake.fileDeleted('F1');
    await expect.poll(() => states('1.3')).toMatchObject([{ state: 'ready' }]);
    expect([...known.keys()]).toEqual([documentId]);
  });

  it('are named once Slack says what they are, where other organisations share them', async () => {
    const { intake, states, given } = open([
      { ok: true, name: 'plan.txt', link: null, content: Buffer.from('x') },
    ]);
    await intake.take({
      ...DROP,
      files: [{ id: 'F1', mode: 'file_access', file_access: 'check_file_info' }],
    });
    await intake.start();
    await expect.poll(() => states()).toEqual([{ state: 'learning', problem: null, name: 'plan.txt' }]);
    expect(given).toEqual(['plan.txt']);
  });

  it('are fetched again after a while, and not for ever', async () => {
    const failure: Fetched = { ok: false, problem: 'passing' };
    const { intake, files, states, time } = open(Array<Fetched>(6).fill(failure));
    await intake.take({ ...DROP, files: [hosted('F1', 'a.txt')] });
    for (let attempt = 1; attempt < 6; attempt += 1) {
      await intake.start();
      await expect
        .poll(() => files.ofDrop('D1:1.2'))
        .toMatchObject([{ state: 'waiting', attempts: attempt }]);
      time.now += 5 * 60_000;
    }
    await intake.start();
    await expect.poll(() => states()).toMatchObject([{ state: 'unread', problem: 'passing' }]);
  });

  it('are taken once, however often their message comes', async () => {
    const { intake, states, given } = open([
      { ok: true, name: 'a.txt', link: null, content: Buffer.from('x') },
    ]);
    const drop = { ...DROP, files: [hosted('F1', 'a.txt')] };
    await Promise.all([intake.take(drop), intake.take(drop)]);
    await intake.take(drop);
    await intake.start();
    await expect.poll(() => states()).toMatchObject([{ state: 'learning' }]);
    expect(given).toEqual(['a.txt']);
  });

  it('that weren’t read take nothing along when they’re deleted, though they have the name of one that was', async () => {
    const { intake, given, time, known } = open([
      { ok: true, name: 'a.txt', link: null, content: Buffer.from('x') },
    ]);
    const [taken] = await intake.take({ ...DROP, files: [hosted('F1', 'a.txt')] });
    await intake.start();
    await expect.poll(() => given).toEqual(['a.txt']);
    const documentId = taken?.documentId ?? '';
    known.set(documentId, learned(documentId, hashContent(Buffer.from('x'))));
    time.now += 1;
    const tooLarge = { ...hosted('F2', 'a.txt'), size: 51 * 1024 * 1024 };
    await intake.take({ ...DROP, ts: '1.3', files: [tooLarge] });
    await intake.fileDeleted('F2');
    expect([...known.keys()]).toEqual([documentId]);
    await intake.fileDeleted('F1');
    expect([...known.keys()]).toEqual([]);
  });

  it('are deleted later where that can’t be done at once, which is said, and a version that was given since stays', async () => {
    const content = Buffer.from('x');
    const { intake, states, time, known, reach } = open([{ ok: true, name: 'a.txt', link: null, content }]);
    const [taken] = await intake.take({ ...DROP, files: [hosted('F1', 'a.txt')] });
    await intake.start();
    await expect.poll(() => states()).toMatchObject([{ state: 'learning' }]);
    const documentId = taken?.documentId ?? '';
    known.set(documentId, learned(documentId, hashContent(content)));
    reach.isThere = false;
    expect(await intake.forget(documentId, ana)).toBe(false);
    expect(await states()).toMatchObject([{ state: 'forgetting' }]);
    reach.isThere = true;
    known.set(documentId, learned(documentId, hashContent(Buffer.from('y'))));
    await intake.start();
    expect(await states()).toMatchObject([{ state: 'forgetting' }]);
    time.now += 10_000;
    await intake.start();
    expect(await states()).toMatchObject([{ state: 'forgotten' }]);
    expect([...known.keys()]).toEqual([documentId]);
  });

  it('wait for no file of somebody else, however long that takes', async () => {
    const slow = Promise.withResolvers<Fetched>();
    const { intake, states, given } = open([
      slow.promise,
      { ok: true, name: 'a.txt', link: null, content: Buffer.from('x') },
    ]);
    const requester = { id: 'slack:T1:U2', name: 'Ben' };
    await intake.take({ ...DROP, ts: '1.1', requester, files: [hosted('F1', 'b.txt')] });
    await intake.take({ ...DROP, files: [hosted('F2', 'a.txt')] });
    await expect.poll(() => states()).toMatchObject([{ state: 'learning' }]);
    expect(given).toEqual(['a.txt']);
    slow.resolve({ ok: false, problem: 'gone' });
  });
});
