import type { HomeView, KnownBlock } from '@slack/types';
import { isOpenDoubt, type Need } from '../../gate/types.ts';
import type { ServerStatus } from '../../mcp/types.ts';
import { ACTIONS } from '../cards/actions.ts';
import { decisionButtons, doubtButtons } from '../cards/call-buttons.ts';
import { callBody } from '../cards/call-card.ts';
import { type CallView, callInWords, referenceOf } from '../cards/call-view.ts';
import { serverLines } from '../cards/lines.ts';
import { connectButtons, formButtons } from '../cards/need-cards.ts';
import { sentence } from '../cards/outcome-words.ts';
import { callValue } from '../cards/references.ts';
import { stateLine } from '../cards/state-line.ts';
import { clip } from '../text/clip.ts';
import {
  actions,
  bold,
  button,
  context,
  plain,
  preformatted,
  richText,
  section,
  text,
} from '../text/elements.ts';
import { visible } from '../text/visible.ts';
import { needView } from '../views.ts';

/** A waiting call takes up to five blocks: ten with all else stay inside 100 blocks and 250 kB. */
const WAITING_ON_PAGE = 10;
const ASKED_ON_PAGE = 20;

export interface HomeContent {
  readonly botName: string;
  /** What waits for the viewer. */
  readonly waiting: readonly CallView[];
  /** What the viewer asked for, latest first. */
  readonly asked: readonly CallView[];
  readonly servers: readonly ServerStatus[];
  /** Things to write that work with the connected tools; see `examplesFor`. */
  readonly examples: readonly string[];
  /** Pages of the two lists, from 0; one that does not exist becomes the nearest that does. */
  readonly waitingPage: number;
  readonly askedPage: number;
}

/** Between two calls, so that nobody takes the one's arguments for the other's. */
const DIVIDER: KnownBlock = { type: 'divider' };

/** App Home: first what waits for the viewer, oldest first and decidable there; then what they asked for; then servers. */
export function homeView(content: HomeContent): HomeView {
  const oldestFirst = content.waiting.toSorted(
    (a, b) => a.call.proposedAt - b.call.proposedAt || byOrdinal(a, b),
  );
  const blocks: KnownBlock[] = [
    header(
      'waiting',
      oldestFirst.length === 0 ? 'Nothing waits for you' : `Waiting for you (${oldestFirst.length})`,
    ),
    ...pageOf(oldestFirst, content.waitingPage, WAITING_ON_PAGE).flatMap((view, index) => [
      ...(index === 0 ? [] : [DIVIDER]),
      ...waitingBlocks(view),
    ]),
    ...pagingBlocks('waiting', oldestFirst.length, content.waitingPage, WAITING_ON_PAGE),
    header('asked', 'You asked for'),
    ...askedBlocks(content),
    header('servers', 'Connected servers'),
    richText('servers', section(text(serverLines(content.servers)))),
  ];
  return { type: 'home', callback_id: 'home', blocks };
}

/** Calls that were asked for together stand in the order in which they were. */
function byOrdinal(a: CallView, b: CallView): number {
  return (a.call.ordinal ?? 0) - (b.call.ordinal ?? 0);
}

function header(name: string, words: string): KnownBlock {
  return { type: 'header', block_id: `header:${name}`, text: plain(words, 150) };
}

function waitingBlocks(view: CallView): KnownBlock[] {
  if (isOpenDoubt(view.call)) {
    const line = section(bold(callInWords(view)), text('\n'), ...stateLine(view));
    return [richText(`title:${view.callKey}`, line), doubtButtons(view)];
  }
  if (view.call.need) return needBlocks(view, view.call.need);
  if (view.call.kind === 'tool') return [...callBody(view), decisionButtons(view)];
  const answer = button(ACTIONS.answer, 'Answer…', callValue(referenceOf(view)), { style: 'primary' });
  return [
    richText(`title:${view.callKey}`, section(bold('The agent asks: '), text(callInWords(view)))),
    actions(`call:${view.callKey}`, answer),
  ];
}

/** What a server asks for, in its words; a link to sign in is shown in a modal only. */
function needBlocks(view: CallView, need: Need): KnownBlock[] {
  const title = bold(callInWords(view));
  if (need.kind === 'oauth_url') {
    const waits = text(` waits until you connect ${sentence(view.call.tool.server)}.`);
    return [richText(`need:${view.callKey}`, section(title, waits)), connectButtons(needView(view))];
  }
  const asks = text(` waits: ${sentence(view.call.tool.server)} asks`);
  const says = preformatted(clip(visible(need.message), 2000));
  return [richText(`need:${view.callKey}`, section(title, asks), says), formButtons(needView(view))];
}

function askedBlocks(content: HomeContent): KnownBlock[] {
  const { asked, askedPage, examples, botName } = content;
  if (asked.length === 0) return [emptyState(botName, examples)];
  const latestFirst = asked.toSorted((a, b) => b.call.proposedAt - a.call.proposedAt || byOrdinal(a, b));
  const lines = pageOf(latestFirst, askedPage, ASKED_ON_PAGE).map((view) =>
    richText(`asked:${view.callKey}`, section(bold(callInWords(view)), text('\n'), ...stateLine(view))),
  );
  return [...lines, ...pagingBlocks('asked', asked.length, askedPage, ASKED_ON_PAGE)];
}

/** Teaches what to write. */
function emptyState(botName: string, examples: readonly string[]): KnownBlock {
  const name = sentence(botName);
  const how = text(`Nothing yet. Mention @${name} in a channel, or write to it in its messages tab`);
  const tries = examples.slice(0, 3).map((example) => text(`\n• ${sentence(example)}`));
  return richText('empty', section(how, text(tries.length === 0 ? '.' : ', for example:'), ...tries));
}

function pagingBlocks(list: 'waiting' | 'asked', count: number, page: number, size: number): KnownBlock[] {
  if (count <= size) return [];
  const at = nearest(page, count, size);
  const after = count - (at + 1) * size;
  const back = at > 0 ? [button(`${ACTIONS.homePage}.back`, 'Back', `${list}:${at - 1}`)] : [];
  const on =
    after > 0
      ? [button(`${ACTIONS.homePage}.on`, `Show ${Math.min(after, size)} more`, `${list}:${at + 1}`)]
      : [];
  const words = after > 0 ? `and ${after} more` : `Page ${at + 1}`;
  return [context(`where:${list}`, words), actions(`paging:${list}`, ...back, ...on)];
}

function pageOf<Item>(items: readonly Item[], page: number, size: number): readonly Item[] {
  const at = nearest(page, items.length, size);
  return items.slice(at * size, (at + 1) * size);
}

function nearest(page: number, count: number, size: number): number {
  return Math.max(0, Math.min(page, Math.ceil(count / size) - 1));
}
