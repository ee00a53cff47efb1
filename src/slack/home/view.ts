import type { HomeView, KnownBlock, RichTextElement } from '@slack/types';
import type { Need } from '../../gate/types.ts';
import { isOpenDoubt } from '../../gate/types.ts';
import type { HeldTools, ServerStatus } from '../../mcp/ports.ts';
import { askedByProgram, sentence } from '../../presentation/outcome-text.ts';
import { clip, clipAtWord, oneLine, quoteText } from '../../presentation/text/clip.ts';
import { visible } from '../../presentation/text/visible.ts';
import { moreOfLimit } from '../../runs/index.ts';
import { ACTIONS } from '../cards/action-ids.ts';
import { callValue } from '../cards/action-values.ts';
import { doubtButtons } from '../cards/call-buttons.ts';
import { callEntry } from '../cards/call-card.ts';
import { type CallView, callReference, callTitle, stepLine } from '../cards/call-view.ts';
import { connectButtons, elicitationSummary, formButtons } from '../cards/elicitation-cards.ts';
import { shownQuestion } from '../cards/question-card.ts';
import { type OfferedTool, serverSections } from '../cards/server-sections.ts';
import { stateLine } from '../cards/state-line.ts';
import { nameOwner, type UseView, useSections } from '../cards/use-sections.ts';
import { documentBlocks } from '../documents/document-blocks.ts';
import { isDirectChannel, parseSlackPlace } from '../ids.ts';
import type { MessagePlace, ThreadUrl } from '../permalinks.ts';
import { askedAbout, isOfInbox } from '../text/answered-mail.ts';
import {
  actions,
  bold,
  button,
  instant,
  LIMITS,
  plain,
  preformatted,
  richText,
  section,
  text,
} from '../text/block-kit.ts';
import { QUESTION } from '../texts/cards.ts';
import { USE } from '../texts/commands.ts';
import { HOME } from '../texts/home.ts';
import { LIMIT_CARD } from '../texts/limits.ts';
import { needView, questionView } from '../views/call-views.ts';
import type { PermissionsView } from '../views/types.ts';
import type { MetricsView } from './approval-metrics.ts';
import { type ConnectionsView, connectionBlocks } from './connections.ts';
import {
  type AskedFilterView,
  askedFilterBlocks,
  type FilterView,
  filterBlocks,
  waitingHeadline,
} from './filter.ts';
import { type InboxView, inboxBlocks } from './inbox.ts';
import { allowButton, takeBackButton, toQuestion } from './limit-card.ts';
import { type MemoryView, memoryBlocks } from './memory.ts';
import { metricsBlocks } from './metrics-blocks.ts';
import { type HomePage, pagingBlocks } from './paging.ts';
import { permissionBlocks } from './permissions.ts';
import { type ProgramsView, programBlocks } from './programs.ts';
import { reviewBlocks } from './review-blocks.ts';
import { type SchedulesView, scheduleBlocks } from './schedules.ts';

export interface HomeContent {
  readonly botName: string;
  /** The calls that wait for the viewer, oldest first. */
  readonly waiting: HomePage<CallView>;
  /** The filter on them; null where there is nothing to choose. */
  readonly filter: FilterView | null;
  /** Where the cards of waiting calls are, by the calls' keys, as far as they were posted. */
  readonly cards: ReadonlyMap<string, MessagePlace>;
  /** The viewer's own requests, latest first, without those that wait for the viewer. */
  readonly asked: HomePage<CallView>;
  /** Whether the viewer has ever asked for anything. */
  readonly hasAsked: boolean;
  readonly askedFilter: AskedFilterView;
  readonly servers: readonly ServerStatus[];
  /** All tools that the servers list. */
  readonly tools: readonly OfferedTool[];
  /** The viewer's own connections; left out where no server needs a sign-in. */
  readonly connections?: ConnectionsView;
  /** The programs that the viewer has let in; left out where nobody can. */
  readonly programs?: ProgramsView;
  /** The documents that the viewer can ask for; left out where they can't be listed now. */
  readonly documents?: Parameters<typeof documentBlocks>[0];
  /** What is remembered of the viewer; left out where nothing can be. */
  readonly memory?: MemoryView;
  /** What the viewer has run at times. */
  readonly schedules?: SchedulesView;
  /** The viewer's mailboxes that are watched; left out where none can be. */
  readonly inbox?: InboxView;
  /** Prompts that work with the connected tools; see `examplesFor`. */
  readonly examples: readonly string[];
  /** The viewer's grants and delegations; null leaves the section out. */
  readonly permissions: PermissionsView | null;
  /** What has been used of the day's limits. */
  readonly use: UseView;
  /** Tools that wait for a review; null for a viewer who isn't an admin. */
  readonly reviews: readonly HeldTools[] | null;
  /** The approval metrics; null for a viewer who isn't an admin. */
  readonly health: MetricsView | null;
  /** The links to threads. */
  readonly threadUrl: ThreadUrl;
}

/** Separates two calls, so that nobody takes one's arguments for the other's. */
const DIVIDER: KnownBlock = { type: 'divider' };

/**
 * The App Home: first the calls that wait for the viewer, oldest first and decidable there; then their mailboxes, if they have any; then their own
 * requests; then servers; then documents; then what could be their mailbox; then what they have scheduled; then what is remembered of them; then what they have used of the day's limits; then their grants and delegations; then, for admins, the approval metrics.
 */
export function homeView(content: HomeContent): HomeView {
  const { waiting, filter } = content;
  const health = content.health === null ? [] : metricsBlocks(content.health);
  const use = useBlocks(content.use);
  const first: KnownBlock[] = [
    header('waiting', waitingHeadline(waiting, filter)),
    ...(filter === null ? [] : filterBlocks(filter)),
    ...waiting.items.flatMap((view, index) => [
      ...(index === 0 ? [] : [DIVIDER]),
      ...waitingBlocks(view, content),
    ]),
    ...pagingBlocks('waiting', waiting),
    ...reviewBlocks(content.reviews ?? []),
  ];
  const blocks: KnownBlock[] = [
    header('asked', HOME.youAskedFor),
    ...askedFilterBlocks(content.askedFilter),
    ...(content.hasAsked ? askedBlocks(content) : [emptyState(content)]),
    header('servers', HOME.servers),
    richText('servers', ...serverSections(content.servers, content.tools)),
    ...(content.connections ? connectionBlocks(content.connections) : []),
    ...(content.programs ? programBlocks(content.programs) : []),
    ...(content.documents ? documentBlocks(content.documents) : []),
  ];
  const left = LIMITS.viewBlocks - first.length - blocks.length - use.length - health.length;
  const free = left - PERMISSIONS_LEAST - MEMORY_LEAST;
  const inbox = content.inbox ? inboxBlocks(content.inbox, free) : [];
  const schedules = scheduleBlocks(content.schedules ?? [], free - inbox.length);
  const memoryRoom = left - PERMISSIONS_LEAST - inbox.length - schedules.length;
  const memory = content.memory ? memoryBlocks(content.memory, memoryRoom) : [];
  // Whoever has mails answered looks for them here.
  const [above, below] = content.inbox?.mailboxes.length ? [inbox, []] : [[], inbox];
  const room = left - inbox.length - schedules.length - memory.length;
  const permissions = content.permissions === null ? [] : permissionBlocks(content.permissions, room);
  return {
    type: 'home',
    callback_id: 'home',
    blocks: [
      ...first,
      ...above,
      ...blocks,
      ...below,
      ...schedules,
      ...memory,
      ...use,
      ...permissions,
      ...health,
    ],
  };
}

/** The blocks that delegations take at least, with the count of what somebody has allowed, and what is remembered. */
const PERMISSIONS_LEAST = 5;
const MEMORY_LEAST = 4;

/** The longest question of the agent in the list, in characters. */
const QUESTION_LENGTH = 300;

/** The most limits that Home has a button for. */
const EXTENDABLE = 5;

function useBlocks(use: UseView): KnownBlock[] {
  const sections = useSections(use);
  if (sections.length === 0) return [];
  const near = use.near ?? [];
  const usedUp = near.filter(({ used, limit }) => used >= limit).slice(0, EXTENDABLE);
  const extended = near.filter(({ used, limit, allowed }) => used < limit && allowed !== null);
  return [
    header('use', USE.title),
    ...sections.map((part, index) => richText(`use:${index}`, part)),
    ...usedUp.map((it, index) =>
      actions(`use:extend:${index}`, allowButton(toQuestion(it, use.until), it.name)),
    ),
    ...extended.slice(0, EXTENDABLE).flatMap((it, index) => extendedBlocks(it, use.until, index)),
  ];
}

/** What an admin allowed somebody today, with the button that takes it back. */
function extendedBlocks(
  use: NonNullable<UseView['near']>[number],
  until: number,
  index: number,
): KnownBlock[] {
  const { allowed, limit, measure } = use;
  if (allowed === null) return [];
  const { amount, question, by } = allowed;
  const words = LIMIT_CARD.allowedWhom(
    nameOwner(use, use.name),
    LIMIT_CARD.allowed(sentence(by.name), moreOfLimit(measure, amount)),
  );
  const asked = { ...toQuestion(use, until), question, amount, limit: limit - amount };
  return [
    richText(`use:allowed:${index}`, section(text(words))),
    actions(`use:undo:${index}`, takeBackButton(asked)),
  ];
}

function header(name: string, words: string): KnownBlock {
  return { type: 'header', block_id: `header:${name}`, text: plain(words, 150) };
}

function waitingBlocks(view: CallView, { threadUrl, cards }: HomeContent): KnownBlock[] {
  const where = threadLinkLine(view.call.threadId, threadUrl, cards.get(view.callKey));
  const place = isOfInbox(view.call) ? sinceLine(view, where) : where;
  if (isOpenDoubt(view.call)) {
    const line = section(...titleInList(view), text('\n'), ...stateLine(view), ...place);
    return [richText(`title:${view.callKey}`, line), doubtButtons(view)];
  }
  if (view.call.need) return needBlocks(view, view.call.need, place);
  if (view.call.kind === 'tool') return callEntry(view, place);
  const answer = button(ACTIONS.answer, QUESTION.answer, callValue(callReference(view)), {
    style: 'primary',
  });
  return [
    richText(`title:${view.callKey}`, section(bold(HOME.agentAsks), ...quoteQuestion(view), ...place)),
    actions(`call:${view.callKey}`, answer),
  ];
}

/** What the agent asks, as far as a list has room for it, and about which mail. */
function quoteQuestion(view: CallView): RichTextElement[] {
  const question = clipAtWord(oneLine(shownQuestion(questionView(view)).text), QUESTION_LENGTH);
  return [text(quoteText(question)), ...askedAbout(view)];
}

/** Since when a draft or a question about a mail waits, on the line that says where. */
function sinceLine(
  { call, resolve }: CallView,
  [lineBreak, ...where]: readonly RichTextElement[],
): RichTextElement[] {
  const since = [text(HOME.since), instant(call.proposedAt, resolve.timeZone)];
  return lineBreak === undefined ? since : [...since, text(' · '), ...where];
}

/**
 * A last line with the link to the thread where something was requested, or to its `card`; nothing for requests from
 * outside Slack.
 */
function threadLinkLine(threadId: string, urlOf: ThreadUrl, card?: MessagePlace): RichTextElement[] {
  const place = parseSlackPlace(threadId);
  if (place === null) return [];
  const { channel } = place;
  const url = urlOf(threadId, card);
  const words = card === undefined ? HOME.openThread : HOME.openCard;
  return [
    text('\n'),
    isDirectChannel(channel) ? text(HOME.directMessages) : { type: 'channel', channel_id: channel },
    ...(url === null ? [] : [text(' · '), { type: 'link', url, text: words } as const]),
  ];
}

function titleInList(view: CallView): RichTextElement[] {
  return [bold(callTitle(view)), text(askedByProgram(view.call)), ...stepLine(view)];
}

/** A server's need, in its own words; a sign-in link is shown only in a modal. */
function needBlocks(view: CallView, need: Need, place: readonly RichTextElement[]): KnownBlock[] {
  const title = titleInList(view);
  if (need.kind === 'oauth_url') {
    const waits = text(HOME.waitsForConnection(sentence(needView(view).server)));
    return [
      richText(`need:${view.callKey}`, section(...title, waits, ...place)),
      connectButtons(needView(view)),
    ];
  }
  const asks = text(HOME.waitsFor(sentence(view.call.tool.server), elicitationSummary(needView(view))));
  const says = preformatted(clip(visible(need.message), 2000));
  return [
    richText(`need:${view.callKey}`, section(...title, asks, ...place), says),
    formButtons(needView(view)),
  ];
}

function askedBlocks({ asked, askedFilter, threadUrl, cards }: HomeContent): KnownBlock[] {
  const lines = asked.items.map((view) => {
    const place = threadLinkLine(view.call.threadId, threadUrl, cards.get(view.callKey));
    const line = section(...titleInList(view), text('\n'), ...stateLine(view), ...place);
    return richText(`asked:${view.callKey}`, line);
  });
  const words = askedFilter.chosen === null ? HOME.nothingElse : HOME.noneOfKind;
  const none = lines.length === 0 ? [richText('asked', section(text(words)))] : [];
  return [...lines, ...none, ...pagingBlocks('asked', asked)];
}

/** The empty state, with prompts to try. */
function emptyState({ botName, examples }: HomeContent): KnownBlock {
  const name = sentence(botName);
  const how = text(HOME.empty(name));
  const tries = examples.slice(0, 3).map((example) => text(`\n• ${sentence(example)}`));
  return richText('empty', section(how, text(tries.length === 0 ? '.' : HOME.forExample), ...tries));
}
