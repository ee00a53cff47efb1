import type { KnownBlock } from '@slack/types';
import type { Gate } from '../../gate/index.ts';
import { type CallRecord, ownsRequest, type RequestRecord, waitsForPerson } from '../../gate/types.ts';
import { type MailboxItem, repeatId } from '../../runs/index.ts';
import { heldMessageCard, parkedLine } from '../cards/held-message-card.ts';
import { errorLine, failedLine, plainLine } from '../cards/plain-messages.ts';
import type { Message } from '../text/block-kit.ts';
import { ELICITATION_END, HELD_OVER } from '../texts/messages.ts';
import type { Views } from '../views/call-views.ts';

interface NoticePorts {
  readonly gate: Gate;
  readonly views: Pick<Views, 'calls'>;
  readonly item: (itemId: string) => Promise<MailboxItem | null>;
}

/** The messages of a notice; with `onlyUpdate`, one that was never posted needn't be. */
interface Notice {
  readonly messages: readonly Message<KnownBlock>[];
  readonly onlyUpdate: boolean;
}

/** What a button under a held message is about: what waits as the button was shown, and the message. */
function heldKey({ requestId }: RequestRecord, { itemId }: MailboxItem): string {
  return `${requestId}:${itemId}`;
}

/** What stands below a message that is held, or was. */
export async function heldNotice(ports: NoticePorts, item: MailboxItem, threadId: string): Promise<Notice> {
  const request = await ports.gate.requests.openIn(threadId);
  if (item.state !== 'held' || !request) {
    // A message that never ran was used as feedback or as an answer.
    const unrun = item.state === 'answered' && item.runId === null ? 'feedback' : null;
    const used = item.usedAs ?? unrun;
    const words = used === null ? HELD_OVER[item.state] : HELD_OVER.used[used];
    return { messages: [plainLine(words)], onlyUpdate: true };
  }
  if (!ownsRequest(request, item.actor)) {
    return { messages: [parkedLine(heldKey(request, item), request.requester.name)], onlyUpdate: false };
  }
  const calls = await ports.gate.calls.inThread(threadId, request.callIds);
  const waiting = calls.filter((call) => call !== null).filter(waitsForPerson);
  const view = { key: heldKey(request, item), calls: await ports.views.calls(waiting, null) };
  return { messages: [heldMessageCard(view)], onlyUpdate: false };
}

/** Why a message has no answer; it can be tried again, once, where that may help. */
export async function failure(
  ports: NoticePorts,
  { itemId, isPassing }: MailboxItem,
  userMessage: string,
): Promise<Message<KnownBlock>> {
  const isOver = isPassing !== true || (await ports.item(repeatId(itemId))) !== null;
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
