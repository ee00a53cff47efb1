import { type CallRecord, recordKey } from '../../gate/types.ts';
import type { Store } from '../../storage/store.ts';
import type { MessagePlace } from '../permalinks.ts';
import { posted } from './collections.ts';
import { rowId } from './rows.ts';

/** Where the cards of these calls are: their own, or that of all calls of their request. */
export async function findCards(
  store: Store,
  calls: readonly CallRecord[],
): Promise<ReadonlyMap<string, MessagePlace>> {
  const cards = calls.flatMap(({ requestId, ...call }) => {
    const callKey = recordKey(call);
    const list = requestId === null ? [] : [{ callKey, id: rowId({ kind: 'request', requestId }) }];
    return [...list, { callKey, id: rowId({ kind: 'call', callKey }) }];
  });
  const notes = await store.getMany(posted, [...new Set(cards.map(({ id }) => id))]);
  const places = new Map(
    notes.flatMap((note) => {
      if (note === null || note.value.ts === null) return [];
      const { channel, ts } = note.value;
      return [[note.id, { channel, ts }] as const];
    }),
  );
  // A card of its own comes last, and counts.
  return new Map(
    cards.flatMap(({ callKey, id }) => {
      const place = places.get(id);
      return place === undefined ? [] : [[callKey, place] as const];
    }),
  );
}
