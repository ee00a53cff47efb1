import { describe, expect, it } from 'vitest';
import type { ApprovalSample } from '../../../../src/gate/approval/metrics.ts';
import type { JsonObject } from '../../../../src/lib/json.ts';
import { createApprovalMetrics } from '../../../../src/slack/home/approval-metrics.ts';
import { openSlackApp, wordsIn } from '../../../helpers/slack-app.ts';

const DAY = 86_400_000;

/** The words of the Home that Slack is given when somebody opens it. */
async function homeOf(user: string, told: JsonObject = {}): Promise<string> {
  const slack = await openSlackApp();
  slack.api.answers.set('users.info', () => ({ ok: true, user: { name: 'somebody', ...told } }));
  await slack.event({ type: 'app_home_opened', user, tab: 'home' });
  return wordsIn(slack.api.of('views.publish').at(-1)?.view);
}

describe('approval health stands in the Home', () => {
  it('of somebody whom the operator named', async () => {
    expect(await homeOf('U3')).toContain('Approval health');
  });

  it('of an admin of the workspace', async () => {
    expect(await homeOf('U1', { is_admin: true, team_id: 'T1' })).toContain('Approval health');
  });

  it.each<[string, JsonObject]>([
    ['anybody else', { is_admin: false, team_id: 'T1' }],
    ['an admin of another organisation', { is_admin: true, team_id: 'T1', is_stranger: true }],
    // Slack doesn't call them strangers where they share a channel with the app.
    ['an admin of another organisation in a shared channel', { is_admin: true, team_id: 'T2' }],
  ])('not of %s', async (_who, told) => {
    const words = await homeOf('U1', told);
    expect(words).toContain('Connected servers');
    expect(words).not.toContain('Approval health');
  });
});

describe('what admins see', () => {
  function health(facts: readonly ApprovalSample[]) {
    const time = { now: 100 * DAY };
    const reads: [number, number][] = [];
    const approvalFacts = async (since: number, limit: number) => {
      reads.push([since, limit]);
      return facts;
    };
    const see = createApprovalMetrics({
      gate: { calls: { approvalFacts } },
      clock: () => time.now,
      isAdmin: async (actorId) => actorId === 'slack:T1:U1',
    });
    return { time, reads, see };
  }
  const fact = (daysAgo: number): ApprovalSample => ({
    rule: 'writes',
    askedAt: (100 - daysAgo) * DAY,
    waitMs: 1,
    approvalWaitsMs: [1],
    isExpired: false,
  });

  it('is of the last 7 and 30 days', async () => {
    const { see, reads } = health([fact(1), fact(6), fact(8)]);
    const view = await see('slack:T1:U1');
    expect(view).toMatchObject({ week: [{ decided: 2 }], month: [{ decided: 3 }], ofLatest: null });
    expect(reads).toEqual([[70 * DAY, 1000]]);
  });

  it('says of how many calls it speaks when there were more', async () => {
    const { see } = health(Array.from({ length: 1000 }, () => fact(1)));
    expect((await see('slack:T1:U1'))?.ofLatest).toBe(1000);
  });

  it('is read once a minute at most, and not for others', async () => {
    const { see, reads, time } = health([]);
    await Promise.all([see('slack:T1:U1'), see('slack:T1:U1')]);
    time.now += 60_000;
    await see('slack:T1:U1');
    expect(reads).toHaveLength(1);
    time.now += 1;
    await see('slack:T1:U1');
    expect(reads).toHaveLength(2);
    expect(await see('slack:T1:U2')).toBeNull();
    expect(await see('api:key')).toBeNull();
    expect(reads).toHaveLength(2);
  });
});
