import { describe, expect, it } from 'vitest';
import type { Timing } from '../../../../src/gate/call/timing.ts';
import {
  extendValue,
  MAX_KEY_LENGTH,
  parseExtendValue,
  parseMoreValue,
} from '../../../../src/slack/cards/action-values.ts';
import { callCard } from '../../../../src/slack/cards/call-card.ts';
import { reminderLine } from '../../../../src/slack/cards/reminder-card.ts';
import { stateLine } from '../../../../src/slack/cards/state-line.ts';
import { moreModal } from '../../../../src/slack/modals/more-actions.ts';
import type { Named } from '../../../../src/slack/people/types.ts';
import { LIMITS } from '../../../../src/slack/text/block-kit.ts';
import { assertMessage } from '../../../helpers/slack-limits.ts';
import { callView, flat, NOW } from './fixtures.ts';

const bob: Named = { element: { type: 'user', user_id: 'U2' }, name: 'Bob' };
const backup: Named = { element: { type: 'usergroup', usergroup_id: 'S1' }, name: '@backup' };

function timing(changes: Partial<Timing> = {}): Timing {
  return {
    decideBy: NOW + 3_600_000,
    answerBy: null,
    askedSince: NOW,
    nextRungAt: null,
    climbed: [],
    extended: [],
    ...changes,
  };
}

describe('a reminder', () => {
  it('says what still waits and for whom, in one line', () => {
    const message = reminderLine({ key: 'r:1', calls: [callView()], reminded: [bob], added: [] });
    expect(message.text).toBe(
      '⏰ Create event ‘Standup’, Tue 24 Nov 09:00 (calendar.create_event) still waits for Bob.',
    );
    expect(message.blocks).toHaveLength(1);
    expect(JSON.stringify(message.blocks)).toContain('"user_id":"U2"');
  });

  it('says who may decide from now on, and counts several calls', () => {
    const calls = [callView(), callView()];
    const message = reminderLine({ key: 'r:1', calls, reminded: [bob, backup], added: [backup, bob] });
    expect(message.text).toBe(
      '⏰ 2 actions still wait for Bob, @backup · @backup, Bob may decide from now on, too.',
    );
  });

  it('calls nobody when nobody has to be', () => {
    const none = reminderLine({ key: 'r:1', calls: [callView()], reminded: [], added: [] });
    expect(none.text).toContain('09:00 (calendar.create_event) still waits.');
    const over = reminderLine({ key: 'r:1', calls: [], reminded: [bob], added: [backup] });
    expect(JSON.stringify(over)).not.toContain('user');
    expect(over.text).toBe('⏰ This is no longer waiting.');
  });

  it('cannot be made to call everybody by what a call is named', () => {
    const hostile = callView({ arguments: { title: '<!channel> <@U1>' } });
    const message = reminderLine({ key: 'r:1', calls: [hostile], reminded: [], added: [] });
    // Refuses every mention.
    assertMessage(message);
    expect(message.text).toContain('&lt;!channel&gt;');
  });
});

describe('the entry that extends a deadline', () => {
  it('has a value that Slack takes, also for the longest key', () => {
    const value = extendValue('k'.repeat(MAX_KEY_LENGTH), 99);
    expect(value.length).toBeLessThanOrEqual(LIMITS.optionText);
    expect(parseExtendValue(value)).toEqual({ callKey: 'k'.repeat(MAX_KEY_LENGTH), seen: 99 });
    expect(parseMoreValue(value)).toBeNull();
  });

  it.each(['extend:k', 'extend::1', 'extend:k:', 'extend:k:1:2', 'extend:k:100', 'withdraw:k:1', ''])(
    'is not read from %j',
    (value) => {
      expect(parseExtendValue(value)).toBeNull();
    },
  );

  it('is there as long as it can be extended', () => {
    const shown = (changes: Partial<Timing>) => {
      const view = callView({ timing: timing(changes) });
      return flat(moreModal(view, { claim: null, isHandedOver: false, mayRemember: false }).blocks);
    };
    const one = { actor: { id: 'slack:T1:U2', name: 'Bob' }, at: NOW, until: NOW + 3_600_000 };
    expect(shown({})).toContain('Extend the deadline');
    expect(shown({ extended: [one, one] })).not.toContain('Extend the deadline');
    expect(shown({ decideBy: null })).not.toContain('Extend the deadline');
  });
});

describe('a deadline that was put off', () => {
  const extended = [{ actor: { id: 'slack:T1:U2', name: 'Bob' }, at: NOW, until: NOW + 1 }];

  it('is shown with the name of who did', () => {
    const view = callView({ timing: timing({ extended }) }, { expiresAt: NOW + 1 });
    expect(flat(callCard(view).blocks)).toContain('Tue 24 Nov 2026, 09:00 Europe/Berlin. Extended by Bob.');
  });

  it('is not once there is another', () => {
    const view = callView({ timing: timing({ extended }) }, { expiresAt: NOW + 2 });
    expect(flat(callCard(view).blocks)).not.toContain('Extended by');
  });
});

it('a call that expired with too few approvals says who had approved', () => {
  const approval = {
    steps: [{ from: ['channel' as const], quorum: 2 }],
    excludeRequester: false,
    rejections: 1,
  };
  const votes = [
    {
      type: 'approve' as const,
      actor: { id: 'slack:T1:U2', name: 'Bob' },
      at: NOW,
      step: 0,
      feedback: null,
    },
  ];
  const verdict = { action: 'ask' as const, rule: 'it', reason: null, policyVersion: 'v1', approval };
  const words = (changes: object) =>
    stateLine(callView({ state: 'expired', verdict, ...changes }))
      .map((part) => ('text' in part ? part.text : ''))
      .join('');
  expect(words({ votes })).toContain('1 of 2 had approved: Bob');
  expect(words({})).toContain('Expired');
});
