import { posix } from 'node:path';
import { domainToASCII, domainToUnicode } from 'node:url';
import { DROPPED_BY_TOOLS } from '../../../lib/unicode.ts';

/**
 * The text as a tool may normalize it: compatibility forms resolved, invisible characters and outer blanks
 * removed.
 */
export function normalizeText(text: string): string {
  return text.replace(/\s+/gu, ' ').replace(DROPPED_BY_TOOLS, '').normalize('NFKC').trim();
}

/** {@link normalizeText}, ignoring case; a dotted capital I is an `i`, as for programs that lower it. */
export function foldText(text: string): string {
  return normalizeText(text).toUpperCase().toLowerCase().replaceAll('i\u0307', 'i');
}

/**
 * A tool's or an argument's name, as programs compare names that take them for the same: ignoring case, width
 * and what joins its words.
 *
 * @example
 * foldName('DeleteAll'); // 'delete_all', as of `delete-all` and `Delete_All`
 */
export function foldName(name: string): string {
  return foldText(name.replace(/(?<=[\p{Ll}\p{N}])(?=\p{Lu})/gu, '_')).replace(/[\s_-]+/g, '_');
}

/** A text that was encoded more often isn't decoded to its end by any program known. */
const MOST_DECODINGS = 3;

/** The text without percent-encoding; what isn't UTF-8 stays. */
export function decodePercent(text: string): string {
  let read = text;
  for (let round = 0; round < MOST_DECODINGS && /%u?[0-9a-f]{2}/i.test(read); round += 1) {
    read = read
      .replace(/%u([0-9a-f]{4})/gi, (_, digits: string) => String.fromCodePoint(Number.parseInt(digits, 16)))
      .replace(/(?:%[0-9a-f]{2})+/gi, decodeRun);
  }
  return read;
}

function decodeRun(written: string): string {
  try {
    return decodeURIComponent(written);
  } catch {
    return written;
  }
}

/** How a text is split at commas and the like: where items are single words, since others are usually prose. */
type Splitting = 'never' | 'words' | 'always';

/**
 * Everything that some program takes from the text instead of it: what it encodes, the items of a list, the
 * addresses of people, a host or URL in its usual form, a path without detours, each also without the quotes,
 * brackets and full stops around it. They can turn “not met” into unclear, and never decide.
 *
 * @returns null for a text of more than `most` items and addresses.
 */
export function listReadings(
  text: string,
  { split, most }: { readonly split: Splitting; readonly most: number },
): readonly string[] | null {
  const parts = [text, decodePercent(normalizeText(text))].flatMap((it) => {
    const whole = normalizeText(it);
    return [whole, ...listItems(it, split), ...listAddresses(whole)];
  });
  if (new Set(parts).size > most) return null;
  const bare = new Set(parts.flatMap((part) => [part, unwrap(part)]));
  return [...new Set([...bare].flatMap((part) => [part, ...listForms(part)]))].filter((it) => it !== '');
}

function listItems(text: string, split: Splitting): readonly string[] {
  if (split === 'never') return [];
  const items = text.split(/[,;|\n]/).map(normalizeText);
  return split === 'always' || items.every((item) => !item.includes(' ')) ? items : [];
}

const BETWEEN_ADDRESSES = /[^\p{L}\p{N}\p{M}._%+@-]+/u;

/**
 * The addresses in a text, such as `eve@evil.test` in `Eve <eve@evil.test>, mailto:bob@example.com`. Comments,
 * quotes and backslashes are left out, and so are blanks around an `@` and dots (RFC 5322, 3.4.1 and 4.4). Of
 * `a@b@c` both `a@b` and `b@c`, since programs take either.
 */
export function listAddresses(text: string): readonly string[] {
  if (!text.includes('@')) return [];
  const bare = text.replace(/\((?:[^()]|\([^()]*\))*\)/g, ' ').replace(/["\\]/g, '');
  const tight = bare.replace(/\s*([@.])\s*/g, '$1');
  const words = [bare.replace(/\s*@\s*/g, '@'), tight].flatMap((it) => it.split(BETWEEN_ADDRESSES));
  const addresses = words
    .map((word) => word.split('@'))
    .flatMap((pieces) => pieces.slice(1).map((domain, index) => `${pieces[index]}@${unwrap(domain)}`));
  return [...new Set(addresses)];
}

const AROUND = new Set('"\'`<>()[]{} ');
const AFTER = new Set([...AROUND, ...',;.']);

/** The text without what is written around it, or after it in a sentence. */
function unwrap(text: string): string {
  return trimSigns(text, AROUND, AFTER);
}

/** The text without these signs before and after it; in linear time, as no pattern that ends in `$` takes. */
export function trimSigns(text: string, before: ReadonlySet<string>, after: ReadonlySet<string>): string {
  let [start, end] = [0, text.length];
  while (start < end && before.has(text.charAt(start))) start += 1;
  while (start < end && after.has(text.charAt(end - 1))) end -= 1;
  return text.slice(start, end);
}

/** Hosts, URLs and paths that are the same in another form. */
function listForms(text: string): readonly string[] {
  if (text.includes(' ')) return [];
  if (/[/\\]/.test(text)) return [...urlForms(text), ...pathForms(text)];
  // The platform would cut a host off there.
  if (/[?#:%]/.test(text)) return [];
  const at = text.lastIndexOf('@') + 1;
  return [domainToUnicode, domainToASCII]
    .map((convert) => convert(text.slice(at)))
    .flatMap((host) => (host === '' ? [] : [`${text.slice(0, at)}${host}`]));
}

function urlForms(text: string): readonly string[] {
  if (!/^[a-z][\w+.-]*:[/\\]/i.test(text) || !URL.canParse(text)) return [];
  const url = new URL(text);
  url.username = '';
  url.password = '';
  url.hash = '';
  url.hostname = url.hostname.replace(/\.$/, '');
  const written = decodePercent(url.href);
  return [written, written.replace(/[/?]+$/, '')];
}

function pathForms(text: string): readonly string[] {
  if (!/[/\\]/.test(text)) return [];
  const path = posix.normalize(text.replaceAll('\\', '/'));
  return [path, path.replace(/(?<=.)\/+$/, '')];
}
