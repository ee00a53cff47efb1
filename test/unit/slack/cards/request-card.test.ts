import { describe, expect, it } from 'vitest';
import type { CallView } from '../../../../src/slack/cards/call-view.ts';
import { requestCard } from '../../../../src/slack/cards/request-card.ts';
import { assertMessage } from '../../../helpers/slack-limits.ts';
import { buttonsOf, callView, flat } from './fixtures.ts';

const titled = (title: string, key: string, changes: Parameters<typeof callView>[0] = {}) =>
  callView({ arguments: { title }, ...changes }, { callKey: key });

describe('the card of several calls', () => {
  const three = [titled('A', 'a'), titled('B', 'b'), titled('C', 'c')];
  const cardOf = (calls: readonly CallView[], isListed = false) =>
    requestCard({ requestKey: 'r1', calls, isListed });

  it('offers to review them, and to reject them all', () => {
    const message = cardOf(three);
    assertMessage(message);
    expect(flat(message.blocks)).toBe('3 actions wait for you\n[Review 3… (primary)] [Reject all (3)]');
  });

  it('counts down', () => {
    const calls = [...three.slice(0, 2), titled('C', 'c', { state: 'succeeded' })];
    expect(cardOf(calls).text).toBe('2 actions wait for you · 1 decided');
  });

  it('has no buttons for one call that has its own card', () => {
    const calls = [titled('A', 'a'), titled('B', 'b', { state: 'rejected' })];
    expect(buttonsOf(cardOf(calls).blocks)).toEqual([]);
  });

  it('ends as a summary', () => {
    const calls = [
      titled('A', 'a', { state: 'succeeded' }),
      titled('B', 'b', { state: 'succeeded' }),
      titled('C', 'c', { state: 'rejected' }),
    ];
    expect(cardOf(calls).text).toBe('3 actions: 2 done, 1 rejected');
  });

  it('says of one that a person stopped by whom it was, and not that it failed', () => {
    const stoppedBy = { id: 'slack:T1:U1', name: 'Ana' };
    const message = 'The job was cancelled.';
    const outcome = {
      status: 'failed' as const,
      message,
      content: [],
      jobEnd: 'cancelled' as const,
      stoppedBy,
    };
    const calls = [titled('A', 'a', { state: 'failed', outcome }), titled('B', 'b', { state: 'succeeded' })];
    expect(cardOf(calls).text).toBe('2 actions: 1 stopped by Ana, 1 done');
    expect(cardOf(calls, true).text).toContain('⏹️ stopped by Ana: The job was cancelled.');
  });

  it('lists them with what became of each, where they have no cards', () => {
    const outcome = {
      status: 'succeeded' as const,
      content: [{ type: 'text' as const, text: 'Created evt_1' }],
      structured: null,
    };
    const down = { status: 'failed' as const, message: 'The calendar is down.', content: [] };
    const calls = [
      titled('A', 'a', { state: 'succeeded', outcome }),
      titled('B', 'b', { state: 'failed', outcome: down }),
      titled('C', 'c'),
    ];
    const message = cardOf(calls, true);
    assertMessage(message);
    const lines = [
      '1 action waits for you · 2 decided',
      '1. Create event ‘A’ · ✅ done: Created evt_1',
      '2. Create event ‘B’ · ❌ failed: The calendar is down.',
      '3. Create event ‘C’',
    ];
    expect(message.text.split('\n')).toEqual(lines);
    expect(flat(message.blocks)).toContain(lines.join('\n'));
    expect(buttonsOf(message.blocks)).toEqual(['Review 1…']);
  });

  it('says for whom each waits, where that differs', () => {
    const bob = { who: 'Bob', isOnly: true, verb: 'can approve', progress: '1 of 2 approved: Carol' };
    const message = cardOf([...three, callView({}, { callKey: 'd', approvers: bob })], true);
    expect(message.text).toContain('3. Create event ‘C’ · waits for Ana\n4. Create event');
    expect(message.text).toContain('waits for Bob · 1 of 2 approved: Carol');
  });

  it('marks those that may delete or overwrite, until they are decided', () => {
    const tool = { ...callView().call.tool, name: 'delete_event', title: 'Delete event', destructive: true };
    const calls = [...three, titled('D', 'd', { tool }), titled('E', 'e', { tool, state: 'rejected' })];
    const message = cardOf(calls, true);
    expect(message.text).toContain('4. Delete event ‘D’ · ⚠️ may delete or overwrite\n');
    expect(flat(message.blocks).match(/⚠️/g)).toHaveLength(1);
  });

  it('says in the small last line who may decide, and until when, as a card of one does', () => {
    const facts = (calls: readonly CallView[]) => flat(cardOf(calls, true).blocks.slice(-1));
    expect(facts(three)).toBe(
      'Only Ana can approve. Expires Fri 27 Nov 2026, 17:00 Europe/Berlin. calendar.create_event',
    );
    const bob = { who: 'Bob', isOnly: false, verb: 'must approve', progress: null };
    const others = [
      ...three,
      callView({}, { callKey: 'd', approvers: bob, expiresAt: Date.UTC(2026, 10, 25, 8) }),
    ];
    expect(facts(others)).toBe(
      'Requested by Ana. The first expires Wed 25 Nov 2026, 09:00 Europe/Berlin. calendar.create_event',
    );
    expect(facts([titled('A', 'a', { state: 'rejected' })])).toBe('calendar.create_event');
  });

  it('fits Slack for hundreds of calls', () => {
    const calls = Array.from({ length: 300 }, (_, index) => titled('x'.repeat(500), `k${index}`));
    const message = cardOf(calls, true);
    assertMessage(message);
    expect(flat(message.blocks)).toContain('… and 260 more');
  });
});
