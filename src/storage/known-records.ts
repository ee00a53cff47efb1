import { LRUCache } from 'lru-cache';
import { type Row, readRecord } from './driver-support.ts';
import { type Collection, type Ref, ref, refName, type Stored } from './store.ts';

/** How much text of records is remembered with what it says, in characters: some thousand records. */
const MOST_CHARACTERS = 2_000_000;

/** Longer records, such as kept results, are read seldom; in characters. */
const LONGEST_RECORD = 64_000;

interface Known {
  readonly record: Stored<unknown>;
  /** What the row had, packed or not. */
  readonly json: string;
  readonly schema: Collection<unknown>['schema'];
}

/** That there's no such record. */
const ABSENT = Symbol('absent');

/**
 * Records as they were last read from a store: to parse and check one takes longer than to find it. The same value is
 * given to all who ask, so it's frozen.
 */
export class KnownRecords {
  readonly #known = new LRUCache<string, Known | typeof ABSENT>({
    maxSize: MOST_CHARACTERS,
    maxEntrySize: LONGEST_RECORD,
  });

  /** The record as it was last read, null if there was none, or undefined where that isn't known. */
  find<T>(collection: Collection<T>, id: string): Stored<T> | null | undefined {
    const known = this.#known.get(refName(ref(collection, id)));
    if (known === ABSENT) return null;
    return readBy(collection, known);
  }

  /**
   * The record in a row. Throws DamagedRecordError.
   * @param unpack makes JSON of what the row has in its place, and throws where it can't.
   */
  read<T>(collection: Collection<T>, row: Row, unpack = (packed: string) => packed): Stored<T> {
    const name = refName(ref(collection, row.id));
    const known = this.#known.get(name);
    // By its text, too: somebody may have changed it in another way than by a commit.
    if (known !== undefined && known !== ABSENT && known.json === row.json) {
      const record = readBy(collection, known);
      if (record?.version === row.version) return record;
    }
    const record = readRecord(collection, { ...row, json: unpackOrNothing(row.json, unpack) });
    freeze(record.value);
    const { schema } = collection;
    this.#known.set(name, { record, json: row.json, schema }, { size: name.length + row.json.length });
    return record;
  }

  noteAbsent(record: Ref): void {
    const name = refName(record);
    this.#known.set(name, ABSENT, { size: name.length });
  }

  forget(record: Ref): void {
    this.#known.delete(refName(record));
  }

  clear(): void {
    this.#known.clear();
  }
}

/** Undefined where it was read by another schema, as when somebody looks at what none can read. */
function readBy<T>({ schema }: Collection<T>, known: Known | undefined): Stored<T> | undefined {
  // Whatever this schema has read is a T.
  return known?.schema === schema ? (known.record as Stored<T>) : undefined;
}

/** What can't be unpacked is read as what fits no collection. */
function unpackOrNothing(packed: string, unpack: (packed: string) => string): string {
  try {
    return unpack(packed);
  } catch {
    return '';
  }
}

function freeze(value: unknown): void {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return;
  Object.freeze(value);
  for (const part of Object.values(value)) freeze(part);
}
