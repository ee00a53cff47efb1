import type { KnownBlock } from '@slack/types';
import type { Actor, CallRecord } from '../../../gate/types.ts';
import { askedByProgram } from '../../../presentation/outcome-text.ts';
import { NOT_ALL } from '../../../presentation/texts.ts';
import { type CallView, callTitle, stepLine } from '../../cards/call-view.ts';
import { openLink, plainLine } from '../../cards/plain-messages.ts';
import { stateLine } from '../../cards/state-line.ts';
import { type AskedKind, askedKindSchema, isOfKind } from '../../home/asked-kinds.ts';
import { hasCard } from '../../outbox/enqueue.ts';
import type { ThreadUrl } from '../../permalinks.ts';
import { bold, type Message, richText, section, text } from '../../text/block-kit.ts';
import { listMessage } from '../../text/list-message.ts';
import { HISTORY } from '../../texts/commands.ts';
import type { HandlerPorts } from '../ports.ts';

/** The most calls that are read for it, further back where only some are wanted, and listed of them. */
const READ = { all: 200, ofKind: 1_000 };
const LISTED = 20;

/** The answer to `/countersign history`: the person's own calls that had cards, newest first, each with its thread. */
export async function historyText(ports: HandlerPorts, actor: Actor, given: string) {
  const word = given.trim().toLowerCase();
  if (word !== '' && !isKind(word)) return plainLine(HISTORY.unknown(word));
  const most = word === '' ? READ.all : READ.ofKind;
  const asked = await ports.gate.calls.requestedBy(actor.id, most);
  const found = inOrder(asked).filter(
    (call) => hasCard(call) && call.kind === 'tool' && (word === '' || isOfKind(call, word)),
  );
  const views = await ports.views.calls(found.slice(0, LISTED), actor);
  const title = word === '' ? HISTORY.all : HISTORY.kinds[word];
  const isCut = asked.length === most;
  if (views.length === 0) return plainLine(`${HISTORY.none(title)}${isCut ? ` ${NOT_ALL}` : ''}`);
  const isMore = found.length > LISTED || isCut;
  return historyMessage(title, views, isMore, ports.threadUrl);
}

/** Newest first as they come, but those of one request as they were proposed. */
function inOrder(calls: readonly CallRecord[]): readonly CallRecord[] {
  const requests = Map.groupBy(
    calls,
    ({ requestId, threadId, callId }) => requestId ?? `${threadId}\n${callId}`,
  );
  return [...requests.values()].flatMap((group) =>
    group.toSorted((a, b) => (a.ordinal ?? 0) - (b.ordinal ?? 0)),
  );
}

function isKind(word: string): word is AskedKind {
  return askedKindSchema.safeParse(word).success;
}

function historyMessage(
  title: string,
  views: readonly CallView[],
  isMore: boolean,
  url: ThreadUrl,
): Message<KnownBlock> {
  const lines = views.map((view) => {
    const open = openLink(view, url);
    return richText(
      `history:${view.callKey}`,
      section(
        bold(callTitle(view)),
        text(askedByProgram(view.call)),
        ...stepLine(view),
        text('\n'),
        ...stateLine(view),
        ...open,
      ),
    );
  });
  const end = isMore ? [richText('history:more', section(text(NOT_ALL)))] : [];
  return listMessage(title, [richText('history', section(bold(title))), ...lines, ...end]);
}
