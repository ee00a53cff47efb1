import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RuleMetrics } from '../../../../src/gate/approval/metrics.ts';
import { metricsBlocks } from '../../../../src/slack/home/metrics-blocks.ts';
import { toPage } from '../../../../src/slack/home/paging.ts';
import { homeView } from '../../../../src/slack/home/view.ts';
import { assertView } from '../../../helpers/slack-limits.ts';
import { callView, flat, NO_USE, nastyString } from '../cards/fixtures.ts';

const rule = (changes: Partial<RuleMetrics> = {}): RuleMetrics => ({
  rule: 'writes',
  decided: 12,
  approved: 12,
  unread: 3,
  expired: 0,
  medianWaitMs: 45_000,
  p95WaitMs: 7_200_000,
  unreadShare: 0.25,
  expiredShare: 0,
  ...changes,
});

describe('approval health in the Home', () => {
  it('gives a line to each rule, for a week and a month', () => {
    const fresh = rule({ rule: 'new', decided: 0, medianWaitMs: null, p95WaitMs: null, unreadShare: null });
    const month = [rule({ p95WaitMs: 3 * 86_400_000, medianWaitMs: 800 }), { ...fresh, expiredShare: 1 }];
    const blocks = metricsBlocks({ week: [rule()], month, suggestions: [], ofLatest: null });
    expect(flat(blocks)).toMatchInlineSnapshot(`
      "# Approval health
      Last 7 days
      • writes: 12 actions decided, half of them within 45 s, 95 % within 2 h; 25 % approved unread; 0 % expired
      Last 30 days
      • writes: 12 actions decided, half of them within 0.8 s, 95 % within 3 days; 25 % approved unread; 0 % expired
      • new: 0 actions decided; 100 % expired
      For admins. Times are from when somebody was asked until it was decided. “Unread” means approved within 3 seconds of being asked."
    `);
  });

  it('says in words what the month suggests', () => {
    const metrics = rule({ decided: 86, approved: 86, unread: 86 });
    const blocks = metricsBlocks({
      week: [],
      month: [metrics],
      suggestions: [{ kind: 'allow', metrics }],
      ofLatest: null,
    });
    expect(flat(blocks)).toContain(
      'nothing changes by itself\n• writes: 86 of 86 approved in under 3 s: allow it?',
    );
  });

  it('says when nothing was decided, and of how many calls it speaks', () => {
    const words = flat(metricsBlocks({ week: [], month: [], suggestions: [], ofLatest: 1000 }));
    expect(words).toContain('Last 7 days\nNothing was decided, and nothing expired.');
    expect(words).toContain('Of the latest 1000 calls.');
  });

  it('fits Slack beside the fullest lists, whatever the rules are called', () => {
    const many = Array.from({ length: 95 }, (_, index) =>
      callView({ proposedAt: index }, { callKey: `k${index}` }),
    );
    fc.assert(
      fc.property(fc.array(nastyString, { maxLength: 30 }), (names) => {
        const rules = names.map((name) => rule({ rule: name }));
        const view = homeView({
          threadUrl: () => null,
          botName: 'countersign',
          askedFilter: { chosen: null, kinds: [] },
          cards: new Map(),
          hasAsked: true,
          filter: null,
          waiting: toPage('waiting', many, 1, { isMore: false }),
          asked: toPage('asked', many, 1, { isMore: false }),
          servers: [],
          tools: [],
          examples: [],
          permissions: null,
          use: NO_USE,
          reviews: null,
          health: {
            week: rules,
            month: rules,
            suggestions: rules.map((metrics) => ({ kind: 'allow' as const, metrics })),
            ofLatest: null,
          },
        });
        assertView(view);
        if (rules.length > 10) expect(flat(view.blocks)).toContain(`… and ${rules.length - 10} more`);
      }),
      { numRuns: 40 },
    );
  });
});
