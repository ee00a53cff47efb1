import type { Json } from '../../../lib/json.ts';
import { addressKind, embeddedIpv4 } from '../../../lib/net/ip-ranges.ts';
import { consensus, type Truth } from './tristate.ts';

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
/** Some programs drop the dots around it. */
const EMPTY_LABEL = /^\.|\.\.|\.$/;
/** No host name is longer (RFC 1035, 2.3.4), and some programs truncate those that are. */
const MAX_HOST = 253;

/**
 * Whether the value is an http or https URL of one of these hosts, on any port. Unclear where programs may
 * disagree about the host, and for another name or address of the same machine. Names aren't looked up.
 *
 * @param hosts as {@link readHostPattern} returns them.
 */
export function matchHost(hosts: readonly string[], value: Json): Truth {
  if (typeof value !== 'string' || /[\\\s\p{C}]/u.test(value)) return 'unclear';
  const { authority, more } = /^https?:\/\/(?<authority>[^/?#]+)(?<more>[^/]*)/i.exec(value)?.groups ?? {};
  // A user name serves only to mislead here, and some programs look for one behind a ? or # too.
  if (authority === undefined || more?.includes('@')) return 'unclear';
  // The letters that IDNA 2003 replaced, and 2008 doesn't (UTS 46, 6.1).
  const earlier = authority.replace(/[ßẞ]/g, 'ss').replaceAll('ς', 'σ');
  return consensus([authority, earlier].map((read) => matchAuthority(hosts, read)));
}

function matchAuthority(hosts: readonly string[], authority: string): Truth {
  const host = readPlainHost(authority);
  if (host === null) return 'unclear';
  if (hosts.some((wanted) => (wanted.startsWith('*.') ? host.endsWith(wanted.slice(1)) : host === wanted)))
    return 'met';
  const machine = nameMachine(host);
  return hosts.some((wanted) => nameMachine(wanted) === machine) ? 'unclear' : 'not_met';
}

const LOCAL_NAME = /^(?:.+\.)?localhost(?:\.localdomain)?$|^ip6-(?:localhost|loopback)$/;

/** One name for all that a host is certainly also called: an embedded IPv4 address, and this machine. */
function nameMachine(host: string): string {
  const address = host.replace(/^\[|\]$/g, '');
  if (LOCAL_NAME.test(address) || addressKind(address) === 'loopback') return 'localhost';
  const ipv4 = embeddedIpv4(address) ?? address;
  // What is connected to there is this machine.
  return ipv4 === '0.0.0.0' ? 'localhost' : ipv4;
}

/** The host, if every program reads the same one. */
function readPlainHost(authority: string): string | null {
  if (!PLAIN_AUTHORITY.test(authority)) return null;
  const host = readHost(`https://${authority}/`);
  if (host === null || host.length > MAX_HOST || !PLAIN_HOST.test(host) || EMPTY_LABEL.test(host))
    return null;
  const written = authority.replace(/:\d*$/, '').replace(/\.$/, '').toLowerCase();
  // Some programs read `0x7f.1` as 127.0.0.1, others as a name.
  const isRespelled = /[^\0-\x7F]/.test(written) && !/^[\d.]+$|^\[/.test(host);
  return isRespelled || written === host ? host : null;
}

function readHost(address: string): string | null {
  if (!URL.canParse(address)) return null;
  return new URL(address).hostname.replace(/\.$/, '') || null;
}
