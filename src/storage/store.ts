import type { z } from 'zod';
import { StoreError } from '../lib/errors.ts';
import { recordDoesNotFit } from './texts.ts';

/**
 * One part of an index key. Parts compare by type (numbers before strings), then by value: strings by
 * code point. NaN is no part.
 */
export type IndexPart = string | number;
export type IndexKey = readonly IndexPart[];

/**
 * A kind of record. `indexes` maps the name of an index to the key of a record in it;
 * `null` leaves the record out of that index.
 */
export interface Collection<T> {
  readonly name: string;
  readonly schema: z.ZodType<T>;
  readonly indexes: Readonly<Record<string, (value: T) => IndexKey | null>>;
}

/** A record as it was read. `version` is the number of the commit that wrote it: it never repeats. */
export interface Stored<T> {
  readonly id: string;
  readonly version: number;
  readonly value: T;
}

/** The part of an index to read. Ordered by key, then by id; `descending` reverses both. */
export interface Range {
  /** Only keys that begin with these parts. */
  readonly prefix?: IndexKey;
  /** Only keys at or after this one (of the whole key, prefix included). */
  readonly from?: IndexKey;
  /** Only keys before this one (of the whole key, prefix included). */
  readonly before?: IndexKey;
  readonly descending?: boolean;
  /** `next` of an earlier page of the same query. */
  readonly cursor?: string;
}

export interface Page<T> {
  readonly items: readonly Stored<T>[];
  /** Where the next page begins, or null at the end. */
  readonly next: string | null;
}

export interface Ref {
  readonly collection: string;
  readonly id: string;
}

/** A precondition of a commit: the record has this version, or is absent (`null`). */
export interface Expectation extends Ref {
  readonly version: number | null;
}

/** A write, already serialised. Made by {@link put} only. */
export interface Put extends Ref {
  readonly json: string;
  /** Encoded key per index; an index that is missing here does not hold the record. */
  readonly keys: Readonly<Record<string, string>>;
}

/** The preconditions and writes of one commit. No record may appear twice in `put` and `delete`. */
export interface Change {
  readonly expect?: readonly Expectation[];
  readonly put?: readonly Put[];
  readonly delete?: readonly Ref[];
  /**
   * Whoever commits it need not wait for the disk: a cut of the power may take it back, and with it all that is committed
   * after it. For what has no effect outside before a later commit.
   * @default false
   */
  readonly mayBeLost?: boolean;
}

/** `conflict` is the first expectation that did not hold; nothing was written then. */
export type CommitResult =
  | { readonly committed: true; readonly version: number }
  | { readonly committed: false; readonly conflict: Ref };

/** A commit that goes with something else that is written, where the storage can do both at once. */
export interface Along {
  readonly store: Store;
  readonly change: Change;
}

/**
 * The store: typed records, declared indexes, and one atomic `commit`. Every method rejects with StoreError
 * if the store cannot be reached, with DamagedRecordError (a StoreError) for a record that does not fit its
 * collection, and with RangeError if it is misused: an id that {@link checkId} refuses, an index that the
 * collection does not declare, a limit below 1, a record written twice.
 */
export interface Store {
  get<T>(collection: Collection<T>, id: string): Promise<Stored<T> | null>;
  /** Records by id, in the order asked for, null where there is none; one round trip. */
  getMany<T>(collection: Collection<T>, ids: readonly string[]): Promise<(Stored<T> | null)[]>;
  /**
   * At most `limit` records, in index order. Rejects with AppError `bad_cursor` for a cursor that no query
   * returned.
   */
  query<T>(collection: Collection<T>, index: string, range: Range, limit: number): Promise<Page<T>>;
  /**
   * How many records a part of an index has, whatever its order; those behind `atMost` aren't counted, so that a long one
   * costs no more.
   */
  count<T>(
    collection: Collection<T>,
    index: string,
    range: Omit<Range, 'cursor'>,
    atMost: number,
  ): Promise<number>;
  /**
   * Commits atomically: all or nothing. A `put` without an expectation overwrites whatever is there. A
   * StoreError with `outcomeUnknown` means that the answer was lost and the commit may have happened.
   */
  commit(change: Change): Promise<CommitResult>;
  /**
   * Gives space of deleted records, and with it what they held, back to the system, a little at a time; does nothing
   * where a server does that by itself. Resolves with whether there is more to give back.
   */
  reclaim(): Promise<boolean>;
  close(): Promise<void>;
}

/** Declares a collection; exists so that its value type is inferred from its schema. */
export function collection<T>(definition: Collection<T>): Collection<T> {
  return definition;
}

/**
 * The write of one record. Throws StoreError when the value does not fit the collection's schema:
 * better refused now than unreadable later. Fields that the schema does not have are left out, and undefined
 * ones, so that an optional field may be given as undefined.
 */
export function put<T>(into: Collection<T>, id: string, value: T): Put {
  const parsed = into.schema.safeParse(value);
  if (!parsed.success) {
    throw new StoreError(
      recordDoesNotFit(id, into.name),
      new Error(
        parsed.error.issues.map((issue) => `${String(issue.path[0] ?? '')}: ${issue.code}`).join(', '),
      ),
    );
  }
  const keys: Record<string, string> = {};
  for (const [name, keyOf] of Object.entries(into.indexes)) {
    const key = keyOf(parsed.data);
    if (key !== null) keys[name] = encodeKey(key);
  }
  return { collection: into.name, id, json: JSON.stringify(parsed.data), keys };
}

/**
 * Throws RangeError for an id that is empty or holds half of a surrogate pair: stores keep UTF-8, in
 * which all such halves become the same character, so that two ids would name one record.
 */
export function checkId(id: string): void {
  if (id === '' || !id.isWellFormed()) throw new RangeError('A record id is well-formed text and not empty.');
}

export function ref<T>(collection: Collection<T>, id: string): Ref {
  return { collection: collection.name, id };
}

/** One text for a record among those of all collections. */
export function refName({ collection, id }: Ref): string {
  return `${collection}\n${id}`;
}

/** Expects the record to be as it was read. */
export function unchanged<T>(collection: Collection<T>, stored: Stored<T>): Expectation {
  return { collection: collection.name, id: stored.id, version: stored.version };
}

export function absent<T>(collection: Collection<T>, id: string): Expectation {
  return { collection: collection.name, id, version: null };
}

/** Separates the parts of an encoded key; sorts below everything that a part can contain. */
const SEPARATOR = '\u0001';

/**
 * A key as text whose UTF-8 byte order is the key's order, and in which the encoding of a prefix is a
 * prefix of the encoding. Both drivers compare bytes (SQLite BINARY, Redis ZRANGEBYLEX). Half of a
 * surrogate pair counts as U+FFFD, as it does in UTF-8. Throws RangeError for NaN.
 */
export function encodeKey(key: IndexKey): string {
  return key.map((part) => `${encodePart(part)}${SEPARATOR}`).join('');
}

function encodePart(part: IndexPart): string {
  if (typeof part === 'number') return `n${encodeNumber(part)}`;
  return `s${escapeLowest(part.toWellFormed())}`;
}

/** Rewrites the three characters that would collide with the separator; their order stays. */
function escapeLowest(text: string): string {
  // The escape character itself comes first, or it would escape the other escapes.
  return text.replaceAll('\u0002', '\u00022').replaceAll('\u0001', '\u00021').replaceAll('\u0000', '\u00020');
}

const number = new DataView(new ArrayBuffer(8));

/** Sixteen hex digits that sort like the IEEE 754 number they stand for. */
function encodeNumber(value: number): string {
  if (Number.isNaN(value)) throw new RangeError('NaN has no place in an index.');
  // -0 equals 0 but has other bits; adding 0 makes one of both.
  number.setFloat64(0, value + 0);
  const [high, low] = [number.getInt32(0), number.getInt32(4)];
  // The sign is the highest bit: negative numbers, whose bits grow as they fall, are turned over.
  return high < 0 ? hexDigits(~high) + hexDigits(~low) : hexDigits(high | 0x8000_0000) + hexDigits(low);
}

function hexDigits(bits: number): string {
  return (bits >>> 0).toString(16).padStart(8, '0');
}
