import type {
  KnownBlock,
  RichTextBlock,
  RichTextBlockElement,
  RichTextElement,
  RichTextText,
} from '@slack/types';
import { z } from 'zod';
import type { CallRecord, Decision } from '../../gate/types.ts';
import { parseAddresses } from '../../lib/mail/addresses.ts';
import { idKind, isIdName } from '../../presentation/id-names.ts';
import { clip, clipAtWord, clipMiddle, oneLine, pieces, quoteText } from '../../presentation/text/clip.ts';
import { visible } from '../../presentation/text/visible.ts';
import type { ValueContext } from '../../presentation/values.ts';
import { CARD_LINE, DECIDED } from '../texts/cards.ts';
import { ANSWERED_MAIL, ASKED_MAIL, MAIL_APPROVERS, MAIL_DECIDED, MAIL_EDIT } from '../texts/mail-cards.ts';
import { bold, italic, richText, section, text } from './block-kit.ts';
import { isolated } from './isolate.ts';

/** A call as far as this looks at it. */
interface OfCall {
  readonly callKey: string;
  readonly call: Pick<CallRecord, 'tool'>;
  readonly resolve: ValueContext;
  readonly withheld?: unknown;
}

/** Up to how much of a mail a card has it whole, without blank lines; and of a longer one, so much. Lengths are in characters. */
const WHOLE = { lines: 12, length: 800 };
const FOLDED = { lines: 3, length: 240 };
/** Of its sender and subject. */
const HEAD_LENGTH = 320;
const NAME_LENGTH = 60;
/** The most marks of a card, and the characters of each. */
const MOST_MARKS = 8;
const MARK_LENGTH = 200;
/** The characters of one block of a whole mail, and the most of them. */
const OF_A_BLOCK = 2_800;
const MOST_BLOCKS = 20;

/** What a mailbox's server says of a reply, by the look-up of its card. */
const readSchema = z.object({
  from: z.string().catch(''),
  subject: z.string().catch(''),
  text: z.string().catch(''),
  marks: z.array(z.string()).catch([]),
});
type AnsweredMail = z.infer<typeof readSchema>;
type NamedMail = Pick<AnsweredMail, 'from' | 'subject'>;

/** Whether the call is one by which the graph of mailboxes answers, so that it has words of its own. */
export function isOfInbox({ tool }: Pick<CallRecord, 'tool'>): boolean {
  return tool.graph === 'inbox';
}

/** That somebody approved a call, in the words of its card. */
export function approvedWord(call: Pick<CallRecord, 'tool'>, { type }: Pick<Decision, 'type'>): string {
  const words = isOfInbox(call) ? MAIL_DECIDED : DECIDED;
  return type === 'edit' ? words.approvedWithChanges : words.approved;
}

/** Whether its card shows the mail that it answers, and who is new to the conversation. */
function isReply({ call }: Pick<OfCall, 'call'>): boolean {
  return isOfInbox(call) && (call.tool.card?.lookUp?.show?.includes('marks') ?? false);
}

/** The mail that a call answers, with the marks of the answer; null where it answers none, or that couldn't be read. */
function answeredMail(of: OfCall): AnsweredMail | null {
  const shown = isReply(of) ? (of.resolve.subject?.shown ?? []) : [];
  if (shown.length === 0) return null;
  return readSchema.parse(
    Object.fromEntries(shown.map(({ path, value }) => [path.split('.').at(-1), value])),
  );
}

/** How the values of a call are shown beside {@link mailBlocks}: without what stands there. */
export function besideMail(of: OfCall): ValueContext {
  const { resolve } = of;
  if (!isReply(of) || resolve.subject === undefined) return resolve;
  return { ...resolve, subject: { ...resolve.subject, shown: [] } };
}

/** That somebody can, or several must, approve a call, in the words of its card. */
export function approverWords(
  call: Pick<CallRecord, 'tool'>,
): Readonly<Record<'canApprove' | 'mustApprove', string>> {
  return isOfInbox(call) ? MAIL_APPROVERS : CARD_LINE;
}

/**
 * Rows as somebody reads a mail: without the id of the one that stands above them, or that a form answers, and with other ids last.
 * Whatever shows them has {@link mailBlocks}, {@link mailInList} or {@link answersLine} above them, or had them until it was decided.
 */
export function asOfMail<Row extends { readonly name: string }>(
  of: OfCall,
  rows: readonly Row[],
): readonly Row[] {
  if (!isOfInbox(of.call)) return rows;
  const isShown = answeredMail(of) !== null;
  return rows
    .filter(({ name }) => !(isShown && namesAnswered(of, name)))
    .toSorted((a, b) => Number(isIdName(a.name)) - Number(isIdName(b.name)));
}

/** Whether an argument is the id by which the mail on the card was read. */
function namesAnswered({ resolve }: OfCall, name: string): boolean {
  const isGiven = resolve.subject?.readWith?.includes(name) ?? false;
  return isGiven && isIdName(name) && ['message', 'mail'].includes(idKind(name) ?? '');
}

/**
 * The mail that is answered, folded; what strangers wrote is quoted, and nothing of it becomes a link or a mention. `isRepeated`: the
 * card of what was drafted together with this has it, too.
 */
export function mailBlocks(of: OfCall, { isRepeated }: { readonly isRepeated: boolean }): KnownBlock[] {
  const elements = foldedMail(of, { most: isRepeated ? FOLDED : WHOLE, more: ANSWERED_MAIL.folded });
  return elements.length === 0 ? [] : [richText(`mail:${of.callKey}`, ...elements)];
}

/** Its first lines, for an entry in a list. */
export function mailInList(of: OfCall): RichTextBlockElement[] {
  return foldedMail(of, { most: FOLDED, more: ANSWERED_MAIL.foldedInList });
}

/** The mail, whole if it's not longer than `most`; else its first lines, and in `more`, where the others are. */
function foldedMail(
  of: OfCall,
  { most, more: rest }: { readonly most: typeof WHOLE; readonly more: string },
): RichTextBlockElement[] {
  const mail = answeredMail(of);
  if (mail === null) return [];
  const whole = visible(mail.text).trim();
  const lines = whole.split('\n').filter((line) => line.trim() !== '');
  const all = lines.join('\n');
  const isShort = lines.length <= most.lines && all.length <= most.length;
  const folded = isShort ? all : clipAtWord(lines.slice(0, FOLDED.lines).join('\n'), FOLDED.length);
  const hasMore = folded !== all;
  const more = hasMore ? [italic(rest)] : [];
  // What says that there is more has an ellipsis of its own.
  const shown = hasMore ? folded.replace(/\s*…$/, '') : folded;
  return [
    section(italic(ANSWERED_MAIL.heading)),
    { type: 'rich_text_quote', elements: [...headElements(mail), text(`\n${shown}`), ...more] },
  ];
}

/** The same, whole, in as many blocks as it takes. */
export function wholeMail(of: OfCall): Omit<RichTextBlock, 'block_id'>[] {
  const mail = answeredMail(of);
  if (mail === null) return [];
  const parts = pieces(visible(mail.text).trim(), OF_A_BLOCK).slice(0, MOST_BLOCKS);
  const block = (...elements: RichTextElement[]): Omit<RichTextBlock, 'block_id'> => ({
    type: 'rich_text',
    elements: [{ type: 'rich_text_quote', elements }],
  });
  const head = { type: 'rich_text' as const, elements: [section(italic(ANSWERED_MAIL.heading))] };
  return [
    head,
    block(...headElements(mail)),
    ...parts.filter((part) => part !== '').map((part) => block(text(part))),
  ];
}

/** Which mail a call answers, in one line, for a form; nothing where that isn't known. */
export function answersLine(of: OfCall): RichTextBlock[] {
  const mail = answeredMail(of);
  return mail === null ? [] : [richText('answers', section(text(nameMail(mail, MAIL_EDIT.answers))))];
}

/** Which mail a question of the agent is about, in one line; empty for one about none. */
export function askedAboutLine({ about }: { readonly about: NamedMail | null }): string {
  return about === null ? '' : nameMail(about, ASKED_MAIL);
}

/** The same on a line of its own, after others of a message. */
export function askedAbout(view: { readonly about: NamedMail | null }): RichTextText[] {
  const line = askedAboutLine(view);
  return line === '' ? [] : [text(`\n${line}`)];
}

/** A mail in a line of ours, by its subject, in quotes, and who sent it. */
function nameMail({ from, subject }: NamedMail, inWords: typeof ASKED_MAIL): string {
  const { address, name } = readSender(from);
  const about = isolated(clip(visible(oneLine(subject)), HEAD_LENGTH));
  return inWords(
    about === '' ? '' : quoteText(about),
    `${address}${name === '' ? '' : ` ${quoteText(name)}`}`,
  );
}

function headElements({ from, subject }: AnsweredMail): RichTextElement[] {
  const about = clip(visible(oneLine(subject)), HEAD_LENGTH);
  return [...describeSender(from), ...(about ? [text('\n'), bold(about)] : [])];
}

/** The address first and whole: a name can be made to look like one, and so long that the address is cut off. */
function describeSender(from: string): RichTextElement[] {
  const { address, name } = readSender(from);
  return [bold(ANSWERED_MAIL.from(address)), ...(name === '' ? [] : [text(` ${quoteText(name)}`)])];
}

/** Who sent a mail, as far as a card has room for it. */
export function readSender(from: string): { readonly address: string; readonly name: string } {
  const [sender] = parseAddresses(from);
  const show = (words: string) => visible(oneLine(words));
  return {
    address: clipMiddle(show(sender?.address ?? from), HEAD_LENGTH),
    name: isolated(clip(show(sender?.name ?? ''), NAME_LENGTH)),
  };
}

/** What to know of whom the answer goes to, as sentences; all of them, where `isWhole`. */
export function mailMarks(of: OfCall, { isWhole = false } = {}): readonly string[] {
  if (!isReply(of)) return [];
  const mail = answeredMail(of);
  // Also where it was compared and isn't shown here: whoever may accept it has to look at the addresses.
  if (mail === null) return [of.withheld ? ANSWERED_MAIL.uncheckedHere : ANSWERED_MAIL.unchecked];
  const most = isWhole ? mail.marks.length : MOST_MARKS;
  const left = mail.marks.length - most;
  return [
    ...mail.marks.slice(0, most).map((mark) => clip(visible(oneLine(mark)), MARK_LENGTH)),
    ...(left > 0 ? [ANSWERED_MAIL.moreMarks(left)] : []),
  ];
}
