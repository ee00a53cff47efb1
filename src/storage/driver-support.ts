import { z } from 'zod';
import { AppError, DamagedRecordError } from '../lib/errors.ts';
import { type Change, type Collection, checkId, encodeKey, type Range, type Stored } from './store.ts';
import { NO_SUCH_PAGE } from './texts.ts';

/** A record as a driver keeps it. */
export interface Row {
  readonly id: string;
  readonly version: number;
  readonly json: string;
}

/** A position in an index, as a cursor encodes it. */
interface Position {
  readonly key: string;
  readonly id: string;
}

/** A range in encoded keys: at or after `lower`, before `upper`, and past `after`, which lies between them. */
export interface Bounds {
  readonly lower: string;
  readonly upper: string;
  readonly descending: boolean;
  readonly after: Position | null;
}

/** Above every encoded key: each part begins with `n` or `s`. */
const ABOVE_ALL_KEYS = 't';

/**
 * The range of a query as encoded keys. Throws RangeError for an index that the collection does not
 * declare or a limit that is not a positive integer, and AppError `bad_cursor` for a cursor that no query gave out.
 */
export function toBounds<T>(collection: Collection<T>, index: string, range: Range, limit: number): Bounds {
  if (!Object.hasOwn(collection.indexes, index)) {
    throw new RangeError(`The collection ${collection.name} declares no index named ${index}.`);
  }
  if (!Number.isInteger(limit) || limit < 1)
    throw new RangeError(`A query's limit is 1 or more, not ${limit}.`);
  const prefix = encodeKey(range.prefix ?? []);
  const from = range.from === undefined ? '' : encodeKey(range.from);
  const before = range.before === undefined ? ABOVE_ALL_KEYS : encodeKey(range.before);
  const pastPrefix = prefix === '' ? ABOVE_ALL_KEYS : `${prefix.slice(0, -1)}\u0002`;
  const lower = byteOrder(prefix, from) < 0 ? from : prefix;
  const upper = byteOrder(pastPrefix, before) < 0 ? pastPrefix : before;
  const after = range.cursor === undefined ? null : decodeCursor(range.cursor);
  // A cursor can come from outside, and must not widen the query's own range.
  if (after !== null && (byteOrder(after.key, lower) < 0 || byteOrder(after.key, upper) >= 0))
    throw badCursor();
  return { lower, upper, descending: range.descending ?? false, after };
}

/** UTF-8 byte order, which is code point order; `<` on strings is UTF-16's and differs past the BMP. */
export function byteOrder(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

const positionSchema = z.tuple([z.string(), z.string()]);

export function encodeCursor(position: Position): string {
  return Buffer.from(JSON.stringify([position.key, position.id])).toString('base64url');
}

function decodeCursor(cursor: string): Position {
  const position = positionSchema.safeParse(parseJson(Buffer.from(cursor, 'base64url').toString()));
  if (!position.success) throw badCursor();
  const [key, id] = position.data;
  return { key, id };
}

function badCursor(): AppError {
  return new AppError({
    code: 'bad_cursor',
    userMessage: NO_SUCH_PAGE,
  });
}

/** A record as its collection describes it. Throws DamagedRecordError, without the record's content, when it does not fit. */
export function readRecord<T>(collection: Collection<T>, row: Row): Stored<T> {
  const value = collection.schema.safeParse(parseJson(row.json));
  if (!value.success) throw new DamagedRecordError(collection.name, row.id);
  return { id: row.id, version: row.version, value: value.data };
}

/** Undefined, which fits no record's schema, when the text is not JSON: V8's error would quote the content. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Throws RangeError if a change writes one record twice, as it's undefined which one wins. */
export function checkChange(change: Change): void {
  const written = new Set<string>();
  for (const ref of [...(change.put ?? []), ...(change.delete ?? [])]) {
    checkId(ref.id);
    const name = JSON.stringify([ref.collection, ref.id]);
    if (written.has(name)) throw new RangeError(`One change writes ${ref.id} in ${ref.collection} twice.`);
    written.add(name);
  }
  for (const ref of change.expect ?? []) checkId(ref.id);
}
