import type { KnownBlock, ModalView } from '@slack/types';
import { teamPlanMessage } from '../../src/slack/cards/plan-block.ts';
import { requestCard } from '../../src/slack/cards/request-card.ts';
import { planOrderModal } from '../../src/slack/modals/plan-order.ts';
import { reviewCallsModal } from '../../src/slack/modals/review-calls.ts';
import type { Message } from '../../src/slack/text/block-kit.ts';
import { callView } from '../unit/slack/cards/fixtures.ts';

const ids = ['first', 'second', 'third'];
const calls = ids.map((callId, index) =>
  callView({ callId, after: ids.slice(0, index), needs: [] }, { callKey: callId }),
);
const plan = {
  title: 'Three meetings',
  later: [{ act: 'Invite all', step: { why: 'they should know' }, view: null }],
};

/** What a team does, with as many of its tasks as Slack takes, in every state. */
const states = [
  'waits',
  'works',
  'asks',
  'done',
  'partly',
  'not_done',
  'failed',
  'stopped',
  'not_begun',
] as const;
const team = {
  threadId: 't',
  analysis: 'Read all and compute',
  stages: 3,
  isOver: false,
  tasks: Array.from({ length: 60 }, (_, index) => ({
    taskId: `t${index}`,
    agent: 'reader',
    task: `Read ${index}`,
    needs: [],
    stage: 1 + (index % 3),
    state: states[index % states.length] ?? 'waits',
    why: index % 2 === 0 ? null : 'The agent ran out of time.',
    isQuoted: index % 3 === 0,
    isOwn: false,
  })),
};

/** What the app shows of several calls, and of a plan: messages and modals. */
export const PLAN_MESSAGES: Readonly<Record<string, Message<KnownBlock>>> = {
  'plan as tasks': requestCard({ requestKey: 'r1', calls, isListed: true, plan }),
  'plan as lines': requestCard({ requestKey: 'r1', calls, isListed: true, plan }, { isPlain: true }),
  'plan as a team has it': teamPlanMessage('m1', team),
};
export const PLAN_VIEWS: Readonly<Record<string, ModalView>> = {
  'review of several calls': reviewCallsModal({ requestKey: 'r1', calls, approvable: new Set(ids) }),
  'order of the steps': planOrderModal(
    'r1',
    calls.map((view, index) => ({ view, act: `${index + 1}. Create event` })),
  ),
};
