import type { Ids } from '../lib/clock.ts';
import type { JsonObject } from '../lib/json.ts';
import { fold } from '../lib/text/own-words.ts';
import type { MemoryRecord, StoredItem } from './collections.ts';
import type { Learned } from './extract.ts';
import { type MemoryKey, MOST_ITEMS, type Said } from './ports.ts';

/** Of how many projects. */
const MOST_PROJECTS = 5;
/** How many messages are known of which something was changed or forgotten. */
const MOST_SETTLED = 200;
/** How much is told to the model, in characters of text: about 1,000 tokens. */
const MOST_TOLD = 4_000;

/** Keys that hold several items. */
const SEVERAL: readonly MemoryKey[] = ['recent_projects', 'other'];
/** Preferences that are told wherever somebody asks: how an answer is worded gives nothing of them away. */
const TOLD_EVERYWHERE: readonly MemoryKey[] = ['tone', 'detail_level', 'language'];

/** Whether anything may be learned from a message: not from one of which its person has changed or forgotten something. */
export function mayLearn(
  { isOn, since, settled }: MemoryRecord,
  { messageId, at }: Pick<Said, 'messageId' | 'at'>,
): boolean {
  return isOn && at > since && !settled.includes(messageId);
}

/**
 * The record with what a message says, and what of that is new. A text that is known already changes nothing; another one
 * takes the place of what its key had, unless that was said later.
 */
export function remember(
  record: MemoryRecord,
  learned: readonly Learned[],
  { messageId, at, place }: Pick<Said, 'messageId' | 'at' | 'place'>,
  ids: Ids,
): { readonly record: MemoryRecord; readonly added: readonly StoredItem[] } {
  let { items } = record;
  const added: StoredItem[] = [];
  for (const { kind, key, text } of learned) {
    const same = items.filter((item) => item.kind === kind && item.key === key);
    const isSingle = !SEVERAL.includes(key);
    if (same.some((item) => fold(item.text) === fold(text))) continue;
    if (isSingle && same.some(({ learnedAt }) => learnedAt > at)) continue;
    const item: StoredItem = { id: ids(), kind, key, text, learnedAt: at, place, messageId };
    added.push(item);
    items = [...items.filter((other) => !isSingle || !same.includes(other)), item];
  }
  const newestFirst = items.toSorted((one, other) => other.learnedAt - one.learnedAt);
  const projects = newestFirst.filter(({ key }) => key === 'recent_projects').slice(MOST_PROJECTS);
  const kept = newestFirst.filter((item) => !projects.includes(item)).slice(0, MOST_ITEMS);
  return { record: { ...record, items: kept }, added: added.filter((item) => kept.includes(item)) };
}

/** The record with another text of one item; null where there is no such item. */
export function change(record: MemoryRecord, id: string, text: string, now: number): MemoryRecord | null {
  const old = record.items.find((item) => item.id === id);
  if (!old) return null;
  const changed = { ...old, text, learnedAt: now };
  return settle({ ...record, items: [changed, ...record.items.filter((item) => item !== old)] }, old);
}

/** The record without one item; null where there is no such item. */
export function forget(record: MemoryRecord, id: string): MemoryRecord | null {
  const old = record.items.find((item) => item.id === id);
  return old ? settle({ ...record, items: record.items.filter((item) => item !== old) }, old) : null;
}

/** The record without any item. What was said until now isn't learned any more, though the model may still be reading it. */
export function forgetAll(record: MemoryRecord, now: number): MemoryRecord {
  return settle({ ...record, items: [], since: now }, ...record.items);
}

/** The record of somebody who has turned it on, or off. What was said while it was off is never learned. */
export function turn(record: MemoryRecord, isOn: boolean, now: number): MemoryRecord {
  return isOn === record.isOn ? record : { ...record, isOn, since: now };
}

function settle(record: MemoryRecord, ...items: readonly StoredItem[]): MemoryRecord {
  const settled = new Set([...record.settled, ...items.map(({ messageId }) => messageId)]);
  return { ...record, settled: [...settled].slice(-MOST_SETTLED) };
}

/**
 * What the model is told of a person who asks in this place: in a channel, where others read the answer, only what they
 * said there, and how they like answers. Null where there is nothing.
 */
export function recall({ items }: Pick<MemoryRecord, 'items'>, place: string | null): JsonObject | null {
  let room = MOST_TOLD;
  const told = items.filter((item) => {
    const isTold = place === null || item.place === place || TOLD_EVERYWHERE.includes(item.key);
    if (!isTold || item.text.length > room) return false;
    room -= item.text.length;
    return true;
  });
  if (told.length === 0) return null;
  return {
    critical_facts: byKey(told.filter(({ kind }) => kind === 'critical_fact')),
    preferences: byKey(told.filter(({ kind }) => kind === 'preference')),
  };
}

function byKey(items: readonly StoredItem[]): JsonObject {
  const groups = Map.groupBy(items, ({ key }) => key);
  return Object.fromEntries(
    [...groups].map(([key, group]) => {
      const texts = group.map(({ text }) => text);
      return [key, SEVERAL.includes(key) ? texts : (texts[0] ?? '')];
    }),
  );
}
