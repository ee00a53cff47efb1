import type { Ids } from '../lib/clock.ts';
import type { MailboxRecord } from './collections.ts';
import type { SettingChange, SettingKind } from './mail-types.ts';

/** How many changes are kept of a mailbox, and their characters together: they stand in its record. */
const MOST_CHANGES = 40;
const MOST_LENGTH = 40_000;

const KINDS: readonly SettingKind[] = ['rules', 'background'];

interface Now {
  readonly now: number;
  readonly ids: Ids;
}

/** The record with what its owner says of it now, and with what of that is new among its changes. */
export function withSettings(
  record: MailboxRecord,
  said: Partial<Pick<MailboxRecord, SettingKind>>,
  { now, ids }: Now,
  why: SettingChange['why'] = 'person',
): MailboxRecord {
  const changes = KINDS.flatMap((kind) => {
    const [before, after] = [record[kind], said[kind] ?? record[kind]];
    return before === after ? [] : [{ id: ids(), at: now, kind, before, after, why, isUndone: false }];
  });
  const { rules = record.rules, background = record.background } = said;
  return { ...record, rules, background, changes: newest([...changes, ...record.changes]) };
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
