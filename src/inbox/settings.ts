import type { Ids } from '../lib/clock.ts';
import type { MailboxRecord } from './collections.ts';
import {
  findRepeatedRules,
  findRule,
  LONGEST,
  listRules,
  type SettingChange,
  type SettingKind,
} from './mail-types.ts';
import { refusal } from './refusal.ts';
import { REFUSED } from './texts.ts';

/** How many changes are kept of a mailbox, and their characters together: they stand in its record. */
const MOST_CHANGES = 40;
const MOST_LENGTH = 40_000;

const KINDS: readonly SettingKind[] = ['rules', 'background'];

interface Now {
  readonly now: number;
  readonly ids: Ids;
}

/** `rule`: a line for the rules that there are, unless it's among them. */
type Said = Partial<Pick<MailboxRecord, SettingKind> & { readonly rule: string }>;

/**
 * The record with what its owner says of it now, and with what of that is new among its changes.
 * @throws RefusalError where a text would be too long.
 */
export function withSettings(
  record: MailboxRecord,
  said: Said,
  { now, ids }: Now,
  why: SettingChange['why'] = 'person',
): MailboxRecord {
  const { rule, background = record.background, rules = withRule(record.rules, rule) } = said;
  const is = { rules: why === 'person' ? withoutRepeated(record.rules, rules) : rules, background };
  const changes = KINDS.flatMap((kind) => {
    const [before, after] = [record[kind], is[kind]];
    if (before === after) return [];
    if (after.length > LONGEST[kind]) throw refusal(REFUSED.tooLong(LONGEST[kind]));
    return [{ id: ids(), at: now, kind, before, after, why, isUndone: false }];
  });
  return { ...record, ...is, changes: newest([...changes, ...record.changes]) };
}

/** The record with one change taken back; null where the same was changed again since, or this was undone. */
export function undoSetting(record: MailboxRecord, changeId: string, now: Now): MailboxRecord | null {
  const done = record.changes.find(({ id }) => id === changeId);
  if (!done || done.isUndone || record[done.kind] !== done.after) return null;
  const changes = record.changes.map((one) => (one === done ? { ...one, isUndone: true } : one));
  return withSettings({ ...record, changes }, { [done.kind]: done.before }, now, 'undo');
}

/** The newest of them, as many as are kept. */
function newest(changes: MailboxRecord['changes']): MailboxRecord['changes'] {
  let length = 0;
  const over = changes.slice(0, MOST_CHANGES).findIndex(({ before, after }) => {
    length += before.length + after.length;
    return length > MOST_LENGTH;
  });
  return changes.slice(0, over === -1 ? MOST_CHANGES : Math.max(1, over));
}

/** Rules without those that are new and say what another says; ones that an earlier version kept stay until they're taken out. */
function withoutRepeated(before: string, rules: string): string {
  const [old, now] = [listRules(before), listRules(rules)];
  const kept = new Set(findRepeatedRules(old).map(({ rule }) => old[rule - 1]));
  const repeated = findRepeatedRules(now).filter(({ rule }) => !kept.has(now[rule - 1]));
  const left = new Set(repeated.map(({ rule }) => rule - 1));
  return left.size === 0 ? rules : now.filter((_rule, index) => !left.has(index)).join('\n');
}

function withRule(rules: string, rule = ''): string {
  if (rule === '' || findRule(listRules(rules), rule) !== null) return rules;
  return [rules.trim(), rule].filter((part) => part !== '').join('\n');
}
