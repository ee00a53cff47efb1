import type { KnownBlock, ModalView } from '@slack/types';
import type { Mail, Mailbox } from '../../../inbox/ports.ts';
import { plainLine } from '../../cards/plain-messages.ts';
import { readSlackUser } from '../../ids.ts';
import {
  type DigestView,
  digestMessage,
  type ListState,
  PAGE,
  readDigestBlocks,
  toListed,
} from '../../inbox/digest-message.ts';
import { historyModal } from '../../inbox/forms.ts';
import { learnedMessage } from '../../inbox/learned-message.ts';
import { rulesMessage } from '../../inbox/rules-message.ts';
import type { Message } from '../../text/block-kit.ts';
import { DIGEST } from '../../texts/inbox.ts';
import type { HandlerPorts } from '../ports.ts';

type ListPorts = Pick<HandlerPorts, 'inbox' | 'threadUrl'>;

/** The answer to `/countersign inbox mails` and `ignored`, and the pages after it: newest first, `after` an earlier one. */
export async function readMails(
  ports: ListPorts,
  mailbox: Mailbox,
  { state, after }: { readonly state: ListState; readonly after: string | null },
): Promise<Message<KnownBlock>> {
  for (let most = PAGE; ; ) {
    const { mails: found, next: older } = await ports.inbox.page(mailbox.id, state, { after, most });
    if (found.length === 0 && after !== null) return plainLine(DIGEST.noOlder);
    if (found.length === 0) return plainLine(state === 'ignored' ? DIGEST.noneIgnored : DIGEST.none);
    const mails = await toOwn(ports, mailbox.owner.id, found);
    const message = digestMessage(
      { page: { state, isFirst: after === null, older }, mailbox, mails, more: 0, ignored: 0 },
      ports.threadUrl,
    );
    const shown = readDigestBlocks(message.blocks.map(({ block_id: id = '' }) => id));
    if (shown === null || shown.mailIds.length === found.length) return message;
    // The next page begins with what this one has no room for.
    most = shown.mailIds.length;
  }
}

interface ShownList extends Partial<Pick<DigestView, 'more' | 'ignored' | 'page'>> {
  readonly mailIds: readonly string[];
}

/** A digest or a page of a list as its mails are now, by their ids; null where none of them is somebody's own any more. */
export async function readDigest(
  ports: ListPorts,
  personId: string,
  { mailIds, page = null, more = 0, ignored = 0 }: ShownList,
): Promise<Message<KnownBlock> | null> {
  const read = await Promise.all(mailIds.map((id) => ports.inbox.find(id)));
  const own = read.flatMap((one) => (one?.mailbox.owner.id === personId ? [one] : []));
  const [first] = own;
  if (!first) return null;
  const mails = await toOwn(
    ports,
    personId,
    own.map(({ mail }) => mail),
  );
  // Those that aren't kept any more are counted, but can't be shown.
  return digestMessage({ page, more, ignored, mailbox: first.mailbox, mails }, ports.threadUrl);
}

/** Mails of a person with what they have said of senders. */
async function toOwn({ inbox }: ListPorts, personId: string, mails: readonly Mail[]) {
  const [history, preferences] = await Promise.all([inbox.history(personId), inbox.preferences(personId)]);
  return toListed(mails, history, preferences);
}

/** What was learned of somebody, and what they changed, each with a way to undo it. */
export async function readHistory(
  { inbox, directory }: Pick<HandlerPorts, 'inbox' | 'directory'>,
  personId: string,
): Promise<ModalView> {
  const [{ timeZone }, history, settings] = await Promise.all([
    directory.resolverFor([], readSlackUser(personId)),
    inbox.history(personId),
    inbox.settingChanges(personId),
  ]);
  return historyModal(history, settings, timeZone);
}

/** The rules of a mailbox as they are now, with a change that somebody made of them; null where that isn't kept any more. */
export async function readRules(
  { inbox }: ListPorts,
  personId: string,
  changeId: string,
): Promise<Message<KnownBlock> | null> {
  const change = (await inbox.settingChanges(personId)).find(({ id }) => id === changeId);
  const mailbox = (await inbox.list(personId)).find(({ server }) => server === change?.server);
  return change && mailbox ? rulesMessage(mailbox, change) : null;
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
