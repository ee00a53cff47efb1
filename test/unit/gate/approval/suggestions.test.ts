import { describe, expect, it } from 'vitest';
import type { RuleMetrics } from '../../../../src/gate/approval/metrics.ts';
import { suggestForRules } from '../../../../src/gate/approval/suggestions.ts';
import { describeSuggestion } from '../../../../src/presentation/approval-suggestions.ts';

const HOUR_MS = 3_600_000;

interface Figures {
  readonly decided?: number;
  readonly approved?: number;
  readonly unread?: number;
  readonly expired?: number;
  readonly wait?: number;
}

function metrics({
  decided = 0,
  approved = 0,
  unread = 0,
  expired = 0,
  wait = 60_000,
}: Figures): RuleMetrics {
  return {
    rule: 'money',
    decided,
    approved,
    unread,
    expired,
    medianWaitMs: decided === 0 ? null : wait,
    p95WaitMs: decided === 0 ? null : wait,
    unreadShare: approved === 0 ? null : unread / approved,
    expiredShare: decided + expired === 0 ? null : expired / (decided + expired),
  };
}

const NOTHING = null;
const ALLOW_86 = 'money: 86 of 86 approved in under 3 s: allow it?';

describe('what approval health suggests', () => {
  it('is not to allow what is asked about because of its session', () => {
    const all = metrics({ decided: 86, approved: 86, unread: 86 });
    const kinds = ['money', 'access level', 'private data, untrusted content and a write'].map((rule) =>
      suggestForRules([{ ...all, rule }]).map(({ kind }) => kind),
    );
    expect(kinds).toEqual([['allow'], [], []]);
  });

  it.each<[string, Figures, string | null]>([
    ['all approved unread', { decided: 86, approved: 86, unread: 86 }, ALLOW_86],
    ['too few to tell', { decided: 19, approved: 19, unread: 19 }, NOTHING],
    [
      'just enough',
      { decided: 20, approved: 20, unread: 20 },
      'money: 20 of 20 approved in under 3 s: allow it?',
    ],
    [
      'one in twenty read',
      { decided: 20, approved: 20, unread: 19 },
      'money: 19 of 20 approved in under 3 s: allow it?',
    ],
    ['two in twenty read', { decided: 20, approved: 20, unread: 18 }, NOTHING],
    ['one rejected', { decided: 86, approved: 85, unread: 85 }, NOTHING],
    ['one expired', { decided: 86, approved: 86, unread: 86, expired: 1 }, NOTHING],
    ['none approved', { decided: 20 }, 'money: 20 of 20 not approved: deny it?'],
    ['none approved, of few', { decided: 19 }, NOTHING],
    [
      'half expired',
      { decided: 5, approved: 5, expired: 5 },
      'money: 5 of 10 expired undecided: more approvers or a longer deadline?',
    ],
    ['all expired', { expired: 5 }, 'money: 5 of 5 expired undecided: more approvers or a longer deadline?'],
    ['few expired', { expired: 4 }, NOTHING],
    ['less than half expired', { decided: 6, approved: 6, expired: 5 }, NOTHING],
    [
      'hours of waiting',
      { decided: 20, approved: 19, wait: 4 * HOUR_MS },
      'money: half of them wait longer than 4 h: more approvers?',
    ],
    ['less than that', { decided: 20, approved: 19, wait: 4 * HOUR_MS - 1 }, NOTHING],
    ['nothing at all', {}, NOTHING],
  ])('%s', (_, figures, words) => {
    expect(suggestForRules([metrics(figures)]).map(describeSuggestion)).toEqual(
      words === null ? [] : [words],
    );
  });
});
