import type { KnownBlock, PlanBlock, TaskCardBlock } from '@slack/types';
import { type CallState, canBeMoved, finalState, isOrderFixed, type LaterStep } from '../../gate/types.ts';
import { sentence } from '../../presentation/outcome-text.ts';
import { clip, clipAtWord, oneLine, quoteText } from '../../presentation/text/clip.ts';
import { visible } from '../../presentation/text/visible.ts';
import type { TaskState, TeamView } from '../../runs/index.ts';
import { isDirect } from '../people/approvers.ts';
import { LIMITS, type Message, richText, section, text } from '../text/block-kit.ts';
import { listMessage } from '../text/list-message.ts';
import { PLAN, TEAM } from '../texts/cards.ts';
import { andMore } from '../texts/messages.ts';
import type { CallView } from './call-view.ts';

/** Slack's limit of titles in a plan, in characters: https://docs.slack.dev/reference/block-kit/blocks/task-card-block/ */
const TITLE_LENGTH = 250;
const WHY_LENGTH = 150;
/** The most steps that a form has a field for each. */
const MOST_MOVED = LIMITS.viewBlocks - 1;

/** A plan besides its calls, prepared for its card. */
export interface PlanView {
  readonly title: string;
  readonly later: readonly LaterStepView[];
}

/** A step that is planned when the results are there. */
export interface LaterStepView {
  readonly step: Pick<LaterStep, 'why' | 'callId'>;
  /** What it does, as far as that is known; with the call that it became, what that does. */
  readonly act: string;
  /** The call that it became; null while it is none, or where that is gone. */
  readonly view: CallView | null;
}

/** A step of a plan as its line says it. */
interface Step {
  readonly act: string;
  readonly state: string;
}

/**
 * A plan with its steps, which tick off as they run. What the model says of them is quoted, so that it can't go on in words
 * that look like ours.
 *
 * @param lines the steps as they are shown, those that are planned later last, which may be fewer than there are.
 */
export function planBlock(
  requestKey: string,
  plan: PlanView,
  calls: readonly CallView[],
  lines: readonly Step[],
): PlanBlock {
  const tasks = lines.map((line, index): TaskCardBlock => {
    const id = `${requestKey}:${index + 1}`;
    const own = calls[index];
    if (own) return task(id, line, TASK_STATUS[own.call.state], own.call.said ?? '');
    const { step, view } = plan.later[index - calls.length] ?? {};
    const status = view ? TASK_STATUS[view.call.state] : step?.callId === null ? 'error' : 'pending';
    return task(id, line, status, step?.why ?? '');
  });
  const hidden = calls.length + plan.later.length - lines.length;
  return {
    type: 'plan',
    block_id: `plan:${requestKey}`,
    title: clip(planTitle(plan), TITLE_LENGTH),
    tasks: [
      ...tasks,
      ...(hidden > 0 ? [task(`${requestKey}:more`, { act: andMore(hidden), state: '' }, 'pending', '')] : []),
    ],
  };
}

/** Whether people can change the order now: two steps can change places, and none is approved in its own. */
export function canBeReordered(steps: readonly CallView[]): boolean {
  const calls = steps.map(({ call }) => call);
  const movable = calls.filter(canBeMoved).length;
  return movable > 1 && movable <= MOST_MOVED && !isOrderFixed(calls);
}

export function planTitle({ title }: PlanView): string {
  return PLAN.title(quoted(title, TITLE_LENGTH));
}

/** What becomes of a step that is planned later, while no call is it. */
export function laterState({ step }: LaterStepView, calls: readonly CallView[]): string {
  if (step.callId === null) return PLAN.notPlanned;
  const ends = calls.map(({ call }) => finalState(call));
  if (ends.includes(null)) return PLAN.later;
  return ends.every((end) => end === 'succeeded') ? PLAN.next : PLAN.notPlanned;
}

function task(
  taskId: string,
  { act, state }: Step,
  status: TaskCardBlock['status'],
  why: string,
): TaskCardBlock {
  const words = [...(state === '' ? [] : [state]), ...(why === '' ? [] : [quoted(why, WHY_LENGTH)])];
  return {
    type: 'task_card',
    task_id: taskId,
    title: clip(act, TITLE_LENGTH),
    status,
    ...(words.length > 0 && { details: richText(`about:${taskId}`, section(text(words.join(' · ')))) }),
  };
}

function quoted(words: string, length: number): string {
  return quoteText(clipAtWord(visible(oneLine(words)), length));
}

/** The most tasks of a plan, with the one that says how many are left out. */
const MOST_TASKS = 50;

/** A team's plan as stages, which tick off as its agents work. What models say of it is quoted. */
export function teamPlanMessage(itemId: string, view: TeamView): Message<KnownBlock> {
  const { analysis, tasks, stages, isOver, threadId } = view;
  const title = TEAM.title(quoted(analysis, TITLE_LENGTH));
  const shown = tasks.length > MOST_TASKS ? tasks.slice(0, MOST_TASKS - 1) : tasks;
  const hidden = tasks.length - shown.length;
  const lines = shown.map((one): Step => {
    const { agent, stage } = one;
    const act = TEAM.task(visible(oneLine(agent)), quoted(one.task.replace(/\.$/, ''), WHY_LENGTH));
    return {
      act: stages > 1 ? TEAM.inStage(stage, act) : act,
      state: taskState(one, { isForAll: !isDirect(threadId) }),
    };
  });
  // By its place: the task's own id is a model's word, such as “more”.
  const cards = shown.flatMap(({ state }, index): TaskCardBlock[] => {
    const line = lines[index];
    return line ? [task(`${itemId}:${index + 1}`, line, TEAM_STATUS[state], '')] : [];
  });
  const rest = { act: andMore(hidden), state: '' };
  const more = hidden > 0 ? [task(`${itemId}:more`, rest, isOver ? 'complete' : 'pending', '')] : [];
  const block: PlanBlock = {
    type: 'plan',
    block_id: `team:${itemId}`,
    title: clip(title, TITLE_LENGTH),
    tasks: [...cards, ...more],
  };
  const said = [...lines.map(({ act, state }) => `${act}: ${state}`), ...(hidden > 0 ? [rest.act] : [])];
  return listMessage(block.title, [block], said);
}

/** The state of a task, with why it isn't done; a reason that begins with the state is enough. */
function taskState(
  { state, why, isQuoted, isOwn }: TeamView['tasks'][number],
  { isForAll }: { readonly isForAll: boolean },
): string {
  const word = TEAM.states[state];
  if (why === null) return word;
  const known = Object.entries(TEAM.why).find(([code]) => code === why)?.[1];
  if (known === undefined && isOwn && isForAll) return word;
  const reason = known ?? (isQuoted ? quoted(why, WHY_LENGTH) : sentence(why));
  if (reason === '') return word;
  return reason.toLowerCase().startsWith(word) ? reason : `${word}: ${reason}`;
}

const TEAM_STATUS: Readonly<Record<TaskState, TaskCardBlock['status']>> = {
  waits: 'pending',
  works: 'in_progress',
  asks: 'pending',
  done: 'complete',
  partly: 'error',
  not_done: 'error',
  failed: 'error',
  stopped: 'error',
  not_begun: 'error',
};

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
