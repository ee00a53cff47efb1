import type { KnownBlock, ModalView } from '@slack/types';
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

/** What the app shows of several calls, and of a plan: messages and modals. */
export const PLAN_MESSAGES: Readonly<Record<string, Message<KnownBlock>>> = {
  'plan as tasks': requestCard({ requestKey: 'r1', calls, isListed: true, plan }),
  'plan as lines': requestCard({ requestKey: 'r1', calls, isListed: true, plan }, { isPlain: true }),
};
export const PLAN_VIEWS: Readonly<Record<string, ModalView>> = {
  'review of several calls': reviewCallsModal({ requestKey: 'r1', calls, approvable: new Set(ids) }),
  'order of the steps': planOrderModal(
    'r1',
    calls.map((view, index) => ({ view, act: `${index + 1}. Create event` })),
  ),
};
