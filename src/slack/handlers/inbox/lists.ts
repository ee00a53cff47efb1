import type { KnownBlock } from '@slack/types';
import type { Mailbox } from '../../../inbox/ports.ts';
import { plainLine } from '../../cards/plain-messages.ts';
import { digestMessage, PAGE, toListed } from '../../inbox/digest-message.ts';
import { learnedMessage } from '../../inbox/learned-message.ts';
import type { Message } from '../../text/block-kit.ts';
import { DIGEST } from '../../texts/inbox.ts';
import type { HandlerPorts } from '../ports.ts';

type ListPorts = Pick<HandlerPorts, 'inbox' | 'threadUrl'>;

/** The answer to `/countersign inbox mails`: a page of what is listed and nobody has dealt with, newest first. */
export async function readOpenMails(
  { inbox, threadUrl }: ListPorts,
  mailbox: Mailbox,
  page: number,
): Promise<Message<KnownBlock>> {
  const personId = mailbox.owner.id;
  const [all, history, preferences] = await Promise.all([
    inbox.mails(mailbox.id, 'listed'),
    inbox.history(personId),
    inbox.preferences(personId),
  ]);
  const rest = all.slice((page - 1) * PAGE);
  if (rest.length === 0) return plainLine(DIGEST.none);
  const mails = toListed(rest.slice(0, PAGE), history, preferences);
  return digestMessage({ page, mailbox, mails, more: rest.length - mails.length }, threadUrl);
}

/** A digest as its mails are now, by their ids; null where none of them is somebody's own any more. */
export async function readDigest(
  { inbox, threadUrl }: ListPorts,
  personId: string,
  { mailIds, more }: { readonly mailIds: readonly string[]; readonly more: number },
): Promise<Message<KnownBlock> | null> {
  const [read, history, preferences] = await Promise.all([
    Promise.all(mailIds.map((id) => inbox.find(id))),
    inbox.history(personId),
    inbox.preferences(personId),
  ]);
  const own = read.flatMap((one) => (one?.mailbox.owner.id === personId ? [one] : []));
  const [first] = own;
  if (!first) return null;
  const mails = toListed(
    own.map(({ mail }) => mail),
    history,
    preferences,
  );
  // Those that aren't kept any more are counted, but can't be shown.
  return digestMessage({ page: null, mailbox: first.mailbox, mails, more }, threadUrl);
}

/** What was learned, as it is now, by the ids of changes; null where nothing of it is kept. */
export async function readLearned(
  { inbox }: ListPorts,
  personId: string,
  changeIds: readonly string[],
): Promise<Message<KnownBlock> | null> {
  const history = await inbox.history(personId);
  const changes = changeIds.flatMap((id) => history.find((change) => change.id === id) ?? []);
  return changes.length === 0 ? null : learnedMessage(changes);
}
