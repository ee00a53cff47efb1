import type { KnownBlock, RichTextBlock, RichTextElement, RichTextQuote } from '@slack/types';
import type { Mail, NewerMail, ToAnswer } from '../../inbox/ports.ts';
import { clip, head } from '../../presentation/text/clip.ts';
import { visible } from '../../presentation/text/visible.ts';
import { ACTIONS } from '../cards/action-ids.ts';
import { isDirectChannel, readSlackUser } from '../ids.ts';
import {
  actions,
  bold,
  button,
  context,
  instant,
  type Message,
  richText,
  section,
  text,
} from '../text/block-kit.ts';
import { listMessage } from '../text/list-message.ts';
import { MAIL } from '../texts/inbox.ts';
import { describeSender, nameMailbox, quoted, strange, type WholeMail } from './whole-mail.ts';

/** How much of a mail a message shows, in characters: the card of what is drafted has it, and all of it is a click away. */
const BEGINNING = { root: 100, newer: 200 };
/** How much of it is looked through for that. */
const LOOKED_THROUGH = 2_000;
/** Screen readers read out what a message's text holds, so all of it together has to fit that. */
const LONGEST = { subject: 160, reason: 200, warning: 180, attachment: 60 };
/** Of warnings there are as many as the server finds; of attachments as many as the sender likes. */
const MOST = { warnings: 6, attachments: 5 };

/** The message with which the thread of a mail begins, or that is added for another one. `whole` is null where it can't be read. */
export function mailMessage(
  { mailbox, mail, isOneOfSeveral = false }: Omit<ToAnswer, 'asked'>,
  whole: WholeMail | null,
): Message<KnownBlock> {
  // What is kept of a header may end before its address.
  const { address, name } = describeSender(whole?.from || mail.from);
  const subject = describeSubject(mail.subject);
  const at = isOneOfSeveral ? MAIL.at(nameMailbox(mailbox)) : '';
  const found = [...(whole?.warnings ?? []), ...(mail.warnings ?? [])];
  const reason = describeReason(mail.reason, found, LONGEST.reason);
  const warnings = describeWarnings(found);
  const beginning = whole === null ? null : readBeginning(whole.text, BEGINNING.root) || MAIL.empty;
  const attached = whole === null ? '' : describeAttachments(whole);
  const title = MAIL.title(name === '' ? address : `${address} ${name}`, subject);
  const blocks: KnownBlock[] = [
    richText(
      'mail:who',
      section(text(MAIL.from), bold(address), text(name === '' ? '' : ` ${name}`), ...describeOwner(mailbox)),
      section(bold(subject)),
    ),
    richText('mail:when', section(text(MAIL.arrived), instant(mail.arrivedAt, mailbox.timeZone), text(at))),
    ...(reason === '' ? [] : [richText('mail:why', section(text(MAIL.why(reason))))]),
    ...(warnings.length > 0 ? [richText('mail:warnings', section(bold(warnings.join('\n'))))] : []),
    beginning === null ? context('mail:unread', MAIL.unread) : richText('mail:text', quote(beginning)),
    ...(attached === '' ? [] : [context('mail:attached', attached)]),
    actions('mail:actions', button(ACTIONS.showMail, MAIL.show, mail.id)),
  ];
  return listMessage(title, blocks);
}

/** The line in the thread of a conversation that says that another mail of it came, which what is drafted there doesn't know. */
export function newerMailMessage(
  { mail, stage }: Pick<NewerMail, 'mail' | 'stage'>,
  whole: WholeMail | null,
): Message<KnownBlock> {
  const { address, name } = describeSender(whole?.from || mail.from);
  return listMessage(MAIL.newer(name === '' ? address : `${address} ${name}`), [
    newerMailBlock(mail, whole, stage === 'waits' ? MAIL.newerUnknown : ''),
    context('mail:newer:next', describeNext({ mail, stage })),
    actions(
      'mail:actions',
      ...(stage === 'waits' ? [button(ACTIONS.draftAnew, MAIL.draftAnew, mail.id)] : []),
      button(ACTIONS.showMail, MAIL.show, mail.id),
    ),
  ]);
}

/** That a newer mail of a conversation came, from whom, how it begins, and in `words`, if any, what that means. */
export function newerMailBlock(
  mail: Pick<Mail, 'from' | 'warnings'>,
  whole: WholeMail | null,
  words: string,
): RichTextBlock {
  const { address, name } = describeSender(whole?.from || mail.from);
  const warnings = describeWarnings([...(whole?.warnings ?? []), ...(mail.warnings ?? [])]);
  const beginning = whole === null ? '' : readBeginning(whole.text);
  return richText(
    'mail:newer',
    section(text(MAIL.newerFrom), bold(address), text(name === '' ? '.' : ` ${name}.`)),
    ...(beginning === '' ? [] : [quote(beginning)]),
    ...(warnings.length > 0 ? [section(bold(warnings.join('\n')))] : []),
    ...(words === '' ? [] : [section(bold(words))]),
  );
}

function describeNext({ mail: { state }, stage }: Pick<NewerMail, 'mail' | 'stage'>): string {
  if (stage !== 'waits' && stage !== 'late') return MAIL.newerNext[stage];
  const otherwise = state === 'listed' || state === 'ignored' ? MAIL.newerListed(state) : MAIL.newerTurn;
  return MAIL.newerNext[stage](otherwise);
}

export function describeSubject(subject: string, limit: number = LONGEST.subject): string {
  return subject.trim() === '' ? MAIL.noSubject : quoted(subject, limit);
}

/** What is odd about who sent it, each as a line, once. */
export function describeWarnings(
  found: readonly string[] = [],
  { most, longest }: { readonly most: number; readonly longest: number } = {
    most: MOST.warnings,
    longest: LONGEST.warning,
  },
): string[] {
  return [...new Set(found)].slice(0, most).map((one) => MAIL.warning(strange(one, longest)));
}

/** Why a mail is where it is, in quotes, without what the warnings beside it say; empty where that's all. */
export function describeReason(
  reason: string,
  warnings: readonly string[] | undefined,
  limit: number,
): string {
  const own = (warnings ?? []).reduce((left, warning) => left.replace(`${warning}.`, ''), reason).trim();
  return own === '' ? '' : quoted(own, limit);
}

/** The attachments in one line; empty if there are none. */
export function describeAttachments({ attachments, attachments_left_out: leftOut }: WholeMail): string {
  if (attachments.length === 0) return '';
  const names = attachments.slice(0, MOST.attachments).map(({ name, bytes }) => {
    const shown = quoted(name, LONGEST.attachment);
    return typeof bytes === 'number' ? MAIL.attachment(shown, Math.max(1, Math.round(bytes / 1_000))) : shown;
  });
  const left = attachments.length - names.length + leftOut;
  return MAIL.attachments([...names, ...(left > 0 ? [MAIL.moreAttachments(left)] : [])].join(', '));
}

/** Where others see it, too: whose mailbox it is. A mention has them hear of what comes in the thread. */
function describeOwner({ owner, place }: ToAnswer['mailbox']): RichTextElement[] {
  const user = readSlackUser(owner.id);
  if (place === null || isDirectChannel(place) || user === null) return [];
  return [text(`\n${MAIL.forWhom}`), { type: 'user', user_id: user }];
}

/** How a mail begins, on one line, since a salutation alone says nothing; empty where it's empty. */
function readBeginning(words: string, most: number = BEGINNING.newer): string {
  const lines = visible(head(words, LOOKED_THROUGH))
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  return clip(lines.join(' '), most);
}

function quote(words: string): RichTextQuote {
  return { type: 'rich_text_quote', elements: [text(words)] };
}
