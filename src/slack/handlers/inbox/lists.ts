import type { KnownBlock, ModalView } from '@slack/types';
import type { Mail, Mailbox } from '../../../inbox/ports.ts';
import { plainLine } from '../../cards/plain-messages.ts';
import { readSlackUser } from '../../ids.ts';
import {
  type DigestView,
  digestMessage,
  type ListState,
  PAGE,
  toListed,
} from '../../inbox/digest-message.ts';
import { historyModal } from '../../inbox/forms.ts';
import { learnedMessage } from '../../inbox/learned-message.ts';
import { rulesMessage } from '../../inbox/rules-message.ts';
import type { Message } from '../../text/block-kit.ts';
import { DIGEST } from '../../texts/inbox.ts';
import type { HandlerPorts } from '../ports.ts';

type ListPorts = Pick<HandlerPorts, 'inbox' | 'threadUrl'>;

/** What is typed after `mails` or `ignored`: the server of one of these, a page from 1, or both. */
export function readPage(
  words: string,
  servers: readonly string[],
): { readonly server: string; readonly page: number } {
  // Names may look like numbers.
  if (servers.some((server) => server.toLowerCase() === words.toLowerCase()))
    return { server: words, page: 1 };
  const [, server = '', page] = /^(?:(.+?)\s+)?(\d+)$/s.exec(words) ?? [];
  return page === undefined ? { server: words, page: 1 } : { server, page: Math.max(1, Number(page)) };
}

/** The answer to `/countersign inbox mails` and `ignored`: a page, newest first. */
export async function readMails(
  ports: ListPorts,
  mailbox: Mailbox,
  { state, page }: { readonly state: ListState; readonly page: number },
): Promise<Message<KnownBlock>> {
  const all = await ports.inbox.mails(mailbox.id, state);
  if (all.length === 0) return plainLine(state === 'ignored' ? DIGEST.noneIgnored : DIGEST.none);
  const rest = all.slice((page - 1) * PAGE);
  if (rest.length === 0) return plainLine(DIGEST.noPage(page, Math.ceil(all.length / PAGE)));
  const shown = rest.slice(0, PAGE);
  const mails = await toOwn(ports, mailbox.owner.id, shown);
  return digestMessage({ state, page, mailbox, mails, more: rest.length - shown.length }, ports.threadUrl);
}

interface ShownList extends Pick<DigestView, 'more' | 'state'> {
  readonly mailIds: readonly string[];
  readonly page?: number;
}

/** A digest or a page of a list as its mails are now, by their ids; null where none of them is somebody's own any more. */
export async function readDigest(
  ports: ListPorts,
  personId: string,
  { mailIds, page, ...shown }: ShownList,
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
  return digestMessage({ ...shown, page: page ?? null, mailbox: first.mailbox, mails }, ports.threadUrl);
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
