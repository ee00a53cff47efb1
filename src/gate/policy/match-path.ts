import type { Json } from '../../lib/json.ts';
import { UNPRINTABLE } from '../../lib/unicode.ts';
import { foldText } from './match-text.ts';
import { anyOf, consensus, type Truth, toTruth } from './tristate.ts';

/** A path without `.`, `..` and doubled separators. Links aren't followed: nothing here reads a disk. */
interface PlainPath {
  /** `/`, a drive such as `C:`, or empty for a path relative to a folder that only the tool knows. */
  readonly root: string;
  readonly names: readonly string[];
}

type PathSystem = 'posix' | 'windows';
const SEPARATOR: Record<PathSystem, RegExp> = { posix: /\//, windows: /[/\\]/ };

/** Text that shells and servers may expand: `~`, `$HOME`, `%2e`, `%TEMP%`, `*`, `{a,b}`. */
const REPLACED = /[~$`*{]|%(?:u?[0-9a-f]{2}|\w+%)/i;
/** `file:` and other schemes; a single letter is a drive. */
const SCHEME = /^[a-z][\w+.-]+:/i;
const DRIVE = /^[a-z]:$/i;
/** Windows drops dots and blanks at the end of a name. */
const DROPPED_END = /[.\s]$/;

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
      if (DROPPED_END.test(part)) return null;
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
  return consensus(
    systems.flatMap((system) => listReadings(value).map((text) => below(base, readPath(text, system)))),
  );
}

/** How a tool may read the text: as written, in compatibility form (`‥` is `..`), and both without `;x`. */
function listReadings(value: string): readonly string[] {
  const compatible = value.normalize('NFKC');
  const texts = [value, compatible].flatMap((text) => [text, text.replace(/;[^/\\]*/g, '')]);
  return [...new Set(texts)];
}

function below(base: PlainPath, path: PlainPath | null): Truth {
  if (path === null || path.names[0] === '..') return 'unclear';
  if (path.root !== base.root) {
    return DRIVE.test(path.root) && DRIVE.test(base.root) ? 'not_met' : 'unclear';
  }
  const begins = (form: (name: string) => string) =>
    base.names.every((name, index) => form(path.names[index] ?? '') === form(name));
  return consensus([toTruth(begins((name) => name)), toTruth(begins(foldText))]);
}
