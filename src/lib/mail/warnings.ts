import {
  addressKey,
  isForEverybody,
  isSameOrganisation,
  type MailAddress,
  organisation,
  parseAddresses,
  readDomain,
  writtenDomain,
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

/** Whose mailbox it is. */
export interface MailOwner {
  /** Addresses of the mailbox's owner; the first is the one that mails are sent from. */
  readonly own: readonly string[];
  /** The owner's names, as the mailbox has them: what a mail says of its recipient, its writer has put there. */
  readonly names: readonly string[];
  /** Whom the owner has written to, the last first, as far as that's at hand. */
  readonly known: readonly MailAddress[];
}

interface SenderFacts extends MailOwner {
  /** The headers. */
  readonly from: string;
  readonly replyTo: string;
  /** Those of the conversation before this mail; empty for its first. */
  readonly before: readonly MailAddress[];
  /** Whether the owner wrote it, by where the server keeps it: what stands in `From`, whoever wrote it has put there. */
  readonly isOwn: boolean;
}

/** What people should know of a mail's sender before they answer, as sentences without full stops: what looks like somebody else. */
export function senderWarnings({ from, replyTo, own, names, known, before, isOwn }: SenderFacts): string[] {
  const senders = parseAddresses(from);
  const [sender] = senders;
  if (!sender) return [];
  const { address } = sender;
  const shown = addressIn(sender.name);
  const mine = own.map(addressKey);
  const isMine = (one: MailAddress) => mine.includes(addressKey(one.address));
  const key = addressKey(address);
  const earlier = [...new Set(before.map((one) => one.address))].filter((one) => addressKey(one) !== key);
  const people = [...listNamed({ key, own, names, known }), ...before];
  const namesake = isMine(sender) ? undefined : findNamesake(sender, people);
  const borrowed = isOwn ? undefined : senders.find(isMine);
  const elsewhere = parseAddresses(replyTo).filter((one) => isElsewhere(one.address, address));
  return [
    ...(shown !== null && addressKey(shown) !== key ? [mailTexts.otherName(clip(shown), clip(address))] : []),
    ...(namesake === undefined ? [] : [mailTexts.sameName(clip(namesake.address), clip(address))]),
    ...(borrowed === undefined ? [] : [mailTexts.ownAddress(clip(borrowed.address))]),
    ...(senders.length > 1 ? [mailTexts.severalSenders] : []),
    ...(isMine(sender) ? [] : lookAlikes(address, { mine, earlier, known: readKnown(known) })),
    ...answersElsewhere(
      elsewhere.map((one) => one.address),
      address,
    ),
  ];
}

/**
 * Whose names nobody else should write under, beside those of the conversation: the owner's, and those of whom the owner has written
 * to at their own domain. People elsewhere often have two addresses. Nobody, for somebody whom the owner has written to.
 */
function listNamed({ key, own, names, known }: MailOwner & { readonly key: string }): MailAddress[] {
  const [address] = own;
  if (address === undefined || known.some((one) => addressKey(one.address) === key)) return [];
  const domain = readDomain(address);
  const colleagues = isForEverybody(domain)
    ? []
    : known.filter((one) => isSameOrganisation(readDomain(one.address), domain));
  return [...names.map((name) => ({ name, address })), ...colleagues];
}

/** The domains of those whom the owner has written to. */
function readKnown(known: readonly MailAddress[]): readonly string[] {
  return [...new Set(known.slice(0, MOST_COMPARED).map(({ address }) => organisation(readDomain(address))))];
}

/** Who has the name that somebody else writes under; who was in the conversation first isn't told apart from themselves. */
function findNamesake(
  { name, address }: MailAddress,
  people: readonly MailAddress[],
): MailAddress | undefined {
  const key = addressKey(address);
  const at = people.findIndex((one) => addressKey(one.address) === key);
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
  /** Whom the owner has written to, the last first, as far as that's at hand. */
  readonly known: readonly MailAddress[];
}

/** What people should know of those who get a reply, as sentences without full stops. */
export function recipientMarks({ to, cc, own, conversation, known }: RecipientFacts): string[] {
  const mine = own.map(addressKey);
  const isOther = (address: string) => !mine.includes(addressKey(address));
  const recipients = [...new Set([...to, ...cc].map((address) => address.toLowerCase()))].filter(isOther);
  const keys = conversation.map(({ address }) => addressKey(address));
  const all = new Set(keys);
  const others = [...all].filter(isOther).slice(0, MOST_COMPARED);
  const skeleton = keepSkeletons();
  const written = readKnown(known);
  return [
    ...recipients
      .filter((address) => !all.has(addressKey(address)))
      .map((address) => mailTexts.isNew(clip(address))),
    ...recipients.flatMap((address) => {
      // Who was in it first isn't the one that looks like another.
      const at = others.indexOf(addressKey(address));
      const earlier = at < 0 ? others : others.slice(0, at);
      return lookAlikes(address, { mine, earlier, known: written }, skeleton);
    }),
    ...outsiders(recipients, mine),
  ];
}

interface Compared {
  readonly mine: readonly string[];
  /** Who was in the conversation earlier. */
  readonly earlier: readonly string[];
  /** Domains. */
  readonly known: readonly string[];
}

function lookAlikes(
  address: string,
  { mine, earlier, known }: Compared,
  skeleton = keepSkeletons(),
): string[] {
  const others = earlier.slice(0, MOST_COMPARED);
  const person = [...mine, ...others].find((one) => isLookAlikeOf(address, one, skeleton));
  const looked = findLooked(readDomain(address), { mine, earlier: others, known }, skeleton);
  return [
    ...(looked === null ? [] : [mailTexts.looksLike(clip(writtenDomain(address)), clip(looked))]),
    ...(person === undefined ? [] : [mailTexts.looksLikePerson(clip(address), clip(person))]),
  ];
}

/** The domain that another looks like: of the owner, of the conversation, of those whom the owner has written to. */
function findLooked(
  domain: string,
  { mine, earlier, known }: Compared,
  skeleton: ReturnType<typeof keepSkeletons>,
): string | null {
  const own = mine.map(readDomain);
  if (own.some((one) => isSameOrganisation(domain, one))) return null;
  const others = [...new Set(earlier.map(readDomain))].filter((one) => !isSameOrganisation(domain, one));
  return (
    findLookAlike(domain, own, { skeleton, of: 'owner' }) ??
    findLookAlike(domain, others, { skeleton, of: 'conversation' }) ??
    findLookAlike(domain, known, { skeleton, of: 'known' })
  );
}

/** What a domain of those whom the owner has written to tells of a mail's sender, as sentences without full stops. */
export function knownWarnings(from: string, known: readonly string[]): string[] {
  const [sender] = parseAddresses(from);
  if (!sender) return [];
  const looked = findLookAlike(readDomain(sender.address), known.map(readDomain), { of: 'known' });
  return looked === null ? [] : [mailTexts.looksLike(clip(writtenDomain(sender.address)), clip(looked))];
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
