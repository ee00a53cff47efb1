import type { Json } from '../../lib/json.ts';
import { matchText } from './match-text.ts';
import { anyOf, type Truth, toTruth } from './tristate.ts';

/** A value that conditions compare with. */
type Scalar = string | number | boolean | null;

/** A double holds fifteen digits exactly. */
const MAX_DIGITS = 15;
const PLAIN_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/;
/** `1.000` is one, or a thousand where the point separates thousands. */
const TWO_READINGS = /^-?[1-9]\d{0,2}\.\d{3}$/;

/**
 * The number that the value certainly is, else null: a JSON number, or a text such as `1200` or `-3.50` with
 * only one reading. `1,000.00`, `1.000`, `1e309`, `0x10` and ` 5` are none.
 */
export function readNumber(value: Json): number | null {
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (typeof value !== 'string' || !PLAIN_NUMBER.test(value) || TWO_READINGS.test(value)) return null;
  return value.replace(/\D/g, '').length > MAX_DIGITS ? null : Number(value);
}

/** Whether the value equals this one. Numbers, texts and booleans never equal one another. */
export function matchEqual(wanted: Scalar, value: Json): Truth {
  if (wanted === null) return toTruth(value === null);
  switch (typeof wanted) {
    case 'number':
      return matchNumber((number) => number === wanted, value);
    case 'boolean':
      return typeof value === 'boolean' ? toTruth(value === wanted) : 'unclear';
    case 'string':
      return typeof value === 'string' ? matchText(wanted, value) : 'unclear';
  }
}

/** Whether the value equals one of these; see {@link matchEqual}. */
export function matchOneOf(wanted: readonly Scalar[], value: Json): Truth {
  return anyOf(wanted.map((each) => matchEqual(each, value)));
}

/** Whether a number meets the test; unclear if {@link readNumber} reads none. */
export function matchNumber(holds: (number: number) => boolean, value: Json): Truth {
  const number = readNumber(value);
  return number === null ? 'unclear' : toTruth(holds(number));
}

/** Whether the value is longer than `limit`, in items of a list or characters (code points) of a text. */
export function matchLongerThan(limit: number, value: Json): Truth {
  if (Array.isArray(value)) return toTruth(value.length > limit);
  return typeof value === 'string' ? toTruth([...value].length > limit) : 'unclear';
}

/**
 * Parses `example.com`, or `*.example.com` for the hosts below it, into the browsers' spelling; null when it
 * is no host.
 */
export function readHostPattern(text: string): string | null {
  const below = text.startsWith('*.');
  const written = below ? text.slice(2) : text;
  if (/[/\\?#@:*\s]/.test(written.replace(/^\[[0-9a-f:.]+\]$/i, ''))) return null;
  const host = readHost(`https://${written}/`);
  return host === null ? null : `${below ? '*.' : ''}${host}`;
}

/** A host and port with only one reading; IDNA spells the letters of other alphabets. */
const PLAIN_AUTHORITY = /^(?:[\w.-]|[^\0-\x7F])+(?::\d*)?$|^\[[\da-f:.]+\](?::\d*)?$/i;
const PLAIN_HOST = /^[a-z\d._-]+$|^\[[\da-f:]+\]$/;
/** No host name is longer (RFC 1035, 2.3.4), and some programs truncate those that are. */
const MAX_HOST = 253;

/**
 * Whether the value is an http or https URL of one of these hosts, on any port. Unclear where programs may
 * disagree about the host.
 *
 * @param hosts as {@link readHostPattern} returns them.
 */
export function matchHost(hosts: readonly string[], value: Json): Truth {
  if (typeof value !== 'string' || /[\\\s\p{C}]/u.test(value)) return 'unclear';
  const { authority, more } = /^https?:\/\/(?<authority>[^/?#]+)(?<more>[^/]*)/i.exec(value)?.groups ?? {};
  // A user name serves only to mislead here, and some programs look for one behind a ? or # too.
  if (authority === undefined || more?.includes('@')) return 'unclear';
  const host = readPlainHost(authority);
  if (host === null) return 'unclear';
  return toTruth(
    hosts.some((wanted) => (wanted.startsWith('*.') ? host.endsWith(wanted.slice(1)) : host === wanted)),
  );
}

/** The host, if every program reads the same one. */
function readPlainHost(authority: string): string | null {
  if (!PLAIN_AUTHORITY.test(authority)) return null;
  const host = readHost(`https://${authority}/`);
  if (host === null || host.length > MAX_HOST || !PLAIN_HOST.test(host)) return null;
  const written = authority.replace(/:\d*$/, '').replace(/\.$/, '').toLowerCase();
  // Some programs read `0x7f.1` as 127.0.0.1, others as a name.
  const isRespelled = /[^\0-\x7F]/.test(written) && !/^[\d.]+$|^\[/.test(host);
  return isRespelled || written === host ? host : null;
}

function readHost(address: string): string | null {
  if (!URL.canParse(address)) return null;
  return new URL(address).hostname.replace(/\.$/, '') || null;
}
