import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** A place in a stack: a file of a bundle, its line and its column. */
const PLACE = /(file:\/\/[^\s()]+\.mjs):(\d+):(\d+)/g;
/** How many places are known at most: the same errors are written again and again. */
const MOST_KNOWN = 1_000;

/** A place in a file; both from 0. */
interface Place {
  readonly line: number;
  readonly column: number;
}

interface Origin extends Place {
  readonly source: string;
}

/** A source map, as far as this reads it (ECMA-426). */
interface SourceMap {
  readonly sources: readonly string[];
  readonly mappings: string;
}

/**
 * Returns what names in a stack the places in the sources instead of those in the bundle, for stacks that somebody reads.
 * It isn't done to each: Node's streams look at the stacks of errors that nobody sees, with every request.
 */
export function createStackReader(): (stack: string) => string {
  const known = new Map<string, string>();
  return (stack) => {
    const places = [...stack.matchAll(PLACE)].map(([place, file = '', line, column]) => {
      return { place, file, at: { line: Number(line) - 1, column: Number(column) - 1 } };
    });
    const unknown = places.filter(({ place }) => !known.has(place));
    if (known.size + unknown.length > MOST_KNOWN) known.clear();
    for (const [file, own] of Map.groupBy(unknown, (one) => one.file)) {
      const map = readMap(file);
      const origins =
        map === null
          ? []
          : findOrigins(
              map,
              own.map(({ at }) => at),
            );
      for (const [index, { place }] of own.entries())
        known.set(place, nameOrigin(file, origins[index]) ?? place);
    }
    return stack.replace(PLACE, (place) => known.get(place) ?? place);
  };
}

function nameOrigin(file: string, origin: Origin | null | undefined): string | null {
  if (!origin) return null;
  return `${fileURLToPath(new URL(origin.source, file))}:${origin.line + 1}:${origin.column + 1}`;
}

/** Null where the map isn't there or can't be read: the stack then names the bundle. */
function readMap(file: string): SourceMap | null {
  try {
    const map = JSON.parse(readFileSync(fileURLToPath(`${file}.map`), 'utf8')) as SourceMap;
    return typeof map.mappings === 'string' && Array.isArray(map.sources) ? map : null;
  } catch {
    return null;
  }
}

const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const BY_CODE = Uint8Array.from({ length: 128 }, (_, code) => DIGITS.indexOf(String.fromCharCode(code)) & 63);
const [COMMA, SEMICOLON] = [44, 59];
/** Of each digit of a number, the bits that are its value, and the one that says that more follow. */
const [VALUE, MORE] = [31, 32];

/**
 * Where places of a file come from, in their order, in one pass over its map; null for one that comes from no source. The map of a bundle
 * has 400,000 segments: Node's `SourceMap` keeps an object for each, which takes half a second in which nothing else is done, and 80 MB.
 */
function findOrigins({ sources, mappings }: SourceMap, places: readonly Place[]): (Origin | null)[] {
  const found: (Origin | null)[] = places.map(() => null);
  const wanted = Map.groupBy(places.entries(), ([, { line }]) => line);
  const last = Math.max(...wanted.keys());
  // Column there, source, line and column in it, and name: each number is the difference to the one before.
  const at = new Int32Array(5);
  let line = 0;
  let field = 0;
  let value = 0;
  let shift = 0;
  for (let index = 0; index <= mappings.length && line <= last; index += 1) {
    const code = index < mappings.length ? mappings.charCodeAt(index) : SEMICOLON;
    if (code === COMMA || code === SEMICOLON) {
      for (const [which, place] of field > 0 ? (wanted.get(line) ?? []) : []) {
        const [column = 0, source = 0, originLine = 0, originColumn = 0] = at;
        if (place.column < column) continue;
        const name = field < 4 ? undefined : sources[source];
        found[which] = name === undefined ? null : { source: name, line: originLine, column: originColumn };
      }
      field = 0;
      if (code === SEMICOLON) {
        line += 1;
        at[0] = 0;
      }
      continue;
    }
    const digit = BY_CODE[code] ?? 0;
    value |= (digit & VALUE) << shift;
    if ((digit & MORE) !== 0) {
      shift += 5;
      continue;
    }
    // The lowest bit is the sign.
    at[field] = (at[field] ?? 0) + ((value & 1) === 0 ? value >>> 1 : -(value >>> 1));
    field += 1;
    value = 0;
    shift = 0;
  }
  return found;
}
