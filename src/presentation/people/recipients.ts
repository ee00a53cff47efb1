import type { Json, JsonObject } from '../../lib/json.ts';
import { parseAddresses } from '../../lib/mail/addresses.ts';
import type { Subject } from '../id-names.ts';
import { clip, clipMiddle, oneLine, quoteText } from '../text/clip.ts';
import { visible } from '../text/visible.ts';
import { HEADLINE } from '../texts.ts';

/** The longest name and address in a headline, in characters; the arguments below it have all of them. */
const NAME_LENGTH = 40;
const ADDRESS_LENGTH = 80;

/**
 * To whom an answer to a mail goes, for a headline: the first of them, with their name where they wrote that mail, and how many others,
 * those who get a copy included. Null where it isn't known who wrote it, or `to` is no list of addresses.
 */
export function nameRecipients({ to = null, cc, bcc }: JsonObject, subject: Subject | null): string | null {
  const from = subject?.shown?.find(({ path }) => path.split('.').at(-1) === 'from')?.value;
  if (typeof from !== 'string' || !Array.isArray(to)) return null;
  const [first, ...more] = to;
  if (typeof first !== 'string') return null;
  const [sender] = parseAddresses(from);
  const address = clipMiddle(visible(oneLine(first)), ADDRESS_LENGTH);
  const isNamed =
    sender?.address === first.toLowerCase() && sender.name !== '' && !isLikeAddress(sender.name);
  const others = more.length + count(cc) + count(bcc);
  const who = isNamed
    ? `${quote(clip(visible(oneLine(sender.name)), NAME_LENGTH))} <${address}>`
    : quote(address);
  return `${who}${others === 0 ? '' : HEADLINE.andOthers(others)}`;
}

/** Whether a name says who somebody isn't: it has an at sign, in any form, or what reads as a domain. */
function isLikeAddress(name: string): boolean {
  return /[ⓐⒶ]/.test(name) || /@|[\p{L}\p{N}]\.\p{L}{2,}/u.test(name.normalize('NFKC'));
}

function count(addresses: Json | undefined): number {
  if (typeof addresses === 'string') return parseAddresses(addresses).length;
  return Array.isArray(addresses) ? addresses.length : 0;
}

function quote(words: string): string {
  return quoteText(words, ['‘', '’']);
}
