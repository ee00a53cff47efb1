import { describe, expect, it } from 'vitest';
import type { CallRecord } from '../../../../src/gate/call/record.ts';
import { callCard } from '../../../../src/slack/cards/call-card.ts';
import { heldMessageCard } from '../../../../src/slack/cards/held-message-card.ts';
import { toPage } from '../../../../src/slack/home/paging.ts';
import { homeView } from '../../../../src/slack/home/view.ts';
import { fullCallModal } from '../../../../src/slack/modals/full-call.ts';
import { reviewCallsModal } from '../../../../src/slack/modals/review-calls.ts';
import { assertMessage } from '../../../helpers/slack-limits.ts';
import { approvedBy, buttonsOf, callView, flat, NO_USE } from './fixtures.ts';

const WORDS = ['It happened', 'It did not happen', 'Ask again'];
const outcome = { status: 'in_doubt', message: 'The server did not answer.' } as const;
const open: Partial<CallRecord> = {
  state: 'in_doubt',
  decision: approvedBy('Ana'),
  endedAt: null,
  attempt: 1,
  doubt: { attempt: 1, said: null },
  outcome,
};
const said = { word: 'ask_again', actor: { id: 'a', name: 'Ana' }, at: 1 } as const;
const again: Partial<CallRecord> = { state: 'pending', attempt: 1, doubt: { attempt: 1, said } };

describe('a call in doubt', () => {
  it('can be settled or asked about again while its run waits', () => {
    const message = callCard(callView(open));
    assertMessage(message);
    expect(buttonsOf(message.blocks)).toEqual(WORDS);
  });

  it('can only be settled when its run has gone on', () => {
    expect(buttonsOf(callCard(callView({ ...open, endedAt: 1 })).blocks)).toEqual(WORDS.slice(0, 2));
  });

  it('has no buttons when nobody was asked about it', () => {
    const read = callView({ ...open, decision: null, endedAt: 1 });
    expect(buttonsOf(callCard(read).blocks)).toEqual([]);
  });

  it('can be settled in its full view, and in Home', () => {
    const view = callView(open);
    expect(buttonsOf(fullCallModal(view).blocks)).toEqual(WORDS);
    const home = homeView({
      threadUrl: () => null,
      botName: 'countersign',
      askedFilter: { chosen: null, kinds: [] },
      cards: new Map(),
      hasAsked: true,
      filter: null,
      waiting: toPage('waiting', [view], 0, { isMore: false }),
      asked: toPage('asked', [], 0, { isMore: false }),
      servers: [],
      tools: [],
      examples: [],
      permissions: null,
      use: NO_USE,
      reviews: null,
      health: null,
    });
    expect(buttonsOf(home.blocks)).toEqual(WORDS);
    expect(flat(home.blocks)).toContain('The server did not answer.');
  });
});

describe('a call that is asked about again', () => {
  it('says that it may have happened, and can be decided like any other', () => {
    const { blocks } = callCard(callView(again));
    expect(flat(blocks)).toContain('This was sent once before, and may have happened.');
    expect(buttonsOf(blocks)).toEqual(['Approve', 'Edit', 'Reject', 'Feedback']);
  });

  it('is not ticked beforehand in a review with others', () => {
    const calls = [callView(again), callView({}, { callKey: 'k2' })];
    const { blocks } = reviewCallsModal({ requestKey: 'r1', calls, approvable: new Set(['k1', 'k2']) });
    const words = flat(blocks);
    expect(words).toMatch(/☐ 1\. Create event/);
    expect(words).toMatch(/☑ 2\. Create event/);
    const optional = blocks.filter((block) => 'optional' in block && block.optional);
    expect(optional.map(({ block_id }) => block_id)).toEqual(['why']);
    expect(words).toContain('This was sent once before, and may have happened.');
  });

  it('still says so when it was rejected', () => {
    const decision = { ...approvedBy('Ana'), type: 'reject', feedback: 'leave it' } as const;
    const rejected = callView({ ...again, state: 'rejected', decision });
    expect(flat(callCard(rejected).blocks)).toContain('an earlier attempt may have happened');
  });
});

describe('the notice of a message that came meanwhile', () => {
  it('says what is unclear, and offers to go on without knowing', () => {
    const notice = heldMessageCard({ key: 'k', calls: [callView(open)] });
    expect(flat(notice.blocks)).toContain('it is unclear whether it happened.');
    expect(buttonsOf(notice.blocks)).toEqual(['Go on without knowing', 'Do both', 'Leave it waiting']);
  });

  it('takes the message as feedback only where something waits for a decision', () => {
    const notice = heldMessageCard({ key: 'k', calls: [callView(open), callView()] });
    expect(buttonsOf(notice.blocks)).toEqual([
      'Send it back, with my message as feedback',
      'Withdraw that and go on',
      'Do both',
      'Leave it waiting',
    ]);
    const blocked = heldMessageCard({ key: 'k', calls: [callView({ state: 'blocked' })] });
    expect(buttonsOf(blocked.blocks)).toEqual(['Withdraw that and go on', 'Do both', 'Leave it waiting']);
  });
});
