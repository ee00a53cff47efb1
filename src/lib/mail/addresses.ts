import addressparser from 'nodemailer/lib/addressparser';
import { decodeText } from '../text/decode.ts';
import { toOneLine } from '../unicode.ts';

/** Somebody whom a header of a mail names. */
export interface MailAddress {
  /** Empty if there's none. It's whatever its writer likes. */
  readonly name: string;
  /** In lower case: no mail server that people use tells `Bob@` from `bob@`. */
  readonly address: string;
}

/** Most characters of a header that are read. */
const LONGEST_HEADER = 50_000;

/** Those whom a header such as `To` names, with the members of its groups (RFC 5322, 3.4). What isn't an address is left out. */
export function parseAddresses(header: string): MailAddress[] {
  return addressparser(header.slice(0, LONGEST_HEADER), { flatten: true })
    .map(({ name, address }) => ({
      name: toOneLine(decodeWords(name)),
      address: toOneLine(address).toLowerCase(),
    }))
    .filter(({ address }) => /^[^\s@].*@[^\s@]+$/.test(address));
}

/** A header's text with its encoded words read (RFC 2047), which not every API does. */
function decodeWords(text: string): string {
  return text
    .replace(/\?=\s+=\?/g, '?==?')
    .replace(
      /=\?([\w-]{1,40})(?:\*[\w-]{1,20})?\?([bq])\?([^?\s]{0,1000})\?=/gi,
      (_word, charset: string, encoding: string, encoded: string) => {
        const isBase64 = encoding.toLowerCase() === 'b';
        return decodeText(isBase64 ? Buffer.from(encoded, 'base64') : fromQuotedPrintable(encoded), charset);
      },
    );
}

function fromQuotedPrintable(text: string): Buffer {
  const binary = text
    .replaceAll('_', ' ')
    .replace(/=([\da-f]{2})/gi, (_escape, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
  return Buffer.from(binary, 'latin1');
}

/** The domain of an address, in Unicode where it's in its form for DNS. */
export function readDomain(address: string): string {
  return address.slice(address.lastIndexOf('@') + 1).replace(/\.$/, '');
}

/** Whether two domains are surely of one organisation: they're the same below the part that registries give away. */
export function isSameOrganisation(one: string, other: string): boolean {
  return organisation(one) === organisation(other);
}

/**
 * The part of a domain that somebody has registered, as far as that can be told without a list of all registries: two labels, or
 * three below ones such as `co.uk`.
 */
export function organisation(domain: string): string {
  const labels = domain.split('.');
  const isShared =
    /^(?:ac|co|com|edu|gov|ne|net|or|org)$/.test(labels.at(-2) ?? '') && labels.at(-1)?.length === 2;
  return labels.slice(isShared ? -3 : -2).join('.');
}

/** Domains where everybody can have an address, so that two of one don't belong together. */
const FOR_EVERYBODY = new Set(
  `aol.com fastmail.com free.fr gmail.com gmx.at gmx.ch gmx.com gmx.de gmx.net googlemail.com hey.com hotmail.com icloud.com
  laposte.net libero.it live.com mac.com mail.com mail.ru me.com msn.com orange.fr outlook.com pm.me proton.me protonmail.com
  qq.com t-online.de web.de yahoo.com yahoo.co.jp yahoo.co.uk yandex.ru ymail.com zoho.com 126.com 163.com`.split(
    /\s+/,
  ),
);

/** Whether anybody can have an address at this domain. */
export function isForEverybody(domain: string): boolean {
  return FOR_EVERYBODY.has(domain);
}
