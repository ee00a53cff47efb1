import type { KnownBlock, ModalView, RichTextBlock, RichTextElement } from '@slack/types';
import { type CallRecord, finalState } from '../../gate/types.ts';
import type { ArgumentRow } from '../../presentation/argument-row.ts';
import { describeArgumentsWhole } from '../../presentation/arguments.ts';
import { sentence } from '../../presentation/outcome-text.ts';
import type { FreeTime } from '../../presentation/people/free-time.ts';
import { describeRisk } from '../../presentation/risk-text.ts';
import { pieces } from '../../presentation/text/clip.ts';
import { formatInstant } from '../../presentation/text/time.ts';
import { describeTool, toolName, toolTitle } from '../../presentation/text/title.ts';
import { CALL_FACTS, FREE_TIME } from '../../presentation/texts.ts';
import { describeUnsentDefaults } from '../../presentation/unsent-defaults.ts';
import { ACTIONS, MODALS } from '../cards/action-ids.ts';
import { type CallReference, callValue } from '../cards/action-values.ts';
import { wholeArgumentBlocks } from '../cards/argument-blocks.ts';
import { decisionButtons, endedButtons } from '../cards/call-buttons.ts';
import { withheldBlocks } from '../cards/call-card.ts';
import {
  type CallView,
  callReference,
  describeNeededBy,
  describeUnneeded,
  quotedServer,
  stepLine,
} from '../cards/call-view.ts';
import { accountName } from '../cards/card-facts.ts';
import { allInstructions } from '../cards/quoted-blocks.ts';
import { stateLine } from '../cards/state-line.ts';
import { wholeToolChanges } from '../cards/tool-change-blocks.ts';
import { answerMarks } from '../text/answer-pair.ts';
import { asOfMail, besideMail, isOfInbox, wholeMail } from '../text/answered-mail.ts';
import {
  actions,
  bold,
  button,
  code,
  context,
  instant,
  preformatted,
  richText,
  section,
  text,
} from '../text/block-kit.ts';
import { CARD, CARD_LINE } from '../texts/cards.ts';
import { ACCEPT_IS_LAST } from '../texts/mail-cards.ts';
import { FULL_CALL, PAGING } from '../texts/modals.ts';
import { modal } from './modal.ts';

/** Blocks and characters on one page, well inside Slack's 100 blocks and 250 kB. */
const PAGE_BLOCKS = 60;
const PAGE_LENGTH = 30_000;

/** That it's another view than before, or says more. */
interface Notice {
  readonly words: string;
  /** What else is new, below the words. @default nothing */
  readonly told?: readonly KnownBlock[];
}

/**
 * The full view of a call: every argument whole, formatted and as it is sent, on as many pages as it takes.
 * Approve is on the last page only, so whoever clicks it has turned them all.
 *
 * @param page from 0; a page that doesn't exist becomes the nearest one that does.
 * @param notice that it's another one than before; shown above everything else, and once more above its buttons.
 */
export function fullCallModal(view: CallView, page = 0, notice: Notice | null = null): ModalView {
  const pages = paginate(view);
  const at = Math.min(Math.max(0, page), pages.length - 1);
  const isLast = at === pages.length - 1;
  const blocks = (pages[at] ?? []).map((block, index) => ({ ...block, block_id: `page.${index}` }));
  return modal({
    callbackId: MODALS.view,
    // Whoever had scrolled down sees that it's another one by its title, and at its end.
    title: notice === null ? FULL_CALL.title(toolTitle(view.call.tool)) : FULL_CALL.changedTitle,
    submit: null,
    metadata: { ...callReference(view), page: at },
    blocks: [
      ...(notice === null ? [] : [context('notice', notice.words), ...(notice.told ?? [])]),
      ...blocks,
      ...pagingBlocks(view, at, pages.length),
      ...(notice === null ? [] : [context('notice.end', notice.words)]),
      ...(isLast ? endBlocks(view) : []),
    ],
  });
}

/**
 * Another page of a full view that is already open. Starts again at the first page if the call, or its place in its plan,
 * has changed since: otherwise pages of two versions would be approved as one.
 *
 * @param seen the call whose pages were shown.
 */
export function fullCallPage(view: CallView, page: number, seen: CallReference): ModalView {
  if (callValue(seen) === callValue(callReference(view))) return fullCallModal(view, page);
  return fullCallModal(view, 0, { words: FULL_CALL.changed });
}

type Whole = Omit<RichTextBlock, 'block_id'>;

function wholeRows(view: CallView): readonly ArgumentRow[] {
  return asOfMail(view, describeArgumentsWhole(view.call.tool, view.call.arguments, besideMail(view)));
}

function paginate(view: CallView): Whole[][] {
  const pages: Whole[][] = [[]];
  let length = 0;
  for (const block of [...headBlocks(view), ...wholeMail(view), ...wholeArgumentBlocks(wholeRows(view))]) {
    const page = pages.at(-1) ?? [];
    const size = JSON.stringify(block).length;
    if (page.length > 0 && (page.length >= PAGE_BLOCKS || length + size > PAGE_LENGTH)) {
      pages.push([block]);
      length = size;
    } else {
      page.push(block);
      length += size;
    }
  }
  return pages;
}

function headLine(view: CallView): RichTextElement[] {
  return [bold(toolTitle(view.call.tool) || CARD_LINE.noTitle), ...stepLine(view)];
}

function headBlocks(view: CallView): Whole[] {
  const { call } = view;
  const account = accountName(view);
  const description = describeTool(call.tool);
  const about = description === '' ? [] : pieces(description, 2800);
  const names = pieces(toolName(call.tool), 2800);
  return [
    { type: 'rich_text', elements: [section(...headLine(view))] },
    ...names.map(
      (name): Whole => ({ type: 'rich_text', elements: [section(text(FULL_CALL.tool), code(name))] }),
    ),
    ...(account === null
      ? []
      : [{ type: 'rich_text' as const, elements: [section(text(CALL_FACTS.account(account)))] }]),
    {
      type: 'rich_text',
      elements: [section(text(CALL_FACTS.requestedBy(sentence(call.requester.name))))],
    },
    ...about.map(
      (part): Whole => ({
        type: 'rich_text',
        elements: [section(text(FULL_CALL.serverSays)), preformatted(part)],
      }),
    ),
    ...planLines(view).map((line): Whole => ({ type: 'rich_text', elements: [section(bold(line))] })),
    ...riskLines(view).map((line): Whole => ({ type: 'rich_text', elements: [section(...line)] })),
    ...wholeToolChanges(call).map(
      (changes): Whole => ({
        type: 'rich_text',
        elements: [section(bold(CARD.toolChanged)), changes],
      }),
    ),
    ...allInstructions(view).map((words): Whole => ({ type: 'rich_text', elements: [words] })),
  ];
}

/** Whom a mail goes to, why people are asked again, what a step of a plan runs without, and what doesn't run without it. */
function planLines(view: CallView): readonly string[] {
  const { call, freeTime } = view;
  const { state, askedAgain } = call;
  const again = state === 'pending' && askedAgain ? [CARD.askedAgain(sentence(askedAgain))] : [];
  const marks = answerMarks(view, { isWhole: true }).map((mark) => `⚠️ ${mark}`);
  const free = freeTime === null ? [] : [freeTimeLine(freeTime, view.resolve.timeZone)];
  return [...marks, ...free, ...again, ...describeUnneeded(view), ...describeNeededBy(view)];
}

function freeTimeLine({ kind, words, readAt }: FreeTime, timeZone: string): string {
  const since = readAt === null ? '' : ` ${FREE_TIME.readAt}${formatInstant(readAt, timeZone)}.`;
  return kind === 'busy' ? `⚠️ ${words}` : `📅 ${words}${since}`;
}

/** What its session had read and written when people were asked, and by which calls, a line each. */
function riskLines({ call, resolve }: CallView): RichTextElement[][] {
  const risk = describeRisk(call);
  if (risk === null) return [];
  return [
    [text('⚠️ '), bold(risk.summary)],
    ...risk.sources.map(({ words, at }) => [text(`${words}, `), instant(at, resolve.timeZone)]),
  ];
}

function pagingBlocks({ call }: CallView, at: number, count: number): KnownBlock[] {
  if (count === 1) return [];
  const back = at > 0 ? [button(`${ACTIONS.viewPage}.back`, PAGING.previous, String(at - 1))] : [];
  const on =
    at < count - 1
      ? [button(`${ACTIONS.viewPage}.on`, PAGING.next, String(at + 1), { style: 'primary' })]
      : [];
  const isLast = isOfInbox(call) ? ACCEPT_IS_LAST : PAGING.approveIsLast;
  const where = `${PAGING.page(at + 1, count)}${at < count - 1 ? isLast : ''}`;
  return [context('where', where), actions('paging', ...back, ...on)];
}

function digestWords(call: CallRecord): string {
  return finalState(call) === null ? FULL_CALL.digest(call.digest) : FULL_CALL.digestOfEnded(call.digest);
}

function endBlocks(view: CallView): KnownBlock[] {
  const source = quotedServer(view.call, wholeRows(view));
  const defaults = describeUnsentDefaults(view.call.tool, view.call.arguments, view.resolve, 'whole');
  const small = [
    ...(defaults === null ? [] : [context('defaults', defaults)]),
    ...withheldBlocks(view),
    ...(source === null ? [] : [context('source', CARD.source(source))]),
    context('digest', digestWords(view.call)),
  ];
  if (view.call.state === 'pending') return [...small, decisionButtons(view, { isWhole: true })];
  return [
    ...small,
    richText('state', section(...stateLine({ ...view, isBesideArguments: true }))),
    ...endedButtons(view),
  ];
}
