import type { InputBlock, KnownBlock, ModalView } from '@slack/types';
import { hasEarlierDoubt } from '../../gate/types.ts';
import { describeArgumentsWhole } from '../../presentation/arguments.ts';
import { sentence } from '../../presentation/outcome-text.ts';
import { toolName } from '../../presentation/text/title.ts';
import { CALL_FACTS } from '../../presentation/texts.ts';
import { ACTIONS, MODALS } from '../cards/action-ids.ts';
import { type CallReference, callValue, parseCallValue } from '../cards/action-values.ts';
import { wholeArgumentBlocks } from '../cards/argument-blocks.ts';
import { isForTheWeb } from '../cards/call-buttons.ts';
import { warningBlocks } from '../cards/call-card.ts';
import { type CallView, callReference, quotedServer } from '../cards/call-view.ts';
import { allInstructions } from '../cards/quoted-blocks.ts';
import { numberedAct, waitsForWhom } from '../cards/request-card.ts';
import { wholeToolChanges } from '../cards/tool-change-blocks.ts';
import {
  actions,
  bold,
  button,
  code,
  context,
  italic,
  LIMITS,
  option,
  plain,
  richText,
  section,
  text,
} from '../text/block-kit.ts';
import { CARD, REQUEST } from '../texts/cards.ts';
import { andMore } from '../texts/messages.ts';
import { REVIEW_CALLS } from '../texts/modals.ts';
import { INPUT } from './form/inputs.ts';
import { inputState, parseStateValues } from './form/read.ts';
import { modal } from './modal.ts';

/** Blocks and characters of the calls on one page, well inside Slack's 100 blocks and 250 kB. */
const PAGE_BLOCKS = 80;
const PAGE_LENGTH = 30_000;
/** Calls that are only named, below the others. */
const NAMED = 20;
/** Of those that are decided on the web, the most with a button each: a block each, of Slack's 100. */
const LINKED = 10;

const TICK = 'tick:';
const TICKED = 'approve';
const REST = 'rest';
const REJECT = 'reject';
const WHY = 'why';

/** The calls of a request as one person reviews them. */
export interface CallReview {
  readonly requestKey: string;
  /** All calls of the request, in its order. */
  readonly calls: readonly CallView[];
  /** Those that this person may approve now, by key. */
  readonly approvable: ReadonlySet<string>;
}

/** Why a pending call can't be approved in a form with others, in words; null if it can. */
export function reviewObstacle(view: CallView): string | null {
  if (isForTheWeb(view)) return REVIEW_CALLS.web;
  return view.approval.confirmations.length > 0 ? REVIEW_CALLS.typed : null;
}

/**
 * The form that decides several calls: each whole, with a box. Whoever sends it decides only what they saw there, as
 * it was; calls that don't fit come in the next form. Without a call that this person may approve it has nothing to
 * send. docs/decisions/0067 says what is ticked beforehand, and what becomes of the rest.
 *
 * @param from the first call shown, counted from 0.
 * @param notice shown above everything else.
 */
export function reviewCallsModal(review: CallReview, from = 0, notice: string | null = null): ModalView {
  const { requestKey, calls } = review;
  const { forms, named, next } = fillPage(review, from);
  const isPlan = calls.some(({ call }) => call.after !== undefined);
  const shownHow = isPlan ? REVIEW_CALLS.howOfPlan : REVIEW_CALLS.how;
  const none = named.some(({ view }) => reviewObstacle(view))
    ? REVIEW_CALLS.elsewhere
    : REVIEW_CALLS.noneHere;
  const how = forms.length === 0 ? none : shownHow;
  return modal({
    callbackId: MODALS.reviewCalls,
    title: REVIEW_CALLS.title(calls.length),
    submit: forms.length === 0 ? null : REVIEW_CALLS.submit,
    metadata: { requestKey, next },
    blocks: [
      ...(notice === null ? [] : [richText('notice', section(bold(notice)))]),
      context('how', how),
      ...requestedBy(calls),
      ...forms.flat(),
      ...namedBlocks(named),
      ...(forms.length === 0 ? [] : restInputs(calls)),
      ...(next < calls.length ? [context('page', REVIEW_CALLS.page(from + 1, next, calls.length))] : []),
    ],
  });
}

/** A submitted form: what it showed of each call, and whether that was ticked. */
export interface ReadReview {
  readonly ticked: readonly CallReference[];
  readonly unticked: readonly CallReference[];
  /** Whether what is not ticked is rejected, and the words for it, if any; null: it stays as it is. */
  readonly rejection: { readonly feedback?: string } | null;
}

type ReviewReading = ReadReview | { readonly errors: Readonly<Record<string, string>> };

/** Reads the form. Throws ZodError when `values` isn't Slack's. */
export function readReview(values: unknown): ReviewReading {
  const parsed = parseStateValues(values);
  const shown = Object.keys(parsed).flatMap((blockId) => {
    const reference = blockId.startsWith(TICK) ? parseCallValue(blockId.slice(TICK.length)) : null;
    const picked = parsed[blockId]?.[ACTIONS.tick]?.selected_options ?? [];
    return reference === null ? [] : [{ reference, isTicked: picked.some(({ value }) => value === TICKED) }];
  });
  const feedback = (inputState(parsed, WHY)?.value ?? '').trim();
  const rejection =
    inputState(parsed, REST)?.selected_option?.value === REJECT
      ? { ...(feedback !== '' && { feedback }) }
      : null;
  const ticked = shown.filter(({ isTicked }) => isTicked).map(({ reference }) => reference);
  const unticked = shown.filter(({ isTicked }) => !isTicked).map(({ reference }) => reference);
  if (ticked.length === 0 && rejection === null) return { errors: { [REST]: REVIEW_CALLS.nothingTicked } };
  return { ticked, unticked, rejection };
}

/** Who asked for the calls, once: a request is one person's. */
function requestedBy([first]: readonly CallView[]): KnownBlock[] {
  if (first === undefined) return [];
  return [context('requester', CALL_FACTS.requestedBy(sentence(first.call.requester.name)))];
}

/** A call that isn't decided in this form, with the reason on its line. */
interface NamedCall {
  readonly view: CallView;
  readonly number: number;
  readonly line: string;
}

interface Page {
  readonly forms: readonly (readonly KnownBlock[])[];
  /** Pending calls that aren't decided here. */
  readonly named: readonly NamedCall[];
  /** The first call that isn't on this page; the number of calls if none is left. */
  readonly next: number;
}

function fillPage({ calls, approvable }: CallReview, from: number): Page {
  const forms: (readonly KnownBlock[])[] = [];
  const named: NamedCall[] = [];
  let blocks = 0;
  let length = 0;
  for (let index = from; index < calls.length; index += 1) {
    const view = calls[index];
    if (view?.call.state !== 'pending') continue;
    const act = numberedAct(calls, index);
    const form = callForm(view, { act, number: index + 1 });
    const size = JSON.stringify(form).length;
    const fitsAlone = form.length <= PAGE_BLOCKS && size <= PAGE_LENGTH;
    if (!approvable.has(view.callKey) || !fitsAlone) {
      const line = `${act}: ${reasonToLeaveOut(view, approvable)}`;
      named.push({ view, number: index + 1, line });
      continue;
    }
    if (blocks + form.length > PAGE_BLOCKS || length + size > PAGE_LENGTH)
      return { forms, named, next: index };
    forms.push(form);
    blocks += form.length;
    length += size;
  }
  return { forms, named, next: calls.length };
}

function reasonToLeaveOut(view: CallView, approvable: ReadonlySet<string>): string {
  if (approvable.has(view.callKey)) return REVIEW_CALLS.tooLong;
  return reviewObstacle(view) ?? REQUEST.waitsFor(waitsForWhom(view));
}

interface Numbered {
  readonly act: string;
  readonly number: number;
}

/** One call whole, below its box. */
function callForm(view: CallView, numbered: Numbered): readonly KnownBlock[] {
  const { call, callKey, resolve } = view;
  const rows = describeArgumentsWhole(call.tool, call.arguments, resolve);
  const source = quotedServer(call, rows);
  const whole = [
    ...wholeArgumentBlocks(rows),
    ...wholeToolChanges(call).map((changes) => ({ type: 'rich_text' as const, elements: [changes] })),
    ...allInstructions(view).map((words) => ({ type: 'rich_text' as const, elements: [words] })),
  ];
  return [
    { type: 'divider' },
    ...tickBox(view, numbered),
    richText(`tool:${callKey}`, section(code(toolName(call.tool)))),
    ...whole.map((block, index): KnownBlock => ({ ...block, block_id: `whole:${callKey}:${index}` })),
    ...(source === null ? [] : [context(`source:${callKey}`, CARD.source(source))]),
    ...(call.tool.destructive ? [context(`harm:${callKey}`, `⚠️ ${CARD.destructive}`)] : []),
    ...warningBlocks(view),
  ];
}

/**
 * The box of a call. What it shows is pinned in its id: a call that has changed since isn't decided. It's no input block,
 * since those are either required or called optional, which no box here is. Slack sends its state with the form:
 * https://api.slack.com/changelog/2020-09-full-state-on-view-submisson-and-block-actions
 */
function tickBox(view: CallView, { act, number }: Numbered): KnownBlock[] {
  const isWhole = act.length <= LIMITS.optionText;
  const approve = option(isWhole ? act : REVIEW_CALLS.approve(number), TICKED);
  const box = actions(`${TICK}${callValue(callReference(view))}`, {
    type: 'checkboxes',
    action_id: ACTIONS.tick,
    options: [approve],
    ...(needsAnOwnTick(view) ? {} : { initial_options: [approve] }),
  });
  return isWhole ? [box] : [richText(`act:${view.callKey}`, section(bold(act))), box];
}

/** Whether people have to tick it themselves: it may do harm, may have happened, or isn't what was asked first. */
function needsAnOwnTick({ call }: CallView): boolean {
  return call.tool.destructive || hasEarlierDoubt(call) || call.askedAgain !== undefined;
}

/** What becomes of calls that aren't ticked, and why. */
function restInputs(calls: readonly CallView[]): InputBlock[] {
  const takesOthers = calls.some(({ neededBy }) => neededBy.length > 0);
  const rejected = takesOthers ? REVIEW_CALLS.isRejectedWithOthers : REVIEW_CALLS.isRejected;
  const stays = option(REVIEW_CALLS.stays, 'leave');
  return [
    {
      type: 'input',
      block_id: REST,
      label: plain(REVIEW_CALLS.rest),
      element: {
        type: 'radio_buttons',
        action_id: INPUT,
        options: [stays, option(rejected, REJECT)],
        initial_option: stays,
      },
    },
    {
      type: 'input',
      block_id: WHY,
      label: plain(REVIEW_CALLS.why),
      optional: true,
      element: { type: 'plain_text_input', action_id: INPUT, max_length: LIMITS.inputInitial },
    },
  ];
}

function namedBlocks(named: readonly NamedCall[]): KnownBlock[] {
  if (named.length === 0) return [];
  const lines = named.slice(0, NAMED).map(({ line }) => text(`\n${line}`));
  const more = named.length > NAMED ? [text(`\n${andMore(named.length - NAMED)}`)] : [];
  const list = richText('named', section(italic(REVIEW_CALLS.notHere), ...lines, ...more));
  const onTheWeb = named.filter(({ view }) => isForTheWeb(view) && view.canSignIn);
  return [{ type: 'divider' }, list, ...onTheWeb.slice(0, LINKED).map(webButton)];
}

/** Leads to the page that decides a call. Each has a block of its own, as Slack takes an action once in a block. */
function webButton({ view, number }: NamedCall): KnownBlock {
  const value = callValue(callReference(view));
  return actions(`web:${view.callKey}`, button(ACTIONS.web, REVIEW_CALLS.onTheWeb(number), value));
}
