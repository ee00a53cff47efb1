import {
  isForEverybody,
  isSameOrganisation,
  type MailAddress,
  parseAddresses,
  readDomain,
} from './addresses.ts';
import { findLookAlike, isLookAlikeOf, isSameName, keepSkeletons } from './look-alike.ts';
import { mailTexts } from './texts.ts';

/** Longest address in a sentence, in characters. */
const LONGEST_SHOWN = 100;
/**
 * Most people of a conversation that others are compared with, those who were in it first: a mail can name thousands, and nobody who
 * comes later can push them out.
 */
const MOST_COMPARED = 200;
/** Most addresses for answers that get a sentence each. */
const MOST_ELSEWHERE = 3;

interface SenderFacts {
  /** The headers. */
  readonly from: string;
  readonly replyTo: string;
  /** To whom it's sent: the owner's name may stand there. */
  readonly to: string;
  /** Addresses of the mailbox's owner. */
  readonly own: readonly string[];
  /** Those of the conversation before this mail; empty for its first. */
  readonly before: readonly MailAddress[];
  /** Whether the owner wrote it, by where the server keeps it: what stands in `From`, whoever wrote it has put there. */
  readonly isOwn: boolean;
}

/** What people should know of a mail's sender before they answer, as sentences without full stops: what looks like somebody else. */
export function senderWarnings({ from, replyTo, to, own, before, isOwn }: SenderFacts): string[] {
  const senders = parseAddresses(from);
  const [sender] = senders;
  if (!sender) return [];
  const { address } = sender;
  const shown = addressIn(sender.name);
  const mine = own.map((one) => one.toLowerCase());
  const earlier = [...new Set(before.map((one) => one.address))].filter((one) => one !== address);
  const people = [...before, ...parseAddresses(to).filter((one) => mine.includes(one.address))];
  const namesake = mine.includes(address) ? undefined : findNamesake(sender, people);
  const borrowed = isOwn ? undefined : senders.find((one) => mine.includes(one.address));
  const elsewhere = parseAddresses(replyTo).filter((one) => isElsewhere(one.address, address));
  return [
    ...(shown !== null && shown !== address ? [mailTexts.otherName(clip(shown), clip(address))] : []),
    ...(namesake === undefined ? [] : [mailTexts.sameName(clip(namesake.address), clip(address))]),
    ...(borrowed === undefined ? [] : [mailTexts.ownAddress(clip(borrowed.address))]),
    ...(senders.length > 1 ? [mailTexts.severalSenders] : []),
    ...(mine.includes(address) ? [] : lookAlikes(address, { mine, earlier })),
    ...answersElsewhere(
      elsewhere.map((one) => one.address),
      address,
    ),
  ];
}

/** Who has the name that somebody else writes under; who was in the conversation first isn't told apart from themselves. */
function findNamesake(
  { name, address }: MailAddress,
  people: readonly MailAddress[],
): MailAddress | undefined {
  const at = people.findIndex((one) => one.address === address);
  const earlier = at < 0 ? people : people.slice(0, at);
  return earlier.find((one) => isSameName(one.name, name));
}

interface RecipientFacts {
  readonly to: readonly string[];
  readonly cc: readonly string[];
  /** Addresses of the mailbox's owner, which need no mark; the first is the one that mails are sent from. */
  readonly own: readonly string[];
  /**
   * Who has written in the conversation or was written to, from `From`, `To` and `Cc`. Not from `Reply-To`, by which a sender can
   * name anybody whom nobody has seen.
   */
  readonly conversation: readonly MailAddress[];
}

/** What people should know of those who get a reply, as sentences without full stops. */
export function recipientMarks({ to, cc, own, conversation }: RecipientFacts): string[] {
  const mine = own.map((address) => address.toLowerCase());
  const isOther = (address: string) => !mine.includes(address);
  const recipients = [...new Set([...to, ...cc].map((address) => address.toLowerCase()))].filter(isOther);
  const all = new Set(conversation.map(({ address }) => address));
  const known = [...all].filter(isOther).slice(0, MOST_COMPARED);
  const skeleton = keepSkeletons();
  return [
    ...recipients.filter((address) => !all.has(address)).map((address) => mailTexts.isNew(clip(address))),
    ...recipients.flatMap((address) => {
      // Who was in it first isn't the one that looks like another.
      const at = known.indexOf(address);
      return lookAlikes(address, { mine, earlier: at < 0 ? known : known.slice(0, at) }, skeleton);
    }),
    ...outsiders(recipients, mine),
  ];
}

function lookAlikes(
  address: string,
  { mine, earlier }: { readonly mine: readonly string[]; readonly earlier: readonly string[] },
  skeleton = keepSkeletons(),
): string[] {
  const all = [...mine, ...earlier.slice(0, MOST_COMPARED)];
  const domain = readDomain(address);
  const domains = [...new Set(all.map(readDomain))];
  const isOwn = mine.some((one) => isSameOrganisation(domain, readDomain(one)));
  const looked = isOwn
    ? null
    : findLookAlike(
        domain,
        domains.filter((one) => !isSameOrganisation(domain, one)),
        skeleton,
      );
  const person = all.find((one) => isLookAlikeOf(address, one, skeleton));
  return [
    ...(looked === null ? [] : [mailTexts.looksLike(clip(domain), clip(looked))]),
    ...(person === undefined ? [] : [mailTexts.looksLikePerson(clip(address), clip(person))]),
  ];
}

/** One sentence for each of a few, or else one for all: a header can name thousands. */
function answersElsewhere(addresses: readonly string[], sender: string): string[] {
  const others = [...new Set(addresses)];
  const [first] = others;
  if (first === undefined || others.length <= MOST_ELSEWHERE)
    return others.map((one) => mailTexts.answersElsewhere(clip(one), clip(sender)));
  return [mailTexts.answersElsewhereToo(clip(first), others.length - 1, clip(sender))];
}

/** One sentence on those outside the owner's organisation, where others of a reply are in it. */
function outsiders(recipients: readonly string[], mine: readonly string[]): string[] {
  const [home] = mine.map(readDomain).filter((domain) => !isForEverybody(domain));
  if (home === undefined) return [];
  const outside = recipients.filter(
    (address) => !mine.some((one) => isSameOrganisation(readDomain(address), readDomain(one))),
  );
  if (outside.length === 0 || outside.length === recipients.length) return [];
  return [mailTexts.outsiders(outside.map(clip), home, recipients.length)];
}

/** The address that a name shows; null if it shows none. Wide forms of `@` and of dots look the same. */
function addressIn(name: string): string | null {
  const plain = name.normalize('NFKC').toLowerCase();
  return (
    /[\p{L}\p{N}._%+-]{1,64}@[\p{L}\p{N}-]{1,63}(?:\.[\p{L}\p{N}-]{1,63}){1,8}/u.exec(plain)?.[0] ?? null
  );
}

/** Whether answers to the one go to somebody else than the sender, as far as their domains tell. */
function isElsewhere(replyTo: string, from: string): boolean {
  if (replyTo === from) return false;
  const [domain, own] = [readDomain(replyTo), readDomain(from)];
  return isForEverybody(domain) || !isSameOrganisation(domain, own);
}

/** An address as a sentence has it. */
export function clip(address: string): string {
  return address.length <= LONGEST_SHOWN ? address : `${address.slice(0, LONGEST_SHOWN)}…`;
}
