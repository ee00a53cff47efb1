import type { z } from 'zod';

/** One part of an index key. Parts compare by type (numbers before strings), then by value. */
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

/** Which part of an index to read. Order is by key, then by id; `descending` turns both around. */
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

/** What must be true for a commit to happen: the record has this version, or is absent (`null`). */
export interface Expectation extends Ref {
  readonly version: number | null;
}

/** A write, already serialised. Made by {@link put} only. */
export interface Put extends Ref {
  readonly json: string;
  /** Encoded key per index; an index that is missing here does not hold the record. */
  readonly keys: Readonly<Record<string, string>>;
}

export interface Change {
  readonly expect?: readonly Expectation[];
  readonly put?: readonly Put[];
  readonly delete?: readonly Ref[];
}

/** `conflict` is the first expectation that did not hold; nothing was written then. */
export type CommitResult =
  | { readonly committed: true; readonly version: number }
  | { readonly committed: false; readonly conflict: Ref };

/**
 * The store: typed records, declared indexes, and one atomic `commit`.
 * Every method rejects with StoreError when the store cannot be reached.
 */
export interface Store {
  get<T>(collection: Collection<T>, id: string): Promise<Stored<T> | null>;
  /** Records by id, in the order asked for, null where there is none; one round trip. */
  getMany<T>(collection: Collection<T>, ids: readonly string[]): Promise<(Stored<T> | null)[]>;
  query<T>(collection: Collection<T>, index: string, range: Range, limit: number): Promise<Page<T>>;
  /** All or nothing. A record that is put and not expected is overwritten whatever it was. */
  commit(change: Change): Promise<CommitResult>;
  close(): Promise<void>;
}

/** Declares a collection; exists so that its value type is inferred from its schema. */
export function collection<T>(definition: Collection<T>): Collection<T> {
  return definition;
}

/** The write of one record. Throws when the value does not fit the collection's schema. */
export function put<T>(into: Collection<T>, id: string, value: T): Put {
  const keys: Record<string, string> = {};
  for (const [name, keyOf] of Object.entries(into.indexes)) {
    const key = keyOf(value);
    if (key !== null) keys[name] = encodeKey(key);
  }
  return { collection: into.name, id, json: JSON.stringify(value), keys };
}

export function ref<T>(collection: Collection<T>, id: string): Ref {
  return { collection: collection.name, id };
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
 * A key as text whose byte order is the key's order, and in which the encoding of a prefix is a
 * prefix of the encoding. Both drivers compare bytes (SQLite BINARY, Redis ZRANGEBYLEX).
 */
export function encodeKey(key: IndexKey): string {
  return key.map((part) => `${encodePart(part)}${SEPARATOR}`).join('');
}

function encodePart(part: IndexPart): string {
  if (typeof part === 'number') return `n${encodeNumber(part)}`;
  // \u0000-\u0002 would collide with the separator or upset SQLite's text functions.
  return `s${part.replace(/[\u0000-\u0002]/g, (c) => `\u0002${String.fromCharCode(c.charCodeAt(0) + 0x30)}`)}`;
}

/** Sixteen hex digits that sort like the IEEE 754 number they stand for. */
function encodeNumber(value: number): string {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  const bits = view.getBigUint64(0);
  const sortable = bits >> 63n ? ~bits & 0xffffffffffffffffn : bits | (1n << 63n);
  return sortable.toString(16).padStart(16, '0');
}
