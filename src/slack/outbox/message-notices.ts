import type { KnownBlock } from '@slack/types';
import type { Gate } from '../../gate/index.ts';
import { type CallRecord, ownsRequest, waitsForPerson } from '../../gate/types.ts';
import type { PersonalConnections } from '../../oauth/ports.ts';
import { type MailboxItem, type Runs, repeatId, waitsId } from '../../runs/index.ts';
import type { CallView } from '../cards/call-view.ts';
import { connectDone, type NeedView } from '../cards/elicitation-cards.ts';
import { heldMessageCard, parkedLine } from '../cards/held-message-card.ts';
import { errorLine, failedLine, plainLine, withRead, withRetries } from '../cards/plain-messages.ts';
import type { Message } from '../text/block-kit.ts';
import { markdownMessages } from '../text/markdown.ts';
import { ELICITATION_END, HELD_OVER } from '../texts/messages.ts';
import { findFailedHalves } from '../views/answer-pairs.ts';
import type { Views } from '../views/call-views.ts';

interface NoticePorts {
  readonly gate: Gate;
  readonly views: Pick<Views, 'calls'>;
  readonly runs: Pick<Runs, 'item' | 'waits'>;
}

/** The messages of a notice; with `onlyUpdate`, one that was never posted needn't be. */
interface Notice {
  readonly messages: readonly Message<KnownBlock>[];
  readonly onlyUpdate: boolean;
}

/** What stands below a message that is held, or was. */
export async function heldNotice(ports: NoticePorts, item: MailboxItem, threadId: string): Promise<Notice> {
  const { waits } = await ports.runs.waits(threadId);
  const [first] = waits;
  if (item.state !== 'held' || !first) {
    // A message that never ran was used as feedback or as an answer.
    const unrun = item.state === 'answered' && item.runId === null ? 'feedback' : null;
    const used = item.usedAs ?? unrun;
    const words = used === null ? HELD_OVER[item.state] : HELD_OVER.used[used];
    return { messages: [plainLine(words)], onlyUpdate: true };
  }
  // What a button under it is about: what waits as the button was shown, and the message.
  const key = `${waitsId(waits)}:${item.itemId}`;
  // All that a thread waits for is asked for by one person.
  if (!ownsRequest(first.request, item.actor)) {
    return { messages: [parkedLine(key, first.request.requester.name)], onlyUpdate: false };
  }
  const waiting = waits.flatMap(({ calls }) => calls.filter(waitsForPerson));
  const view = { key, calls: await ports.views.calls(waiting, null) };
  return { messages: [heldMessageCard(view)], onlyUpdate: false };
}

/** Why a message has no answer; it can be tried again, once, where that may help. */
export async function failure(
  ports: NoticePorts,
  { itemId, isPassing }: MailboxItem,
  userMessage: string,
): Promise<Message<KnownBlock>> {
  const isOver = isPassing !== true || (await ports.runs.item(repeatId(itemId))) !== null;
  return isOver ? errorLine({ userMessage }) : failedLine(userMessage, itemId);
}

/** What became of a form or a sign-in. */
export function answered(call: CallRecord): string {
  const { action = 'cancel', closed, by } = call.elicitationAnswer ?? {};
  const { server } = call.tool;
  if (by === 'server') return ELICITATION_END.doneByServer(server);
  if (closed === 'server') return ELICITATION_END.server(server);
  if (closed !== undefined) return ELICITATION_END[closed];
  const ends = {
    accept: ELICITATION_END.answered,
    decline: ELICITATION_END.declined,
    cancel: ELICITATION_END.cancelled,
  };
  return ends[action](call.requester.name);
}

/** The line of a sign-in that is no longer asked for: by the name that it has in Home, and whether it was made. */
export async function signInOver(
  { connections }: { readonly connections: Pick<PersonalConnections, 'list'> },
  { call: { requester } }: CallView,
  need: NeedView,
): Promise<ReturnType<typeof connectDone>> {
  const own = await connections.list(requester);
  const found = own.find(({ servers }) => servers.includes(need.server));
  const server = found?.server ?? need.server;
  return connectDone({ ...need, server }, { isConnected: found?.state === 'connected' });
}

/** An answer, with what failed in the run that answered a mail, and with what was read. */
export async function answerMessages(
  {
    runs,
    gate,
    views: { calls },
  }: Pick<NoticePorts, 'views' | 'gate'> & { readonly runs: Pick<Runs, 'thread'> },
  item: MailboxItem,
  response: string,
): Promise<readonly Message<KnownBlock>[]> {
  const { threadId, runId, read } = item;
  // A run that answers a mail has read that; nobody else's answer waits for more.
  const mayBeOfInbox = runId !== null && read !== undefined;
  const isOfInbox = mayBeOfInbox && (await runs.thread(threadId))?.graph === 'inbox';
  const failed = isOfInbox ? await findFailedHalves(gate, threadId, runId) : [];
  const views = failed.length === 0 ? [] : await calls(failed, null);
  return withRead(withRetries(markdownMessages(response), views), item);
}
