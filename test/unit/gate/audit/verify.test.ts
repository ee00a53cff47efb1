import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  type AuditEntry,
  appendEntries,
  auditHeads,
  entryHash,
  SEALS,
} from '../../../../src/gate/audit/chain.ts';
import { type ExportRange, exportEntries } from '../../../../src/gate/audit/export.ts';
import type { AuditNote } from '../../../../src/gate/audit/note.ts';
import { canonicalJson } from '../../../../src/lib/canonical-json.ts';
import type { Json } from '../../../../src/lib/json.ts';
import { openSqliteStore } from '../../../../src/storage/sqlite/store.ts';
import { put, ref, type Store } from '../../../../src/storage/store.ts';
import { endAt, entriesOf, problemsOf, remove, rewrite, sealAll, spoil } from '../../../helpers/audit.ts';
import { auditKeys } from '../../../helpers/audit-keys.ts';
import { ana } from '../../../helpers/people.ts';

let store: Store;
let now: number;
beforeEach(async () => {
  now = 1_000_000;
  store = openSqliteStore({ path: ':memory:' });
  await enter('a', 3);
  await enter('b', 2);
});
afterEach(() => store.close());

/** Adds entries to a chain, one commit and one millisecond each. */
async function enter(threadId: string, count: number): Promise<void> {
  for (let done = 0; done < count; done += 1) {
    const note: AuditNote = {
      threadId,
      what: 'decided',
      actor: ana,
      callId: `c${done}`,
      details: { of: done },
    };
    now += 1;
    const { expect: expectations, put } = await appendEntries({ store, auditKeys, clock: () => now }, [note]);
    await store.commit({ expect: expectations, put });
  }
}

async function entryAt(threadId: string, seq: number): Promise<AuditEntry> {
  const entry = (await entriesOf(store, threadId)).find((one) => one.seq === seq);
  if (!entry) throw new Error(`there is no entry ${seq} of ${threadId}`);
  return entry;
}

const CHANGED = 'It was changed after it was written.';
const UNSIGNED = 'It isn’t signed by a key of the audit: somebody else wrote it.';

describe('verifying', () => {
  it('finds nothing wrong with what was written, sealed or not', async () => {
    expect(await problemsOf(store)).toEqual([]);
    const seals = await sealAll(store);
    await enter('a', 1);
    expect(await problemsOf(store, seals)).toEqual([]);
  });

  it('finds an entry that was changed', async () => {
    const entry = await entryAt('a', 2);
    await spoil(store, entry, JSON.stringify({ ...entry, actor: { id: 'slack:T1:U9', name: 'Eve' } }));
    expect(await problemsOf(store)).toEqual([`a #2: ${CHANGED}`]);
  });

  it('finds an entry that was changed together with its hash', async () => {
    const changed = { ...(await entryAt('a', 2)), at: 5 };
    await spoil(store, changed, JSON.stringify({ ...changed, hash: entryHash(changed) }));
    expect(await problemsOf(store)).toEqual([
      `a #2: ${UNSIGNED}`,
      'a #3: It doesn’t follow the entry before it: one of the two was changed.',
    ]);
  });

  it('finds a last entry that was changed together with its hash', async () => {
    const changed = { ...(await entryAt('a', 3)), at: 5 };
    await spoil(store, changed, JSON.stringify({ ...changed, hash: entryHash(changed) }));
    expect(await problemsOf(store)).toEqual([
      `a #3: ${UNSIGNED}`,
      'a #3: It isn’t the end that was recorded.',
    ]);
  });

  it.each(['{', '"words"', '', 'null'])('finds an entry that is no entry any more: %j', async (json) => {
    await spoil(store, await entryAt('a', 2), json);
    expect(await problemsOf(store)).toEqual([`a #2: ${CHANGED}`]);
  });

  it('finds a gap, and goes on after it', async () => {
    await enter('b', 4);
    await remove(store, await entryAt('a', 2), await entryAt('b', 3), await entryAt('b', 4));
    expect(await problemsOf(store)).toEqual([
      'a #3: The entry before it, 2, is missing.',
      'b #5: The entries before it, 3 to 4, are missing.',
    ]);
  });

  it('finds a beginning that is missing', async () => {
    await remove(store, await entryAt('a', 1));
    expect(await problemsOf(store)).toEqual(['a #2: The entry before it, 1, is missing.']);
  });

  it('finds an end that was cut', async () => {
    await remove(store, await entryAt('a', 3));
    expect(await problemsOf(store)).toEqual(['a #2: It ends here, but had 3 entries: its end is cut.']);
  });

  it('finds a chain of which all entries, or the record of its end, are missing', async () => {
    await remove(store, await entryAt('b', 1), await entryAt('b', 2));
    await store.commit({ delete: [ref(auditHeads, 'a')] });
    expect(await problemsOf(store)).toEqual([
      'a: The record of where it ends is missing or changed.',
      'b: All of its 2 entries are missing.',
    ]);
  });

  it('finds the record of another chain’s end in the place of one', async () => {
    const { seq, hash } = await entryAt('b', 2);
    const other = { threadId: 'a', seq, hash, sealed: null };
    await store.commit({ put: [put(auditHeads, 'b', other)] });
    expect(await problemsOf(store)).toEqual(['b: The record of where it ends is missing or changed.']);
  });

  it('finds entries that were added behind the end', async () => {
    const { seq, hash } = await entryAt('a', 2);
    await endAt(store, { ...(await entryAt('a', 2)), seq, hash });
    expect(await problemsOf(store)).toEqual(['a #3: It isn’t the end that was recorded.']);
  });

  it('finds a sealed end that was cut, although the record of the end was changed to fit', async () => {
    await sealAll(store);
    await remove(store, await entryAt('a', 3));
    await endAt(store, await entryAt('a', 2));
    expect(await problemsOf(store)).toEqual(['a #3: Seal 1 names it, and it is missing.']);
  });

  it('finds a sealed chain that is gone without a trace', async () => {
    await sealAll(store);
    await remove(store, await entryAt('b', 1), await entryAt('b', 2));
    await store.commit({ delete: [ref(auditHeads, 'b')] });
    expect(await problemsOf(store)).toEqual(['b #2: Seal 1 names it, and it is missing.']);
  });

  it('finds a sealed chain that was written anew with all its hashes', async () => {
    await sealAll(store);
    const entries = await entriesOf(store, 'a');
    await rewrite(
      store,
      entries.map((entry) => ({ ...entry, callId: 'other' })),
    );
    expect(await problemsOf(store)).toEqual([
      ...[1, 2, 3].map((seq) => `a #${seq}: ${UNSIGNED}`),
      'a #3: It isn’t the entry that seal 1 names: it was changed.',
    ]);
  });

  it('finds a seal that is missing, by the chains that it sealed', async () => {
    const [seal] = await sealAll(store);
    if (seal) await remove(store, seal);
    await store.commit({ delete: [ref(auditHeads, SEALS)] });
    expect(await problemsOf(store)).toEqual([
      'a #3: It was sealed by seal 1, which is missing or changed.',
      'b #2: It was sealed by seal 1, which is missing or changed.',
    ]);
  });

  it('finds seals that were cut with all that they sealed, by a head that was noted outside', async () => {
    const [first] = await sealAll(store);
    await enter('a', 1);
    const [second] = await sealAll(store);
    if (!first || !second) throw new Error('there are no two seals');
    await remove(store, second, await entryAt('a', 4));
    await endAt(store, first);
    await endAt(store, await entryAt('a', 3));
    expect(await problemsOf(store)).toEqual([]);
    expect(await problemsOf(store, [first, second])).toEqual([
      'seals #2: It was noted outside the store, and is missing: the seals were cut.',
    ]);
  });

  it('finds seals that were all written anew, by a head that was noted outside', async () => {
    const [seal] = await sealAll(store);
    if (!seal) throw new Error('there is no seal');
    const entries = await entriesOf(store, 'a');
    const end = await rewrite(
      store,
      entries.map((entry) => ({ ...entry, callId: 'other' })),
    );
    const { threadId, seq, hash } = end ?? seal;
    await rewrite(store, [{ ...seal, details: { heads: [{ threadId, seq, hash }] } }]);
    expect(await problemsOf(store, [seal])).toContain(
      'seals #1: It isn’t the seal that was noted outside the store: the seals were changed.',
    );
  });

  it('finds nothing wrong with a chain that grows while it is read', async () => {
    let grown = 0;
    const growing: Store = {
      ...store,
      async get(collection, id) {
        if (id === 'a' && grown < 3) {
          grown += 1;
          await enter('a', 1);
        }
        return store.get(collection, id);
      },
    };
    expect(await problemsOf(growing)).toEqual([]);
    expect(grown).toBeGreaterThan(0);
  });

  it('reads more entries than fit one page', async () => {
    const notes = Array.from(
      { length: 450 },
      () => ({ threadId: 'long', what: 'asked', actor: ana }) as const,
    );
    const { put } = await appendEntries({ store, auditKeys, clock: () => now }, notes);
    await store.commit({ put });
    await sealAll(store);
    expect(await problemsOf(store)).toEqual([]);
    await remove(store, await entryAt('long', 300));
    expect(await problemsOf(store)).toEqual(['long #301: The entry before it, 300, is missing.']);
  });

  it('finds any single change to any entry', async () => {
    await sealAll(store);
    await enter('b', 1);
    const entries = await entriesOf(store);
    const change = fc.record({
      which: fc.nat(entries.length - 1),
      path: fc.nat(),
      how: fc.oneof(
        fc.jsonValue().map((value) => ({ do: 'set', value: z.json().parse(value) }) as const),
        fc.constant({ do: 'delete' } as const),
        fc.string().map((name) => ({ do: 'add', name }) as const),
      ),
    });
    await fc.assert(
      fc.asyncProperty(change, async ({ which, path, how }) => {
        const entry = entries[which];
        if (!entry) throw new Error('there is no such entry');
        const spoilt = changedAt(JSON.parse(JSON.stringify(entry)), path, how);
        fc.pre(textOf(spoilt) !== textOf(JSON.parse(JSON.stringify(entry))));
        await spoil(store, entry, JSON.stringify(spoilt));
        const problems = await problemsOf(store);
        await spoil(store, entry, JSON.stringify(entry));
        expect(problems).not.toEqual([]);
      }),
      { numRuns: 300 },
    );
    expect(await problemsOf(store)).toEqual([]);
  });
});

type How =
  | { readonly do: 'set'; readonly value: Json }
  | { readonly do: 'delete' }
  | { readonly do: 'add'; readonly name: string };

/** The entry with one of its places, nested ones too, set, taken away, or given one more member. */
function changedAt(entry: Json, path: number, how: How): Json {
  const places: { readonly holder: object; readonly name: string }[] = [];
  const look = (holder: Json): void => {
    if (typeof holder !== 'object' || holder === null) return;
    for (const [name, value] of Object.entries(holder)) {
      places.push({ holder, name });
      look(value);
    }
  };
  look(entry);
  const place = places[path % places.length];
  if (!place) throw new Error('there is nothing to change');
  const { holder, name } = place;
  if (how.do === 'set') Reflect.set(holder, name, how.value);
  else if (how.do === 'add') Object.defineProperty(holder, how.name, { value: 'more', enumerable: true });
  else if (Array.isArray(holder)) holder.pop();
  else Reflect.deleteProperty(holder, name);
  return entry;
}

/** Null for what has no canonical text, and so was never an entry. */
function textOf(value: Json): string | null {
  try {
    return canonicalJson(JSON.parse(JSON.stringify(value)));
  } catch {
    return null;
  }
}

describe('exporting', () => {
  async function all(range: Partial<ExportRange> = {}): Promise<unknown[]> {
    const found: unknown[] = [];
    const whole = { threadId: null, from: null, before: null };
    for await (const entry of exportEntries(store, { ...whole, ...range })) found.push(entry);
    return found;
  }

  it('gives every entry as it is stored, chain by chain', async () => {
    expect(await all()).toEqual(await entriesOf(store));
    expect(await all()).toHaveLength(5);
  });

  it('gives one chain, or one time', async () => {
    expect(await all({ threadId: 'b' })).toEqual(await entriesOf(store, 'b'));
    const timed = (await entriesOf(store)).filter(({ at }) => at >= 1_000_002 && at < 1_000_004);
    expect(timed).toHaveLength(2);
    expect(await all({ from: 1_000_002, before: 1_000_004 })).toEqual(timed);
  });

  it('gives what was spoilt too', async () => {
    await spoil(store, await entryAt('a', 2), '"spoilt"');
    expect(await all({ threadId: 'a', from: 0 })).toContain('spoilt');
  });
});
