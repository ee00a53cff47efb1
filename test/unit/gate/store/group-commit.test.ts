import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { type Calls, counted } from '../../../../bench/counted.ts';
import type { AuditNote } from '../../../../src/gate/audit/note.ts';
import { callKey } from '../../../../src/gate/call/digest.ts';
import { createGroupCommit } from '../../../../src/gate/store/group-commit.ts';
import { RecentRecords } from '../../../../src/gate/store/recent-records.ts';
import { StoreError } from '../../../../src/lib/errors.ts';
import { absent, collection, put, type Store, unchanged } from '../../../../src/storage/store.ts';
import { entriesOf, problemsOf } from '../../../helpers/audit.ts';
import { auditKeys } from '../../../helpers/audit-keys.ts';
import { openGate, opening, proposed } from '../../../helpers/gate.ts';
import { ana, THREAD } from '../../../helpers/people.ts';
import { openTestStorage } from '../../../helpers/storage.ts';

const things = collection({ name: 'things', schema: z.object({ by: z.string() }), indexes: {} });

async function openGroup(change: (store: Store) => Store = (store) => store) {
  const { store: disk, close } = await openTestStorage();
  onTestFinished(close);
  const calls: Calls = new Map();
  const store = counted(change(disk), calls);
  return {
    disk,
    calls,
    commit: createGroupCommit({ store, auditKeys, recent: new RecentRecords([]), clock: () => 1_000 }),
  };
}

function note(callId: string, threadId = THREAD): AuditNote {
  return { threadId, what: 'ended', actor: ana, callId };
}

/** A change that writes a thing of its own, once. */
function first(id: string) {
  return { expect: [absent(things, id)], put: [put(things, id, { by: id })], notes: [note(id)] };
}

const NAMES = Array.from({ length: 20 }, (_, index) => `c${index}`);

describe('the head of a chain', () => {
  it('is not read by the process that began it and goes on writing it', async () => {
    const { disk, calls, commit } = await openGroup();
    for (const name of NAMES) expect(await commit(first(name))).toBe(true);
    expect(calls.get('getMany')).toBeUndefined();
    expect(await problemsOf(disk)).toEqual([]);
  });

  it('is read again where another process has written the chain', async () => {
    const { disk, calls, commit } = await openGroup();
    const other = createGroupCommit({
      store: disk,
      auditKeys,
      recent: new RecentRecords([]),
      clock: () => 2_000,
    });
    for (const name of ['c1', 'c2', 'c3']) {
      expect(await commit(first(name))).toBe(true);
      expect(await other(first(`other ${name}`))).toBe(true);
    }
    const written = (await entriesOf(disk, THREAD)).map(({ callId }) => callId);
    expect(written).toEqual(['c1', 'other c1', 'c2', 'other c2', 'c3', 'other c3']);
    expect(await problemsOf(disk)).toEqual([]);
    expect(calls.get('getMany')).toBe(2);
  });
});

describe('changes of one thread that come together', () => {
  it('share one commit, with their entries in the order in which they came', async () => {
    const { disk, calls, commit } = await openGroup();
    expect(await Promise.all(NAMES.map((name) => commit(first(name))))).toEqual(NAMES.map(() => true));
    expect(calls.get('commit')).toBe(1);
    expect((await entriesOf(disk, THREAD)).map(({ callId }) => callId)).toEqual(NAMES);
    expect(await problemsOf(disk)).toEqual([]);
  });

  it('are committed without the one whose precondition fails', async () => {
    const { disk, commit } = await openGroup();
    await disk.commit({ put: [put(things, 'c7', { by: 'another process' })] });
    const committed = await Promise.all(NAMES.map((name) => commit(first(name))));
    expect(NAMES.filter((_, index) => !committed[index])).toEqual(['c7']);
    expect((await disk.get(things, 'c7'))?.value.by).toBe('another process');
    expect((await entriesOf(disk, THREAD)).map(({ callId }) => callId)).toEqual(
      NAMES.filter((name) => name !== 'c7'),
    );
  });

  it('go one after the other where one expects what the other writes: the first wins', async () => {
    const { disk, commit } = await openGroup();
    const claims = ['ana', 'bob', 'eve'].map((by) => ({
      expect: [absent(things, 'shared')],
      put: [put(things, 'shared', { by })],
      notes: [note(by)],
    }));
    expect(await Promise.all(claims.map(commit))).toEqual([true, false, false]);
    expect((await disk.get(things, 'shared'))?.value.by).toBe('ana');
    expect(await entriesOf(disk, THREAD)).toHaveLength(1);
  });

  it('stand where another expects an earlier version of what they expect', async () => {
    const { disk, commit } = await openGroup();
    await disk.commit({ put: [put(things, 'fence', { by: 'first' })] });
    const stale = await disk.get(things, 'fence');
    await disk.commit({ put: [put(things, 'fence', { by: 'second' })] });
    const current = await disk.get(things, 'fence');
    if (!stale || !current) throw new Error('not written');
    const under = (name: string, fence: typeof stale) => ({
      ...first(name),
      expect: [unchanged(things, fence), absent(things, name)],
    });
    const changes = [under('late', stale), under('c1', current), under('c2', current)];
    expect(await Promise.all(changes.map(commit))).toEqual([false, true, true]);
  });

  it('leave the last of several announcements of one record', async () => {
    const { disk, commit } = await openGroup();
    const marks = NAMES.map((by) => ({
      expect: [],
      put: [put(things, 'mark', { by })],
      notes: [note(by)],
    }));
    await Promise.all(marks.map(commit));
    expect((await disk.get(things, 'mark'))?.value.by).toBe('c19');
  });

  it('are committed again when another process has appended to the chain meanwhile', async () => {
    let foreign: Promise<unknown> | null = null;
    const { disk, commit } = await openGroup((store) => ({
      ...store,
      async commit(change) {
        foreign ??= createGroupCommit({
          store,
          auditKeys,
          recent: new RecentRecords([]),
          clock: () => 2_000,
        })(first('foreign'));
        await foreign;
        return store.commit(change);
      },
    }));
    expect(await Promise.all(NAMES.map((name) => commit(first(name))))).toEqual(NAMES.map(() => true));
    expect((await entriesOf(disk, THREAD)).map(({ callId }) => callId)).toEqual(['foreign', ...NAMES]);
    expect(await problemsOf(disk)).toEqual([]);
  });

  it('are committed without the one whose entry cannot be written', async () => {
    const { disk, commit } = await openGroup();
    const broken = { ...first('broken'), notes: [{ ...note('c'), details: { text: '\ud800' } }] };
    const settled = await Promise.allSettled([broken, first('c1'), first('c2')].map(commit));
    expect(settled.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled']);
    expect(await disk.get(things, 'broken')).toBeNull();
    expect(await entriesOf(disk, THREAD)).toHaveLength(2);
  });

  it('all fail with the store, and the next ones are committed', async () => {
    let isDown = true;
    const { commit } = await openGroup((store) => ({
      ...store,
      commit: (change) => (isDown ? Promise.reject(new StoreError('down')) : store.commit(change)),
    }));
    const settled = await Promise.allSettled(NAMES.map((name) => commit(first(name))));
    expect(settled.every(({ status }) => status === 'rejected')).toBe(true);
    isDown = false;
    expect(await commit(first('c1'))).toBe(true);
  });

  it('of another thread do not wait for them', async () => {
    const held = Promise.withResolvers<void>();
    const { commit } = await openGroup((store) => ({
      ...store,
      async commit(change) {
        if (change.put?.some(({ id }) => id === 'slow')) await held.promise;
        return store.commit(change);
      },
    }));
    const slow = commit(first('slow'));
    expect(await commit({ ...first('c1'), notes: [note('c1', 'another thread')] })).toBe(true);
    held.resolve();
    expect(await slow).toBe(true);
  });
});

describe('the calls of one request', () => {
  it('are approved in a few commits by two hundred decisions at once, and none is lost', async () => {
    const storage = await openTestStorage();
    onTestFinished(storage.close);
    const calls: Calls = new Map();
    const { gate, fence } = openGate({ store: counted(storage.store, calls) });
    const names = Array.from({ length: 200 }, (_, index) => `c${index}`);
    await gate.requests.open(opening(await fence(), ...names.map((name) => proposed(name))));
    calls.clear();
    await Promise.all(
      names.map(async (name) => {
        const input = { callKey: callKey(THREAD, name), digest: null, type: 'approve' } as const;
        await gate.decisions.decide([input], ana);
      }),
    );
    expect(calls.get('commit')).toBeLessThanOrEqual(40);
    const states = (await gate.calls.inThread(THREAD, names)).map((call) => call?.state);
    expect(new Set(states)).toEqual(new Set(['approved']));
    expect(await problemsOf(storage.store)).toEqual([]);
  });
});
