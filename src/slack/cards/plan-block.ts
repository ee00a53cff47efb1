import type { PlanBlock, TaskCardBlock } from '@slack/types';
import { type CallState, canBeMoved, finalState, isOrderFixed, type Plan } from '../../gate/types.ts';
import { clip, clipAtWord, oneLine, quoteText } from '../../presentation/text/clip.ts';
import { visible } from '../../presentation/text/visible.ts';
import { LIMITS, richText, section, text } from '../text/block-kit.ts';
import { PLAN } from '../texts/cards.ts';
import { andMore } from '../texts/messages.ts';
import type { CallView } from './call-view.ts';

/** Slack's limit of titles in a plan, in characters: https://docs.slack.dev/reference/block-kit/blocks/task-card-block/ */
const TITLE_LENGTH = 250;
const WHY_LENGTH = 150;
/** The most steps that a form has a field for each. */
const MOST_MOVED = LIMITS.viewBlocks - 1;

/** A step of a plan as its line says it. */
interface Step {
  readonly act: string;
  readonly state: string;
}

/**
 * A plan with its steps, which tick off as they run. What the model says of them is quoted, so that it can't go on in words
 * that look like ours.
 *
 * @param lines the steps as they are shown, which may be fewer than `calls`.
 */
export function planBlock(
  requestKey: string,
  plan: Plan,
  calls: readonly CallView[],
  lines: readonly Step[],
): PlanBlock {
  const shown = lines.flatMap(({ act, state }, index) => {
    const view = calls[index];
    return view === undefined ? [] : [task(`${requestKey}:${index + 1}`, act, view, state)];
  });
  const hidden = calls.length - shown.length;
  return {
    type: 'plan',
    block_id: `plan:${requestKey}`,
    title: clip(planTitle(plan), TITLE_LENGTH),
    tasks: [
      ...shown,
      ...(hidden > 0 ? [waiting(`${requestKey}:more`, andMore(hidden), null)] : []),
      ...laterSteps(plan, calls.length).map((act, index) =>
        waiting(`${requestKey}:later:${index}`, act, laterState(calls)),
      ),
    ],
  };
}

/** Whether people can change the order now: two steps can change places, and none is approved in its own. */
export function canBeReordered(steps: readonly CallView[]): boolean {
  const calls = steps.map(({ call }) => call);
  const movable = calls.filter(canBeMoved).length;
  return movable > 1 && movable <= MOST_MOVED && !isOrderFixed(calls);
}

export function planTitle({ title }: Plan): string {
  return PLAN.title(quoted(title, TITLE_LENGTH));
}

/** What becomes of the steps that are planned later. */
export function laterState(calls: readonly CallView[]): string {
  const ends = calls.map(({ call }) => finalState(call));
  if (ends.includes(null)) return PLAN.later;
  return ends.every((end) => end === 'succeeded') ? PLAN.nowPlanned : PLAN.notPlanned;
}

/** The steps that are planned when the results are there: "3. Run simulation". */
export function laterSteps({ later }: Plan, from: number): readonly string[] {
  return later.map((title, index) => `${from + index + 1}. ${visible(oneLine(title))}`);
}

function task(taskId: string, act: string, { call }: CallView, state: string): TaskCardBlock {
  const words = [
    ...(state === '' ? [] : [state]),
    ...(call.said === undefined ? [] : [quoted(call.said, WHY_LENGTH)]),
  ];
  return {
    type: 'task_card',
    task_id: taskId,
    title: clip(act, TITLE_LENGTH),
    status: TASK_STATUS[call.state],
    ...(words.length > 0 && { details: richText(`about:${taskId}`, section(text(words.join(' · ')))) }),
  };
}

function waiting(taskId: string, act: string, details: string | null): TaskCardBlock {
  return {
    type: 'task_card',
    task_id: taskId,
    title: clip(act, TITLE_LENGTH),
    status: 'pending',
    ...(details !== null && { details: richText(`about:${taskId}`, section(text(details))) }),
  };
}

function quoted(words: string, length: number): string {
  return quoteText(clipAtWord(visible(oneLine(words)), length));
}

const TASK_STATUS: Readonly<Record<CallState, TaskCardBlock['status']>> = {
  allowed: 'pending',
  pending: 'pending',
  approved: 'pending',
  executing: 'in_progress',
  blocked: 'in_progress',
  succeeded: 'complete',
  denied: 'error',
  rejected: 'error',
  ignored: 'error',
  expired: 'error',
  cancelled: 'error',
  superseded: 'error',
  failed: 'error',
  in_doubt: 'error',
};
