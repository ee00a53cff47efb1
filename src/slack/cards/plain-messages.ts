import type { KnownBlock, Overflow, PlainTextOption, RichTextElement } from '@slack/types';
import { formatCount } from '../../lib/count.ts';
import type { AppError } from '../../lib/errors.ts';
import type { ServerStatus } from '../../mcp/ports.ts';
import { askedByProgram, sentence } from '../../presentation/outcome-text.ts';
import { clip, pieces } from '../../presentation/text/clip.ts';
import { visible } from '../../presentation/text/visible.ts';
import { CALL_FACTS, NOT_ALL } from '../../presentation/texts.ts';
import type { MailboxItem } from '../../runs/index.ts';
import type { ReadFrom } from '../../runs/ports.ts';
import type { ToolDefinition } from '../../tools/ports.ts';
import type { ThreadUrl } from '../permalinks.ts';
import {
  actions,
  bold,
  button,
  context,
  instant,
  LIMITS,
  type Message,
  option,
  plain,
  richText,
  section,
  text,
} from '../text/block-kit.ts';
import { notification } from '../text/escape.ts';
import { isolated } from '../text/isolate.ts';
import { listMessage } from '../text/list-message.ts';
import { commandForms, HELP, STATUS } from '../texts/commands.ts';
import { andMore, UNDER_ANSWER } from '../texts/messages.ts';
import { ACTIONS } from './action-ids.ts';
import { callRetryButton } from './call-buttons.ts';
import { type CallView, callTitle, describeAct, stepLine } from './call-view.ts';
import { type OfferedTool, serverSections } from './server-sections.ts';
import { lineText, stateLine } from './state-line.ts';
import { type UseView, useSections } from './use-sections.ts';

const LISTED = 10;
/** Characters in one plain message: what Slack shows without folding it. */
const PIECE_LENGTH = 2800;
/** Servers, or kinds of things in them, that the line under an answer names; and the longest name there, in characters. */
const READ_PARTS = 5;
const NAME_LENGTH = 60;

/** An error in one line: what happened, what was not done, what to do next. */
export function errorLine({ userMessage }: Pick<AppError, 'userMessage'>): Message<KnownBlock> {
  return plainLine(`⚠️ ${sentence(userMessage)}`);
}

/** An error that may pass, with a button that has the same message worked on again. */
export function failedLine(userMessage: string, itemId: string): Message<KnownBlock> {
  const line = errorLine({ userMessage });
  const again = button(ACTIONS.sayAgain, UNDER_ANSWER.again, itemId);
  return { ...line, blocks: [...line.blocks, actions('again', again)] };
}

/** One line of our own text, in at most 700 characters, mentioning nobody. */
export function plainLine(words: string): Message<KnownBlock> {
  const shown = clip(visible(words), 700) || '…';
  return { text: notification(shown), blocks: [richText('line', section(text(shown)))] };
}

/** The line for a call that runs under a grant: what, by whose grant, and the outcome. */
export function grantedLine(view: CallView): Message<KnownBlock> {
  const what = callTitle(view);
  const line = stateLine(view);
  return {
    text: notification(`${what}: ${lineText(line)}`),
    blocks: [richText(`title:${view.callKey}`, section(bold(what), text('\n'), ...line))],
  };
}

/** A long text, whole, as literal text in as many messages as it needs, mentioning nobody. */
export function plainMessages(words: string): Message<KnownBlock>[] {
  return pieces(visible(words), PIECE_LENGTH).map((piece) => ({
    text: notification(piece),
    blocks: [richText('line', section(text(piece)))],
  }));
}

/** An answer with what of it failed, and the way to try that again, where its last message has room for it. */
export function withRetries(
  messages: readonly Message<KnownBlock>[],
  failed: readonly CallView[],
): readonly Message<KnownBlock>[] {
  const last = messages.at(-1);
  if (last === undefined || last.blocks.length + failed.length > LIMITS.messageBlocks) return messages;
  const lines = failed.flatMap((view): KnownBlock[] => {
    const again = callRetryButton(view);
    if (again === null) return [];
    const words = plain(UNDER_ANSWER.failed(describeAct(view)));
    return [{ type: 'section', block_id: `again:${view.callKey}`, text: words, accessory: again }];
  });
  return [...messages.slice(0, -1), { ...last, blocks: [...last.blocks, ...lines] }];
}

/** An answer with a line of what was read for it, which opens to the list, where its last message has room for one. */
export function withRead(
  messages: readonly Message<KnownBlock>[],
  { itemId, read = [] }: Pick<MailboxItem, 'itemId' | 'read'>,
): readonly Message<KnownBlock>[] {
  const last = messages.at(-1);
  if (read.length === 0 || last === undefined || last.blocks.length >= LIMITS.messageBlocks) return messages;
  const parts = read.slice(0, READ_PARTS).map(describeRead);
  const more = read.length > READ_PARTS ? [UNDER_ANSWER.more(read.length - READ_PARTS)] : [];
  const words = UNDER_ANSWER.line([...parts, ...more].join(', '));
  const isListed = read.some(({ callIds }) => callIds.length > 0);
  const line = isListed ? lineWithMenu(words, option(UNDER_ANSWER.show, itemId)) : context('read', words);
  return [...messages.slice(0, -1), { ...last, blocks: [...last.blocks, line] }];
}

/** What was read of a server: `calendar`, `calendar (2 times)`, `3 files`, `2 events in calendar`. */
function describeRead({ server, what, calls }: ReadFrom): string {
  const name = isolated(clip(sentence(server), NAME_LENGTH));
  if (what === null) return UNDER_ANSWER.from(name, calls);
  const things = UNDER_ANSWER.oneByOne(calls, what);
  return [what, `${what}s`].includes(server.toLowerCase()) ? things : UNDER_ANSWER.inServer(things, name);
}

function lineWithMenu(words: string, choice: PlainTextOption): KnownBlock {
  const menu: Overflow = { type: 'overflow', action_id: ACTIONS.showRead, options: [choice] };
  return { type: 'section', block_id: 'read', text: plain(words), accessory: menu };
}

/** The answer to `/countersign help`. `examples` are prompts that work with the connected tools. */
export function helpText(botName: string, examples: readonly string[]): Message<KnownBlock> {
  const name = sentence(botName);
  const commands = commandForms().flatMap(({ typed, does }) => [text('\n'), bold(typed), text(`  ${does}`)]);
  const tries = examples.slice(0, LISTED).map((example) => text(HELP.prompt(name, sentence(example))));
  const elements = [bold(HELP.whatIDo), text(HELP.how(name)), ...commands];
  if (tries.length > 0) elements.push(bold(HELP.try), ...tries);
  return listMessage(HELP.title(name), [richText('help', section(...elements))]);
}

interface StatusView {
  readonly servers: readonly ServerStatus[];
  /** All tools that the servers list. */
  readonly tools: readonly (OfferedTool & Pick<ToolDefinition, 'modelName'>)[];
  /** How many tools the model is offered at once. */
  readonly maxTools: number;
  /** Calls that the viewer can decide. */
  readonly waiting: readonly CallView[];
  /** There may be more than was read. */
  readonly isMore: boolean;
  /** The viewer's own requests that haven't ended. */
  readonly open: readonly CallView[];
  readonly use: UseView;
  /** The links to threads. */
  readonly threadUrl: ThreadUrl;
}

type WaitingView = Pick<StatusView, 'waiting' | 'isMore' | 'threadUrl'>;

/** The answer to `/countersign pending`. */
export function pendingText({ waiting, isMore, threadUrl }: WaitingView): Message<KnownBlock> {
  const { headline, part } = waitingSection({ waiting, isMore, threadUrl });
  return listMessage(headline, [richText('pending', part)]);
}

function waitingSection({ waiting, isMore, threadUrl }: WaitingView) {
  const headline = waitingHeadline(waiting.length, { isMore });
  const waits = waiting
    .slice(0, LISTED)
    .flatMap((view) => [
      text(`\n• ${callTitle(view)}${askedByProgram(view.call)}`),
      ...stepLine(view, ' · '),
      ...(view.expiresAt === null
        ? []
        : [text(CALL_FACTS.listExpires), instant(view.expiresAt, view.resolve.timeZone)]),
      ...claimSuffix(view),
      ...openLink(view, threadUrl),
    ]);
  const unseen = isMore ? [text(`\n${NOT_ALL}`)] : [];
  return { headline, part: section(bold(headline), ...waits, ...rest(waiting), ...unseen) };
}

function waitingHeadline(count: number, { isMore }: Pick<StatusView, 'isMore'>): string {
  if (count === 0) return isMore ? STATUS.nothingFound : STATUS.nothingWaits;
  return STATUS.waiting(isMore ? `${count}+` : `${count}`);
}

function claimSuffix({ approval: { claim } }: CallView) {
  return claim === null ? [] : [text(STATUS.claimedBy(sentence(claim.by.name)))];
}

/** The answer to `/countersign status`. */
export function statusText({
  servers,
  tools,
  maxTools,
  waiting,
  isMore,
  open,
  use,
  threadUrl,
}: StatusView): Message<KnownBlock> {
  const { headline, part } = waitingSection({ waiting, isMore, threadUrl });
  const listed = new Set(waiting.map(({ callKey }) => callKey));
  const others = open.filter(({ callKey }) => !listed.has(callKey));
  const asked = others
    .slice(0, LISTED)
    .flatMap((view) => [
      text(`\n• ${callTitle(view)}${askedByProgram(view.call)}`),
      ...stepLine(view, ' · '),
      text(`: ${lineText(stateLine(view))}`),
      ...openLink(view, threadUrl),
    ]);
  const sections = [part];
  if (others.length > 0) {
    const title = waiting.length > 0 ? STATUS.youAlsoAskedFor : STATUS.youAskedFor;
    sections.push(section(bold(title), ...asked, ...rest(others)));
  }
  sections.push(...useSections(use));
  sections.push(section(bold(STATUS.servers)), ...serverSections(servers, tools));
  // Those for resources have one name, whatever the server.
  const usable = new Set(
    tools.flatMap(({ unavailableReason: held, modelName }) => (held === undefined ? [modelName] : [])),
  ).size;
  // One place is taken by the agent's own tool for questions.
  if (usable >= maxTools) {
    sections.push(section(text(STATUS.toolsAtOnce(formatCount(usable), formatCount(maxTools)))));
  }
  const blocks = sections.map((part, index) => richText(`status:${index}`, part));
  return listMessage(headline, blocks);
}

/** The link to the thread of a call, where there is one. */
export function openLink({ call }: CallView, threadUrl: ThreadUrl): RichTextElement[] {
  const url = threadUrl(call.threadId);
  return url === null ? [] : [text(' · '), { type: 'link', url, text: STATUS.open }];
}

function rest(views: readonly CallView[]) {
  return views.length > LISTED ? [text(`\n${andMore(views.length - LISTED)}`)] : [];
}
