import type { Json } from '../../../lib/json.ts';
import { UNPRINTABLE } from '../../../lib/unicode.ts';
import { foldText } from './readings.ts';
import { anyOf, consensus, type Truth, toTruth } from './tristate.ts';

/** A path without `.`, `..` and doubled separators. Links aren't followed: nothing here reads a disk. */
interface PlainPath {
  /** `/`, a drive such as `C:`, or empty for a path relative to a folder that only the tool knows. */
  readonly root: string;
  readonly names: readonly string[];
}

type PathSystem = 'posix' | 'windows';
const SEPARATOR: Record<PathSystem, RegExp> = { posix: /\//, windows: /[/\\]/ };

/** Text that shells and servers may expand: `~`, `$HOME`, `%2e`, `%TEMP%`, `*`, `{a,b}`; Windows' wildcards `<` and `>`. */
const REPLACED = /[~$`*{<>]|%(?:u?[0-9a-f]{2}|\w+%)/i;
/** `file:` and other schemes; a single letter is a drive. */
const SCHEME = /^[a-z][\w+.-]+:/i;
const DRIVE = /^[a-z]:$/i;
/** Windows drops dots and blanks at the end of a name. */
const DROPPED_END = /[.\s]$/;
/** Wildcards that are ordinary characters of names too: `?`, and the classes and groups of shells. */
const WILDCARD = /[?[(]/;
/** A name that such a wildcard can turn into `..`: `.?`, `.[.]` (its class read as a `?`), `+(.)`. */
const MAY_LEAD_UP = /^[.?\]]{2,}$|^[.?@+!|()]*\([.?@+!|()]*$/;
/** Folders that lead to others on many systems: `/proc/self/root/etc`, and `/private/etc` on a Mac, are `/etc`. */
const DETOUR = /^\/(?:proc\/[^/]+(?:\/task\/[^/]+)?\/root|private|System\/Volumes\/Data)(?=\/|$)/i;
/** Links that lead anywhere: to a process's current folder, and its open files. */
const ANYWHERE =
  /^\/(?:proc\/[^/]+(?:\/task\/[^/]+)?\/(?:cwd|fd|exe|map_files)|dev\/(?:fd|stdin|stdout|stderr))(?:\/|$)/i;

/** The path as this system reads it; null when that isn't certain. */
export function readPath(text: string, system: PathSystem): PlainPath | null {
  if (text === '' || UNPRINTABLE.test(text) || REPLACED.test(text) || SCHEME.test(text)) return null;
  const [first = '', ...others] = text.split(SEPARATOR[system]);
  // `C:name` is relative to a folder of that drive, and `//name` is another machine.
  if (DRIVE.test(first)) return others.length > 0 ? named(first.toUpperCase(), others) : null;
  if (/^[a-z]:/i.test(first)) return null;
  if (first !== '') return named('', [first, ...others]);
  return others.length > 1 && others[0] === '' ? null : named('/', others);
}

function named(root: string, parts: readonly string[]): PlainPath | null {
  const names: string[] = [];
  for (const part of parts) {
    if (part === '' || part === '.') continue;
    if (part !== '..') {
      if (DROPPED_END.test(part) || mayLeadUp(part)) return null;
      // On Windows, `name:stream` is the file `name`.
      if (DRIVE.test(root) && part.includes(':')) return null;
      names.push(part);
    } else if (names.length > 0 && names.at(-1) !== '..') {
      names.pop();
    } else if (root === '') {
      names.push(part);
    }
  }
  return { root, names };
}

function mayLeadUp(name: string): boolean {
  return WILDCARD.test(name) && MAY_LEAD_UP.test(name.replace(/\[[^\]]*\]+/g, '?'));
}

/** The system that an operator's folder is for: Windows if it has a drive or a backslash. */
export function detectPathSystem(folder: string): PathSystem {
  return /^[a-z]:|\\/i.test(folder) ? 'windows' : 'posix';
}

/**
 * Whether the value is one of the folders, or a path below one.
 *
 * Unclear when systems read the value differently: `..\`, full-width dots and `..;` lead up on some, and `A`
 * and `a` are one name on some. A relative value is compared with relative folders only.
 */
export function matchFolder(folders: readonly string[], value: Json): Truth {
  if (typeof value !== 'string') return 'unclear';
  return anyOf(folders.map((folder) => underOne(folder, value)));
}

function underOne(folder: string, value: string): Truth {
  const meant = detectPathSystem(folder);
  const base = readPath(folder, meant);
  if (base === null) return 'unclear';
  // Slashes alone don't tell which system the tool runs on.
  const systems: readonly PathSystem[] = meant === 'windows' ? ['windows'] : ['posix', 'windows'];
  const found = consensus(
    systems.flatMap((system) =>
      listReadings(value, system).map((text) => below(base, readPath(text, system))),
    ),
  );
  if (found !== 'not_met' || meant === 'windows') return found;
  const path = readPath(value, meant);
  const isElsewhere = path !== null && !ANYWHERE.test(write(path));
  return isElsewhere && below(withoutDetour(base), withoutDetour(path)) === 'not_met' ? 'not_met' : 'unclear';
}

function write({ root, names }: PlainPath): string {
  return `${root}${names.join('/')}`;
}

function withoutDetour(path: PlainPath): PlainPath {
  const [written, direct] = [write(path), write(path).replace(DETOUR, '') || '/'];
  return written === direct ? path : (readPath(direct, 'posix') ?? path);
}

/**
 * How a tool may read the text: as written, in compatibility form (`‥` is `..`), each without `;x`, up to a `?`
 * or `#` as in a URL, and without quotes and, where they separate nothing, backslashes, as in a shell.
 */
function listReadings(value: string, system: PathSystem): readonly string[] {
  const quotes = system === 'posix' ? /["'\\]/g : /["']/g;
  const texts = [value, value.normalize('NFKC')].flatMap((text) => [
    text,
    text.replace(/;[^/\\]*/g, ''),
    text.replace(/\s*[?#].*$/s, ''),
    text.replace(quotes, ''),
  ]);
  return [...new Set(texts)];
}

function below(base: PlainPath, path: PlainPath | null): Truth {
  if (path === null || path.names[0] === '..') return 'unclear';
  if (path.root !== base.root) {
    return DRIVE.test(path.root) && DRIVE.test(base.root) ? 'not_met' : 'unclear';
  }
  const begins = (form: (name: string) => string) =>
    base.names.every((name, index) => form(path.names[index] ?? '') === form(name));
  const found = consensus([toTruth(begins((name) => name)), toTruth(begins(foldText))]);
  // A wildcard there may stand for the folder's name.
  const isWild = base.names.some((_, index) => WILDCARD.test(path.names[index] ?? ''));
  return found === 'not_met' && isWild ? 'unclear' : found;
}
