import type { ActionsBlockElement, KnownBlock, RichTextBlock, StaticSelect } from '@slack/types';
import {
  type CallRecord,
  type CallState,
  isUnexplained,
  placeInOrder,
  type RequestRecord,
} from '../../gate/types.ts';
import { sentence, stopperName } from '../../presentation/outcome-text.ts';
import { clip } from '../../presentation/text/clip.ts';
import { publicFailure, publicResult } from '../people/public-outcome.ts';
import type { Named } from '../people/types.ts';
import { isOfInbox } from '../text/answered-mail.ts';
import {
  actions,
  bold,
  button,
  LIMITS,
  type Message,
  option,
  plain,
  richText,
  section,
  text,
} from '../text/block-kit.ts';
import { notification } from '../text/escape.ts';
import { howFar } from '../text/progress.ts';
import { PLAN, REQUEST, STATE, SUMMARY } from '../texts/cards.ts';
import { andMore } from '../texts/messages.ts';
import { ACTIONS } from './action-ids.ts';
import { isForTheWeb } from './call-buttons.ts';
import { type CallView, describeAct } from './call-view.ts';
import { factsOfAll } from './card-facts.ts';
import {
  canBeReordered,
  type LaterStepView,
  laterState,
  type PlanView,
  planBlock,
  planTitle,
} from './plan-block.ts';
import { saidBlocks } from './quoted-blocks.ts';
import { listed } from './reminder-card.ts';
import { describeEdits, lineText, stateLine, wasDeclined, wasSentBack } from './state-line.ts';

/** The most calls of a request that have cards of their own; more would flood the thread. */
export const CARDS_IN_THREAD = 3;

/** The most calls that the list names. A line has at most some 200 characters; Review shows all calls. */
const LISTED = 40;
/** Characters of what came of a call, on its line, and of the longest result there. */
const OUTCOME_LENGTH = 80;
const RESULT_LENGTH = 40;
const LINES_IN_BLOCK = 10;

/** A request of several calls. */
export interface RequestView {
  /** Opaque, at most 64 characters, no colon. */
  readonly requestKey: string;
  readonly calls: readonly CallView[];
  /** The calls are only in the list, and have no cards of their own. */
  readonly isListed: boolean;
  /** The plan whose steps they are; absent where they are none. */
  readonly plan?: PlanView | undefined;
  /** The approvers whom the message mentions; left out where that is the requester. */
  readonly mentions?: readonly Named[];
}

/** Whether the calls of a request are only listed, without cards of their own. */
export function isListed({ callIds, plan }: Pick<RequestRecord, 'callIds' | 'plan'>): boolean {
  return callIds.length > CARDS_IN_THREAD || plan !== undefined;
}

/**
 * The card of all calls of a request, below their own cards if they have any: counts down, lists the calls that have
 * no cards, and ends as a summary.
 *
 * @param options.isPlain a plan is shown as lines, for where Slack takes no plans.
 */
export function requestCard(
  view: RequestView,
  { isPlain = false }: { readonly isPlain?: boolean } = {},
): Message<KnownBlock> {
  const { requestKey, calls, plan, mentions = [] } = view;
  const parts = countStates(view, mentions.length > 0 ? listed(mentions) : [labelPart(REQUEST.you)]);
  const title = plan ? [planTitle(plan)] : [];
  const all = listLines(view);
  const spoken = [...title, inLine(parts), ...all.map(({ plain: line }) => line)];
  const said = plan ? [] : saidBlocks(requestKey, calls);
  const steps =
    plan && !isPlain
      ? [planBlock(requestKey, plan, calls, all.slice(0, LISTED))]
      : lineBlocks(requestKey, [...title.map((words) => toLine(words, '')), ...all]);
  return {
    text: notification(spoken.join('\n')),
    blocks: [
      richText(
        `request:${requestKey}`,
        section(...parts.map(({ name, element }) => (element.type === 'text' ? bold(name) : element))),
      ),
      ...steps,
      ...said,
      ...requestButtons(view),
      ...(view.isListed ? [factsOfAll(`facts:${requestKey}`, calls)] : []),
    ],
  };
}

/** The lines of the calls that have no cards of their own, in order; of a plan, those of its later steps last. */
export function listLines({ calls, plan, isListed: hasNoCards }: RequestView): readonly Line[] {
  const lines = hasNoCards ? calls.map((_call, index) => callLine(calls, index)) : [];
  const later = (plan?.later ?? []).map((step, index) => laterLine(step, calls.length + index + 1, calls));
  return [...lines, ...later];
}

/** A call's number in its request and its act: "2. Create event ‘Standup’". */
export function numberedAct(calls: readonly CallView[], index: number): string {
  const view = calls[index];
  return view === undefined ? '' : `${index + 1}. ${describeAct(view)}`;
}

export function pendingCalls(calls: readonly CallView[]): CallView[] {
  return calls.filter(({ call }) => call.state === 'pending');
}

/** Whether the policy wants a reason for rejecting any of the pending calls. */
export function wantsReason(calls: readonly CallView[]): boolean {
  return pendingCalls(calls).some(({ call }) => call.verdict.rejectionReason === 'required');
}

/** For whom a pending call waits: "Bob · 1 of 2 approved: Ana". */
export function waitsForWhom({ approvers, call }: CallView): string {
  if (approvers === null) return sentence(call.requester.name);
  const { who, progress } = approvers;
  return [who, ...(progress === null ? [] : [progress])].map(sentence).join(' · ');
}

function countStates({ calls }: RequestView, whom: readonly Named[]): readonly Named[] {
  const waiting = pendingCalls(calls).length;
  const decided = calls.length - waiting;
  if (waiting === 0) return [labelPart(`${REQUEST.actions(calls.length)}: ${summary(calls)}`)];
  const wait = labelPart(REQUEST.waitFor(waiting));
  return [wait, ...whom, labelPart(decided === 0 ? '' : REQUEST.decided(decided))];
}

function labelPart(name: string): Named {
  return { name, element: text(name) };
}

function inLine(parts: readonly Named[]): string {
  return parts.map(({ name }) => name).join('');
}

interface Line {
  readonly act: string;
  /** What has become of it, or that it is destructive and for whom it waits; empty where there is nothing to say. */
  readonly state: string;
  readonly plain: string;
}

function callLine(calls: readonly CallView[], index: number): Line {
  const act = numberedAct(calls, index);
  const view = calls[index];
  if (view === undefined) return toLine(act, '');
  // Steps have no cards of their own that would say it.
  const edits = view.call.after === undefined ? null : describeEdits(view);
  return toLine(act, [edits, shortState(view, calls)].filter(Boolean).join(' · '));
}

/** The line of a step that is planned when the results are there, and what became of it. */
function laterLine(later: LaterStepView, number: number, calls: readonly CallView[]): Line {
  const { act, view } = later;
  const isAsked = view?.call.state === 'pending';
  const state = isAsked ? PLAN.nowPlanned : view ? shortState(view, [view]) : laterState(later, calls);
  return toLine(`${number}. ${act}`, state);
}

function toLine(act: string, state: string): Line {
  return { act, state, plain: `${act}${state === '' ? '' : ` · ${state}`}` };
}

function shortState(view: CallView, calls: readonly CallView[]): string {
  const { call } = view;
  const without = view.unneeded.length > 0 ? [PLAN.runsWithout(view.unneeded)] : [];
  if (isInTurn(call, calls)) return [PLAN.inTurn(permission(call)), ...without].join(' · ');
  if (call.state === 'pending') {
    // Where all of them wait for the same people, the line above them says so, once.
    const isMixed = call.after !== undefined && calls.some((one) => one.call.state !== 'pending');
    const saysWhom = isMixed || waitForDifferentPeople(calls);
    const harm = call.tool.destructive ? [REQUEST.mayDestroy] : [];
    const wait = saysWhom ? [REQUEST.waitsFor(waitsForWhom(view))] : [];
    const again = call.askedAgain === undefined ? [] : [REQUEST.askedAgain];
    const web = isForTheWeb(view) ? [REQUEST.onTheWeb] : [];
    return [...again, ...harm, ...without, ...web, ...wait].join(' · ');
  }
  const sign = lineText(stateLine(view).slice(0, 1));
  const outcome = outcomeWords(view);
  const end = wasDeclined(call) ? STATE.declined : endWord(call, calls);
  const grant = call.grant && call.decision === null ? `${permission(call)} · ` : '';
  return `${grant}${sign}${end}${outcome === '' ? '' : `: ${clip(outcome, OUTCOME_LENGTH)}`}`;
}

/** What lets a step run that waits for its turn. */
function permission({ state, grant }: CallRecord): string {
  if (state === 'approved') return PLAN.approved;
  return grant ? PLAN.byGrant(sentence(grant.by.name)) : PLAN.allowed;
}

function outcomeWords(view: CallView): string {
  const { call } = view;
  const { outcome, withdrawnBecause } = call;
  if (outcome === null) return withdrawnBecause === undefined ? howFar(call) : sentence(withdrawnBecause);
  const failure = publicFailure(view);
  if (failure !== null) return failure;
  const result = publicResult(view) ?? '';
  // A longer one would take lines of its own; the call's own view has it.
  return result.length <= RESULT_LENGTH ? result : '';
}

/** Whether the lines of pending calls have to say for whom each waits. */
function waitForDifferentPeople(calls: readonly CallView[]): boolean {
  return new Set(pendingCalls(calls).map(waitsForWhom)).size > 1;
}

function lineBlocks(requestKey: string, lines: readonly Line[]): RichTextBlock[] {
  const shown = lines.slice(0, LISTED);
  const elements = shown.map(({ act, state }) => [text(act), ...(state === '' ? [] : [text(` · ${state}`)])]);
  if (lines.length > LISTED) elements.push([text(andMore(lines.length - LISTED))]);
  const count = Math.ceil(elements.length / LINES_IN_BLOCK);
  return Array.from({ length: count }, (_, block) => {
    const own = elements.slice(block * LINES_IN_BLOCK, (block + 1) * LINES_IN_BLOCK);
    const joined = own.flatMap((line, index) => (index === 0 ? line : [text('\n'), ...line]));
    return richText(`list:${requestKey}:${block}`, section(...joined));
  });
}

function requestButtons({ requestKey, calls, plan, isListed: hasNoCards }: RequestView): KnownBlock[] {
  // Each is dealt with by the words of its own card.
  if (!hasNoCards && calls.every(({ call }) => isOfInbox(call))) return [];
  const pending = pendingCalls(calls).length;
  const unexplained = calls.filter(({ call }) => isUnexplained(call)).length;
  const review = button(ACTIONS.review, REQUEST.review(pending), requestKey, { style: 'primary' });
  const label = wantsReason(calls) ? REQUEST.rejectAllWhy(pending) : REQUEST.rejectAll(pending);
  const rejectAll = button(ACTIONS.rejectAll, label, requestKey);
  const sayWhy = button(ACTIONS.sayWhyAll, REQUEST.sayWhy, requestKey);
  const elements: ActionsBlockElement[] = [
    ...(pending > 1 || (hasNoCards && pending === 1) ? [review] : []),
    ...(pending > 1 ? [rejectAll] : []),
    // Of one that has a card of its own, that asks.
    ...(unexplained > (hasNoCards ? 0 : 1) ? [sayWhy] : []),
    ...(plan && canBeReordered(calls) ? [button(ACTIONS.planOrder, REQUEST.changeOrder, requestKey)] : []),
    ...(hasNoCards ? [openMenu(calls)] : []),
  ];
  return elements.length === 0 ? [] : [actions(`request-actions:${requestKey}`, ...elements)];
}

/** The menu that opens one call, with all that can be done with it. */
function openMenu(calls: readonly CallView[]): StaticSelect {
  const options = calls.map(({ callKey }, index) => option(numberedAct(calls, index), callKey));
  return {
    type: 'static_select',
    action_id: ACTIONS.openOne,
    // Screen readers use it as the menu's name.
    placeholder: plain(REQUEST.openOne, LIMITS.placeholder),
    options: options.slice(0, LIMITS.selectOptions),
  };
}

function summary(calls: readonly CallView[]): string {
  const counts = new Map<string, number>();
  for (const end of calls.map(({ call }) => endWord(call, calls)))
    counts.set(end, (counts.get(end) ?? 0) + 1);
  return [...counts].map(([end, count]) => `${count} ${end}`).join(', ');
}

/** Whether a plan's step is decided, and runs once those before it have. */
function isInTurn(call: CallRecord, calls: readonly CallView[]): boolean {
  if (call.state !== 'approved' && call.state !== 'allowed') return false;
  return (
    placeInOrder(
      call,
      calls.map((view) => view.call),
    ) !== 'due'
  );
}

function endWord(call: CallRecord, calls: readonly CallView[]): string {
  if (isInTurn(call, calls)) return SUMMARY.inTurn;
  const stopper = stopperName(call);
  if (stopper !== null) return SUMMARY.stoppedBy(sentence(stopper));
  const ends: Readonly<Record<CallState, string>> = SUMMARY;
  return wasSentBack(call) ? SUMMARY.sentBack : ends[call.state];
}
