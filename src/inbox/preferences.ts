import type { Ids } from '../lib/clock.ts';
import { toLine } from '../lib/text/model-answer.ts';
import { fold } from '../lib/text/own-words.ts';
import type { PreferencesRecord, StoredChange, StoredPreference } from './collections.ts';
import { LONGEST, type Preference, type PreferenceChange, type PreferenceKind } from './ports.ts';

/** How many there are of a kind, at most: all of them are told with each draft. Those of one sender alone count for themselves. */
export const MOST_OF_A_KIND = 40;
export const MOST_SENDERS = 500;
/** How many changes are listed. */
const MOST_CHANGES = 200;
/** How many that were undone the model is told of. */
const MOST_TAKEN_BACK = 20;

/** What a person words or clicks, and isn't learned from what they did with a draft. */
const SAID: readonly Preference['from'][] = ['person', 'no_drafts', 'never_again', 'show_such'];

/** Of whom nothing is known. */
export const NO_PREFERENCES: PreferencesRecord = { items: [], history: [] };

/** One change that is wanted. Each names what it's about by its id. */
export type Wanted =
  | {
      readonly do: 'add';
      readonly text: string;
      readonly evidence: string;
      readonly sender?: StoredPreference['sender'];
    }
  | { readonly do: 'change'; readonly id: string; readonly text: string; readonly evidence: string }
  | { readonly do: 'remove'; readonly id: string };

interface Origin {
  readonly kind: PreferenceKind;
  readonly from: Preference['from'];
  readonly mailId: string | null;
}

/** A record, and what of it is new. */
interface Changed {
  readonly record: PreferencesRecord;
  readonly changes: readonly StoredChange[];
}

/**
 * The record with what is wanted, one small change each; all else stays as it is. What says the same as something that there is,
 * or that the person has taken back, isn't added, and neither is what was learned from the same words before.
 */
export function applyWanted(
  record: PreferencesRecord,
  wanted: readonly Wanted[],
  { kind, from, mailId }: Origin,
  { now, ids }: { readonly now: number; readonly ids: Ids },
): Changed {
  const changes: StoredChange[] = [];
  let { items } = record;
  for (const one of wanted) {
    const own = items.filter((item) => item.kind === kind);
    if (one.do === 'add') {
      if (isFull(own, one.sender) || isKnown(own, one) || isUnwanted(one.text)) continue;
      const { text, evidence, sender = null } = one;
      const after = { id: ids(), kind, text, learnedAt: now, from, mailId, sender, evidence };
      items = [...items, after];
      changes.unshift(toChange(ids(), { before: null, after }));
      continue;
    }
    const before = own.find(({ id }) => id === one.id);
    if (!before) continue;
    if (one.do === 'remove') {
      items = items.filter((item) => item !== before);
      changes.unshift(toChange(ids(), { before, after: null }));
      continue;
    }
    const { text, evidence } = one;
    if (own.some((item) => item.text === text) || isUnwanted(text)) continue;
    // What a person words anew is no longer told by its sender alone.
    const after = { ...before, text, evidence, learnedAt: now, from, mailId, sender: null };
    items = items.map((item) => (item === before ? after : item));
    changes.unshift(toChange(ids(), { before, after }));
  }
  return { record: { items, history: [...changes, ...record.history].slice(0, MOST_CHANGES) }, changes };

  /** Who says it themselves may want again what they have taken back. */
  function isUnwanted(text: string): boolean {
    return !SAID.includes(from) && listTakenBack(record, kind).some((one) => isSame(one, text));
  }

  function toChange(id: string, it: Pick<StoredChange, 'before' | 'after'>): StoredChange {
    return { id, at: now, kind, what: nameChange(it), ...it, why: from, isUndone: false };
  }
}

function nameChange({ before, after }: Pick<StoredChange, 'before' | 'after'>): StoredChange['what'] {
  if (before === null) return 'added';
  return after === null ? 'removed' : 'changed';
}

/** Whether there are as many as may be: of those that hold for one sender each, or else of the others of their kind. */
export function isFull(own: readonly StoredPreference[], sender: StoredPreference['sender'] = null): boolean {
  const isOfSender = sender !== null;
  const count = own.filter((item) => (item.sender !== null) === isOfSender).length;
  return count >= (isOfSender ? MOST_SENDERS : MOST_OF_A_KIND);
}

function isKnown(own: readonly StoredPreference[], { text, evidence, sender }: Wanted & { do: 'add' }) {
  // Addresses may differ by a sign alone.
  if (sender)
    return own.some((it) => it.sender?.address === sender.address && it.sender.atMost === sender.atMost);
  return own.some((item) => isSame(item.text, text) || (evidence !== '' && isSame(item.evidence, evidence)));
}

/** Whether texts say the same but for case, blanks and signs. */
export function isSame(one: string, other: string): boolean {
  return toCompared(one) === toCompared(other);
}

function toCompared(text: string): string {
  return fold(text.replace(/[\p{P}\p{S}]+/gu, ' '));
}

/** What a person has undone, newest first, and not had again since. */
export function listTakenBack(
  { items, history }: PreferencesRecord,
  kind: PreferenceKind,
): readonly string[] {
  return history
    .flatMap((it) => (it.isUndone && it.why !== 'undo' && it.kind === kind ? (it.after?.text ?? []) : []))
    .filter((text) => !items.some((item) => isSame(item.text, text)))
    .slice(0, MOST_TAKEN_BACK);
}

/** The record with one change taken back, and what that changed; null where the same was changed again since. */
export function undo(
  record: PreferencesRecord,
  changeId: string,
  { now, ids }: { readonly now: number; readonly ids: Ids },
): { readonly record: PreferencesRecord; readonly change: StoredChange } | null {
  const done = record.history.find(({ id }) => id === changeId);
  if (!done || done.isUndone) return null;
  const { before, after, kind } = done;
  const id = (after ?? before)?.id;
  const current = record.items.find((item) => item.id === id) ?? null;
  if (current?.text !== after?.text) return null;
  const change: StoredChange = {
    ...{ id: ids(), at: now, kind, before: after, after: before, isUndone: false },
    ...{ what: nameChange({ before: after, after: before }), why: 'undo' },
  };
  const others = record.items.filter((item) => item !== current);
  const items =
    current !== null && before !== null
      ? record.items.map((item) => (item === current ? before : item))
      : [...others, ...(before === null ? [] : [before])];
  const history = record.history.map((it) => (it === done ? { ...it, isUndone: true } : it));
  return { record: { items, history: [change, ...history].slice(0, MOST_CHANGES) }, change };
}

/** A preference as other modules see it. */
export function toPreference({ id, kind, text, learnedAt, from, mailId }: StoredPreference): Preference {
  return { id, kind, text, learnedAt, from, mailId };
}

/** A change as other modules see it. */
export function toPreferenceChange({ before, after, ...change }: StoredChange): PreferenceChange {
  return { ...change, before: before?.text ?? null, after: after?.text ?? null };
}

/** A text as a preference has it. */
export function toPreferenceText(text: string): string {
  return toLine(text, LONGEST.preference);
}
