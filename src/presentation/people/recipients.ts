import type { Json } from '../../lib/json.ts';
import { parseAddresses } from '../../lib/mail/addresses.ts';
import type { Subject } from '../id-names.ts';
import { clip, oneLine, quoteText } from '../text/clip.ts';
import { visible } from '../text/visible.ts';
import { HEADLINE } from '../texts.ts';

/** The longest name and address in a headline, in characters; the arguments below it have all of them. */
const NAME_LENGTH = 40;
const ADDRESS_LENGTH = 80;

/**
 * To whom an answer to a mail goes, for a headline: the first of them, with their name where they wrote that mail, and how many others.
 * Null where it isn't known who wrote it, or `to` is no list of addresses.
 */
export function nameRecipients(to: Json, subject: Subject | null): string | null {
  const from = subject?.shown?.find(({ path }) => path.split('.').at(-1) === 'from')?.value;
  if (typeof from !== 'string' || !Array.isArray(to)) return null;
  const [first, ...others] = to;
  if (typeof first !== 'string') return null;
  const [sender] = parseAddresses(from);
  const address = clip(visible(oneLine(first)), ADDRESS_LENGTH);
  // A name that looks like an address says who it isn't.
  const isNamed = sender?.address === first.toLowerCase() && /^[^@＠﹫]+$/.test(sender.name);
  const who = isNamed
    ? `${quote(clip(visible(oneLine(sender.name)), NAME_LENGTH))} <${address}>`
    : quote(address);
  return `${who}${others.length === 0 ? '' : HEADLINE.andOthers(others.length)}`;
}

function quote(words: string): string {
  return quoteText(words, ['‘', '’']);
}
