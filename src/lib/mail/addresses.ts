import { domainToASCII, domainToUnicode } from 'node:url';
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

/** The domain of an address as it's written. */
export function writtenDomain(address: string): string {
  return address.slice(address.lastIndexOf('@') + 1).replace(/\.$/, '');
}

/** The domain of an address for comparing it: in Unicode and small letters, where it's written in its form for DNS, too (RFC 5890). */
export function readDomain(address: string): string {
  const domain = writtenDomain(address);
  if (/^[a-z\d.-]*$/.test(domain) && !domain.includes('xn--')) return domain;
  return domainToUnicode(domainToASCII(domain)) || domain;
}

/** The same for addresses that are one, however their domain is written. */
export function addressKey(address: string): string {
  const small = address.toLowerCase();
  return small.slice(0, small.lastIndexOf('@') + 1) + readDomain(small);
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
  `126.com 163.com abv.bg aliyun.com aol.com aol.de aon.at arcor.de att.net bell.net bellsouth.net
  bigpond.com bk.ru bluewin.ch bol.com.br btinternet.com centrum.cz charter.net comcast.net cox.net daum.net
  duck.com earthlink.net email.com email.cz email.de email.it fastmail.com fastmail.fm foxmail.com free.fr
  freemail.hu freenet.de gmail.com gmx.at gmx.ch gmx.com gmx.de gmx.fr gmx.net gmx.us googlemail.com
  hanmail.net hey.com hotmail.be hotmail.ch hotmail.co.uk hotmail.com hotmail.com.br hotmail.de hotmail.es
  hotmail.fr hotmail.it hotmail.nl hushmail.com icloud.com ig.com.br inbox.com inbox.lv inbox.ru interia.pl
  kpnmail.nl laposte.net libero.it list.ru live.at live.be live.ca live.co.uk live.com live.com.au live.de
  live.fr live.it live.nl mac.com mail.com mail.de mail.ee mail.ru mailbox.org me.com msn.com naver.com
  neuf.fr ntlworld.com o2.pl onet.pl online.de online.no optonline.net orange.fr outlook.at outlook.be
  outlook.com outlook.com.br outlook.de outlook.es outlook.fr outlook.it outlook.jp pm.me posteo.de
  proton.me protonmail.ch protonmail.com qq.com rambler.ru rediffmail.com rocketmail.com sapo.pt
  sbcglobal.net seznam.cz sfr.fr shaw.ca sina.com skynet.be sohu.com t-online.de talktalk.net
  telenet.be terra.com.br tiscali.it tuta.com tuta.io tutanota.com tutanota.de ukr.net uol.com.br
  verizon.net virgilio.it virginmedia.com wanadoo.fr web.de wp.pl xs4all.nl ya.ru yahoo.ca yahoo.co.id
  yahoo.co.in yahoo.co.jp yahoo.co.uk yahoo.com yahoo.com.ar yahoo.com.au yahoo.com.br yahoo.com.mx yahoo.de
  yahoo.es yahoo.fr yahoo.ie yahoo.in yahoo.it yandex.com yandex.ru yeah.net ymail.com ziggo.nl zoho.com
  zoho.eu zohomail.com`.split(/\s+/),
);

/** Whether anybody can have an address at this domain. */
export function isForEverybody(domain: string): boolean {
  return FOR_EVERYBODY.has(domain);
}
