import { type Actor, type AuditLog, NO_THREAD } from '../gate/types.ts';
import type { Clock, Ids } from '../lib/clock.ts';
import { absent, type Change, type Put, put, type Store, unchanged } from '../storage/store.ts';
import {
  mails,
  type PreferencesRecord,
  preferences,
  type StoredChange,
  type StoredPreference,
} from './collections.ts';
import { LONGEST, type Preference, type PreferenceChange, type PreferenceKind } from './ports.ts';
import {
  applyWanted,
  isFull,
  isSame,
  MOST_OF_A_KIND,
  NO_PREFERENCES,
  toPreference,
  toPreferenceChange,
  toPreferenceText,
  undo,
  type Wanted,
} from './preferences.ts';
import { refusal } from './refusal.ts';
import { REFUSED } from './texts.ts';
import { showAnew } from './work-ports.ts';

interface PreferenceStorePorts {
  readonly store: Store;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly audit: Pick<AuditLog, 'append'>;
  readonly changed: (personId: string) => void;
  /** A person, for the audit: all that is learned follows from something that they did. */
  readonly nameActor: (personId: string) => Promise<Actor>;
}

type Next = (record: PreferencesRecord) => {
  readonly record: PreferencesRecord;
  readonly changes: readonly StoredChange[];
};

/** What was learned of people, each by themselves, with the history of its changes. */
export class PreferenceStore {
  readonly #ports: PreferenceStorePorts;

  constructor(ports: PreferenceStorePorts) {
    this.#ports = ports;
  }

  async read(personId: string): Promise<PreferencesRecord> {
    return (await this.#ports.store.get(preferences, personId))?.value ?? NO_PREFERENCES;
  }

  async add(personId: string, kind: PreferenceKind, text: string): Promise<Preference> {
    const words = readText(text);
    const [added] = await this.#change(personId, kind, ({ items }) => {
      if (isFull(items.filter((item) => item.kind === kind)))
        throw refusal(REFUSED.tooManyPreferences(MOST_OF_A_KIND));
      return [{ do: 'add', text: words, evidence: '' }];
    });
    // Where the same is there already, it's that one.
    const { items } = await this.read(personId);
    const found = added?.after ?? items.find((item) => item.kind === kind && isSame(item.text, words));
    if (!found) throw refusal(REFUSED.changedSince);
    return toPreference(found);
  }

  async change(personId: string, id: string, text: string): Promise<Preference> {
    const words = readText(text);
    const before = await this.#find(personId, id);
    await this.#change(personId, before.kind, () => [{ do: 'change', id, text: words, evidence: '' }]);
    return toPreference(await this.#find(personId, id));
  }

  async forget(personId: string, id: string): Promise<void> {
    const { kind } = await this.#find(personId, id);
    await this.#change(personId, kind, () => [{ do: 'remove', id }]);
  }

  /** @throws RefusalError where the same was changed again since, or this was undone. */
  async undo(personId: string, changeId: string): Promise<PreferenceChange> {
    const { clock, ids } = this.#ports;
    const [change] = await this.update(personId, (record) => {
      const undone = undo(record, changeId, { now: clock(), ids });
      if (undone === null) throw refusal(REFUSED.changedSince);
      return { record: undone.record, changes: [undone.change] };
    });
    if (!change) throw refusal(REFUSED.changedSince);
    return toPreferenceChange(change);
  }

  /**
   * Changes a person's record, as it is then, and `also` with it; what changed, null where `also` couldn't be.
   * @param also what else is committed, for these changes
   */
  async update(
    personId: string,
    next: Next,
    also: (changes: readonly StoredChange[]) => Change = () => ({}),
  ): Promise<readonly StoredChange[]> {
    const { store, changed } = this.#ports;
    for (;;) {
      const stored = await store.get(preferences, personId);
      const { record, changes } = next(stored?.value ?? NO_PREFERENCES);
      const others = also(changes);
      const note = await this.#note(personId, changes);
      const result = await store.commit({
        expect: [
          stored ? unchanged(preferences, stored) : absent(preferences, personId),
          ...note.expect,
          ...(others.expect ?? []),
        ],
        put: [
          ...(changes.length > 0 ? [put(preferences, personId, record)] : []),
          ...(await this.#showLists(changes)),
          ...note.put,
          ...(others.put ?? []),
        ],
      });
      if (result.committed) {
        if (changes.length > 0) changed(personId);
        return changes;
      }
      const isOthers = (others.expect ?? []).some((it) => it.collection === result.conflict.collection);
      if (isOthers) return [];
    }
  }

  #change(personId: string, kind: PreferenceKind, wanted: (record: PreferencesRecord) => readonly Wanted[]) {
    const { clock, ids } = this.#ports;
    const origin = { kind, from: 'person', mailId: null } as const;
    return this.update(personId, (record) =>
      applyWanted(record, wanted(record), origin, { now: clock(), ids }),
    );
  }

  async #find(personId: string, id: string): Promise<StoredPreference> {
    const found = (await this.read(personId)).items.find((item) => item.id === id);
    if (!found) throw refusal(REFUSED.preferenceGone);
    return found;
  }

  /** The writes that have the lists shown anew whose mails said what holds for their sender, or no longer does. */
  async #showLists(changes: readonly StoredChange[]): Promise<readonly Put[]> {
    const { store, clock } = this.#ports;
    const said = changes.flatMap(({ before, after }) => after ?? before ?? []).filter((it) => it.sender);
    const told = await store.getMany(mails, [...new Set(said.flatMap(({ mailId }) => mailId ?? []))]);
    return showAnew(
      told.flatMap((one) => one?.value ?? []),
      clock(),
    );
  }

  /** Of what was changed, which and why: not its text, which may name others. */
  async #note(personId: string, changes: readonly StoredChange[]) {
    if (changes.length === 0) return { expect: [], put: [] };
    const actor = await this.#ports.nameActor(personId);
    const notes = changes.map(({ kind, what, why, before, after }) => ({
      threadId: NO_THREAD,
      what: 'preference_changed' as const,
      actor,
      details: { preference: (after ?? before)?.id ?? '', kind, what, why },
    }));
    return this.#ports.audit.append(notes);
  }
}

function readText(text: string): string {
  const words = toPreferenceText(text);
  if (words === '') throw refusal(REFUSED.empty);
  if (text.trim().length > LONGEST.preference) throw refusal(REFUSED.tooLong(LONGEST.preference));
  return words;
}
