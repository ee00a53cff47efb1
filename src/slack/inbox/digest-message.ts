import type { Button, KnownBlock, RichTextElement, RichTextSection } from '@slack/types';
import { z } from 'zod';
import type { Mail, Mailbox, Preference, PreferenceChange } from '../../inbox/ports.ts';
import { parseAddresses } from '../../lib/mail/addresses.ts';
import { ACTIONS } from '../cards/action-ids.ts';
import type { ThreadUrl } from '../permalinks.ts';
import {
  actions,
  bold,
  button,
  confirmation,
  context,
  instant,
  type Message,
  plain,
  richText,
  section,
  text,
} from '../text/block-kit.ts';
import { elementWords, listMessage } from '../text/list-message.ts';
import { DIGEST } from '../texts/inbox.ts';
import { describeReason, describeSubject, describeWarnings } from './mail-message.ts';
import { describeSender, nameMailbox } from './whole-mail.ts';

/** Two blocks each, of the 50 that a message has. */
const LISTED = 20;
/** Of one page of all that is open, if it isn't more than {@link READ_OUT}. */
export const PAGE = 5;
/** Where there are few, all that is odd about each sender is shown, too; where there are many, less of each. */
const FEW = { subject: 120, reason: 150, name: 40, warnings: undefined };
const MANY = { subject: 60, reason: 70, name: 24, warnings: { most: 1, longest: 80 } };
/** How much of mails a message has, in characters: screen readers read out all of what it shows. */
const READ_OUT = 2_500;

/** By the ids of its blocks, a message says which mails it lists, how many it left out, and how many were ignored. */
const LINE = 'digest:mail:';
const MORE = 'digest:more:';
const IGNORED = 'digest:ignored:';

/** A mail in a list, as it is now. */
interface ListedMail {
  readonly mail: Mail;
  /** By which its owner said what becomes of its sender's mails; null: they said nothing of that. */
  readonly said: PreferenceChange | null;
}

/** Which mails a command lists: what nobody has dealt with, or what triage ignored. */
export type ListState = 'listed' | 'ignored';

/** A page of what a command lists. */
interface ListPage {
  readonly state: ListState;
  /** Whether it begins with the newest. */
  readonly isFirst: boolean;
  /** Where the older ones begin; null: there are none. */
  readonly older: string | null;
}

export interface DigestView {
  /** The page that it is of all that is open; null: it's what has come. */
  readonly page: ListPage | null;
  readonly mailbox: Pick<Mailbox, 'server' | 'place' | 'timeZone'>;
  readonly mails: readonly ListedMail[];
  /** How many others there are beside these. */
  readonly more: number;
  /** How many were ignored meanwhile. */
  readonly ignored: number;
}

/** Mails that need no answer, one after the other, with what can be done with each. */
export function digestMessage(view: DigestView, threadUrl: ThreadUrl): Message<KnownBlock> {
  const { page, mailbox } = view;
  const longest = view.mails.length <= PAGE ? FEW : MANY;
  const lines = view.mails.map((one) => toLine(one, { longest, timeZone: mailbox.timeZone, threadUrl }));
  const shown = lines.slice(0, countReadOut(lines));
  const more = view.more + lines.length - shown.length;
  const name = nameMailbox(mailbox);
  const { state, older, isFirst } = page ?? { state: 'listed', older: null, isFirst: true };
  const title = page === null ? DIGEST.title(lines.length + view.more, name) : DIGEST.open[state](name);
  const listed = view.mails.slice(0, shown.length);
  // What only one person sees comes back with nothing of what it showed, so its buttons say that.
  const ids = listed.map(({ mail }) => mail.id);
  const place =
    page === null ? '' : ` ${[state, isFirst ? 'first' : 'later', older ?? NO_OLDER, ...ids].join(' ')}`;
  const value = `${ids[0] ?? ''}${place}`;
  const open = state === 'ignored' ? [] : listed.filter(({ mail }) => isOpen(mail));
  const done = listed.filter(({ mail }) => mail.state === 'done').length;
  const ofAll = [
    ...(open.length > 1 ? [doneAllButton(value, open.length)] : []),
    ...(older === null ? [] : [button(ACTIONS.olderMails, DIGEST.older, value)]),
    ...(isFirst ? [] : [button(ACTIONS.newestMails, DIGEST.newest, value)]),
  ];
  return listMessage(title, [
    { type: 'section', block_id: 'digest', text: plain(title) },
    ...shown.flatMap((line, index) => mailBlocks(view.mails[index], line, { state, place })),
    ...(more > 0 ? [context(`${MORE}${more}`, DIGEST.more(more, state))] : []),
    ...(done > 1 ? [context('digest:done', DIGEST.doneCount(done))] : []),
    ...(ofAll.length === 0 ? [] : [actions('digest:older', ...ofAll)]),
    ...(view.ignored > 0 ? [context(`${IGNORED}${view.ignored}`, DIGEST.ignored(view.ignored))] : []),
    context('digest:about', state === 'ignored' ? DIGEST.aboutIgnored : DIGEST.about),
  ]);
}

function doneAllButton(value: string, count: number): Button {
  const confirm = confirmation(DIGEST.doneAllTitle(count), DIGEST.doneAllWarning(count), DIGEST.doneAll);
  return button(ACTIONS.doneMails, DIGEST.doneAll, value, { confirm });
}

/** Whether nobody has answered a mail, or is done with it. */
export function isOpen({ state }: Mail): boolean {
  return state === 'listed' || state === 'ignored';
}

const NO_OLDER = '-';
const placeSchema = z.tuple(
  [
    z.string(),
    z.enum(['listed', 'ignored']),
    z.enum(['first', 'later']),
    z.string().regex(/^[\w-]{1,1000}$/),
  ],
  z.string(),
);

/** The list in which a button stands that only one person sees, by the button's value; null for any other. */
export function readListPlace(
  value: string,
): { readonly page: ListPage; readonly mailIds: readonly string[] } | null {
  const read = placeSchema.safeParse(value.split(' ')).data;
  if (!read) return null;
  const [, state, at, older, ...mailIds] = read;
  const page = { state, isFirst: at === 'first', older: older === NO_OLDER ? null : older };
  return { page, mailIds: mailIds.slice(0, PAGE) };
}

/** What a button of a list is about: the id of a mail, or of a change. */
export function readListedId(value: string): string {
  return value.split(' ', 1)[0] ?? '';
}

/** How many mails are read out whole, and at least one. */
function countReadOut(lines: readonly RichTextSection[]): number {
  let length = 0;
  const tooMany = lines.findIndex((line) => {
    length += JSON.stringify(line.elements.map(elementWords)).length;
    return length > READ_OUT;
  });
  return Math.max(1, Math.min(tooMany === -1 ? lines.length : tooMany, LISTED));
}

/** Which mails a message lists, of the ids of its blocks, with what it counts; null for a message that is no such list. */
export function readDigestBlocks(
  blockIds: readonly string[],
): ({ readonly mailIds: readonly string[] } & Pick<DigestView, 'more' | 'ignored'>) | null {
  const find = (prefix: string) =>
    blockIds.flatMap((id) => (id.startsWith(prefix) ? [id.slice(prefix.length)] : []));
  const mailIds = find(LINE);
  if (mailIds.length === 0) return null;
  const readCount = (prefix: string) => Math.max(0, Math.trunc(Number(find(prefix)[0] ?? 0))) || 0;
  return { mailIds, more: readCount(MORE), ignored: readCount(IGNORED) };
}

/** Mails as lists show them, by what their owner has said of senders. */
export function toListed(
  mails: readonly Mail[],
  history: readonly PreferenceChange[],
  preferences: readonly Pick<Preference, 'text' | 'from'>[],
): readonly ListedMail[] {
  const kept = new Set(preferences.map(({ text: words }) => words));
  const said = history.filter(
    ({ why, isUndone, before, after }) =>
      (why === 'never_again' || why === 'show_such') &&
      !isUndone &&
      (after === null ? before !== null && !kept.has(before) : kept.has(after)),
  );
  return mails.map((mail) => {
    const address = parseAddresses(mail.from)[0]?.address;
    // It names the address, between blanks and signs of ours.
    const found = said.find(
      ({ before, after }) => address !== undefined && (after ?? before)?.split(/[\s:]+/).includes(address),
    );
    return { mail, said: found ?? null };
  });
}

interface RowPlace {
  readonly state: ListState;
  /** What the values of its buttons end with. */
  readonly place: string;
}

function mailBlocks(listed: ListedMail | undefined, line: RichTextSection, row: RowPlace): KnownBlock[] {
  if (!listed) return [];
  const { id } = listed.mail;
  return [richText(`${LINE}${id}`, line), actions(`digest:actions:${id}`, ...toButtons(listed, row))];
}

interface LineLooks {
  readonly longest: typeof FEW | typeof MANY;
  readonly timeZone: string;
  readonly threadUrl: ThreadUrl;
}

/** A mail in one line, with what has become of it. */
function toLine({ mail, said }: ListedMail, { longest, timeZone, threadUrl }: LineLooks): RichTextSection {
  const { address, name } = describeSender(mail.from, longest.name);
  const state = describeState(mail, threadUrl);
  const warnings = describeWarnings(mail.warnings, longest.warnings);
  const reason = describeReason(mail.reason, mail.warnings?.slice(0, longest.warnings?.most), longest.reason);
  return section(
    bold(describeSubject(mail.subject, longest.subject)),
    text('\n'),
    bold(address),
    text(name === '' ? '' : ` ${name}`),
    ...[text(', '), instant(mail.arrivedAt, timeZone)],
    text(reason === '' ? '' : `\n${reason}`),
    ...warnings.flatMap((one) => [text('\n'), bold(one)]),
    ...(state.length > 0 ? [text('\n'), ...state] : []),
    text(said === null ? '' : `\n${DIGEST.said[said.why === 'show_such' ? 'show' : 'never'](address)}`),
  );
}

function describeState({ state, slackThread }: Mail, threadUrl: ThreadUrl): RichTextElement[] {
  const words = slackThread === null ? DIGEST.state : DIGEST.stateInThread;
  if (words[state] === '') return [];
  const url = slackThread === null ? null : threadUrl(slackThread);
  return [
    text(words[state]),
    ...(url === null ? [] : [text(' '), { type: 'link', url, text: DIGEST.openThread } as const]),
  ];
}

function toButtons({ mail, said }: ListedMail, { state: of, place }: RowPlace): Button[] {
  const ofSender: readonly [string, string] =
    of === 'ignored' ? [ACTIONS.showSuchMails, DIGEST.showSuch] : [ACTIONS.neverMail, DIGEST.never];
  const value = `${mail.id}${place}`;
  return [
    button(ACTIONS.showMail, DIGEST.read, value),
    ...(isOpen(mail) ? [button(ACTIONS.replyMail, DIGEST.reply, value)] : []),
    ...(isOpen(mail) && of === 'listed' ? [button(ACTIONS.doneMail, DIGEST.done, value)] : []),
    said === null
      ? button(...ofSender, value)
      : button(ACTIONS.undoLearned, DIGEST.undo, `${said.id}${place}`),
  ];
}
