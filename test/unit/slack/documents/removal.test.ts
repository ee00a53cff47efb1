import { describe, expect, it, onTestFinished } from 'vitest';
import { BroughtFiles } from '../../../../src/slack/documents/brought-files.ts';
import { type Brought, brought } from '../../../../src/slack/documents/collections.ts';
import { broughtRetention, forgetDrop } from '../../../../src/slack/documents/removal.ts';
import { takeFile } from '../../../../src/slack/documents/take-file.ts';
import { outbox, posted } from '../../../../src/slack/outbox/collections.ts';
import { forgetThread } from '../../../../src/slack/outbox/removal.ts';
import { openSqliteStore } from '../../../../src/storage/sqlite/store.ts';
import { put } from '../../../../src/storage/store.ts';

const DAY = 86_400_000;
const THREAD = 'slack:T1:D1:1.2';

function file(dropId: string, changes: Partial<Brought> = {}): Brought {
  return {
    ...{ dropId, place: 0, threadId: THREAD, requester: { id: 'slack:T1:U1', name: 'Ana' } },
    ...{ source: { kind: 'file', fileId: 'F1' }, name: 'a.txt', reader: 'person:slack:T1:U1', key: 'a' },
    ...{ documentId: dropId, hash: 'h', at: 0, dueAt: 0, attempts: 0, state: 'ready', problem: null },
    ...{ isNewVersion: false, pages: null, passages: 1, emptyPages: 0, progress: null },
    ...changes,
  };
}

function open(...files: readonly Brought[]) {
  const store = openSqliteStore({ path: ':memory:' });
  onTestFinished(() => store.close());
  const time = { now: 0 };
  const records = new BroughtFiles({ store, clock: () => time.now, wake: () => undefined });
  /** The documents that are there, with the hashes of their contents; null: none are learned here. */
  const documents: { kept: Map<string, string> | null } = { kept: new Map() };
  const opened = async () => {
    const { kept } = documents;
    if (kept === null) throw new Error('they were off');
    return {
      kept: async () => [...kept].map(([id, hash]) => ({ id, hash, owner: null, bytes: 1, isUnread: false })),
    };
  };
  const rule = broughtRetention({
    store,
    documents: { opened: () => (documents.kept === null ? null : opened()) },
    keepForMs: 30 * DAY,
  });
  return {
    store,
    documents,
    records,
    time,
    add: () => store.commit({ put: files.map((it) => put(brought, `${it.dropId}:${it.place}`, it)) }),
    /** Goes through all that there is. */
    async sweep(before = 30 * DAY): Promise<readonly string[]> {
      for (let step = 0; step < 10; step += 1) await rule.forget(before, 200);
      const { items } = await store.query(brought, 'byDrop', {}, 200);
      return items.map(({ id }) => id);
    },
  };
}

describe('what is on record of files that people brought', () => {
  it('stays as long as a document of its message is there, and goes once it isn’t', async () => {
    const { add, sweep, documents } = open(
      file('one'),
      file('two', { state: 'unread', problem: 'encrypted' }),
      file('several', { documentId: 'of several' }),
      file('several', { place: 1, hash: null, state: 'unread', problem: 'kind' }),
    );
    await add();
    documents.kept = new Map([
      ['one', 'h'],
      ['two', 'h'],
      ['of several', 'h'],
    ]);
    expect(await sweep()).toEqual(['one:0', 'several:0', 'several:1', 'two:0']);
    documents.kept.delete('of several');
    expect(await sweep()).toEqual(['one:0', 'two:0']);
    documents.kept.set('one', 'of a newer version');
    documents.kept.delete('two');
    expect(await sweep()).toEqual([]);
  });

  it('stays as long as messages do, and while anything is to be done with it', async () => {
    const { add, sweep } = open(
      file('late', { at: 31 * DAY }),
      file('open', { state: 'giving' }),
      file('to be deleted', { state: 'forgetting' }),
    );
    await add();
    expect(await sweep()).toEqual(['late:0', 'open:0', 'to be deleted:0']);
    expect(await sweep(32 * DAY)).toEqual(['open:0', 'to be deleted:0']);
  });

  it('stays where nobody can say whether its document is there, and goes where there never was one', async () => {
    const { add, sweep, documents } = open(
      file('found'),
      file('replaced', { state: 'replaced' }),
      file('refused', { state: 'unread', hash: null, problem: 'too_large' }),
    );
    await add();
    documents.kept = null;
    expect(await sweep()).toEqual(['found:0']);
  });

  it('goes through more than one step looks at', async () => {
    const many = Array.from({ length: 120 }, (_, at) => file(`drop ${String(at).padStart(3, '0')}`));
    const { add, sweep, documents } = open(...many);
    await add();
    documents.kept = new Map([['drop 077', 'h']]);
    expect(await sweep()).toEqual(['drop 077:0']);
  });

  it('keeps its message known after the thread has gone, so that what becomes of it is said there', async () => {
    const { add, store, sweep } = open(file('one'));
    await add();
    const note = { channel: 'D1', threadId: THREAD, ts: '1.3', hash: '' };
    const drop = { kind: 'drop' as const, dropId: 'one' };
    await store.commit({
      put: [
        put(posted, 'drop:one', { ...note, show: drop }),
        put(posted, 'answer:i', { ...note, show: { kind: 'answer', itemId: 'i' } }),
        put(outbox, 'drop:one', { channel: 'D1', threadId: THREAD, at: 0, show: drop }),
      ],
    });
    await forgetThread(store, THREAD);
    const messages = async () => (await store.query(posted, 'byThread', {}, 9)).items.map(({ id }) => id);
    expect(await messages()).toEqual(['drop:one']);
    expect(await sweep()).toEqual([]);
    expect([await messages(), await store.get(outbox, 'drop:one')]).toEqual([[], null]);
  });

  it('takes its document along where it’s deleted while another process gives that', async () => {
    const { add, store, records } = open(file('one', { state: 'waiting', hash: null }));
    await add();
    const forgotten: string[] = [];
    const knowledge = {
      countEmptyPages: async () => 0,
      find: async () => ({ learned: null, given: null }),
      findRoom: async () => ({ bytes: 100, limit: 'own_bytes' as const }),
      forgetById: async (id: string) => forgotten.push(id) > 0,
      give: async () => {
        await forgetDrop(store, 'one');
        return 'kept' as const;
      },
    };
    const content = Buffer.from('x');
    await takeFile(
      {
        files: records,
        clock: () => 0,
        open: async () => knowledge,
        fetch: async () => ({ ok: true, name: 'a.txt', link: null, content }),
      },
      file('one', { state: 'waiting', hash: null }),
      AbortSignal.timeout(60_000),
    );
    expect(forgotten).toHaveLength(1);
    expect((await store.query(brought, 'byDrop', {}, 9)).items).toEqual([]);
  });
});
