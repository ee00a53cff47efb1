import { describe, expect, it } from 'vitest';
import type { Account } from '../../../../src/tools/ports.ts';
import type { NetworkOptions } from '../../../helpers/network.ts';
import { ana, bob } from '../../../helpers/people.ts';
import { CHANNEL, openSlackApp, type SlackApp, TEAM, wordsIn } from '../../../helpers/slack-app.ts';

/** An admin by the settings. */
const CAROL = 'U3';
const inChannel = (owner: string, kind: Account['kind'] = 'person'): Account => ({
  kind,
  owner,
  channel: kind === 'key' ? null : `slack:${TEAM}:${CHANNEL}`,
});

/** Ana has used 1,900 calls and 10 tokens; Bob and a key have used up what they have. */
async function open(limits: NonNullable<NetworkOptions['limits']>): Promise<SlackApp> {
  const slack = await openSlackApp({ limits });
  const { limits: used } = slack.network;
  for (let run = 0; run < 3; run++) await used.beginRun(inChannel(ana.id));
  used.spend(inChannel(ana.id), { input: 1_000, cached: 500, output: 400 });
  used.spend(inChannel(bob.id), { input: 2_500, cached: 0, output: 0 });
  used.spend(inChannel('api:ci', 'key'), { input: 90, cached: 0, output: 9 });
  await used.flush();
  return slack;
}
const LIMITS = {
  person: { runs_per_day: 200, tokens_per_day: 2_000 },
  key: { tokens_per_day: 99 },
  channel: { tokens_per_day: 1_000_000 },
};
const status = async (slack: SlackApp, user: string, channel: string = CHANNEL) =>
  wordsIn(await slack.command('status', { user_id: user, channel_id: channel }));

describe('the status, where there are limits', () => {
  it('tells people what they and their channel have used today, and until when that counts', async () => {
    const words = await status(await open(LIMITS), 'U1');
    expect(words).toContain('You have used today');
    expect(words).toContain('• 3 of 200 messages');
    expect(words).toContain('• 1,900 of 2,000 tokens, nearly used up');
    expect(words).toContain('Used in this channel today');
    expect(words).toContain('• 4,400 of 1,000,000 tokens');
    expect(words).toContain('Starts anew: ');
  });

  it('tells nothing of others, and nothing of the channel in a direct message', async () => {
    const slack = await open(LIMITS);
    expect(await status(slack, 'U1')).not.toMatch(/Bob|API key|Nearly used up/);
    expect(await status(slack, 'U1', 'D1')).not.toContain('in this channel');
  });

  it('tells admins who has nearly used up theirs, the fullest first', async () => {
    const slack = await open(LIMITS);
    const words = await status(slack, CAROL);
    expect(words).toMatch(
      /Nearly used up today, by anybody[\s\S]*• Bob: 2,500 of 2,000 tokens, used up[\s\S]*• API key ci: 99 of 99 tokens, used up[\s\S]*• Ana: 1,900 of 2,000 tokens, nearly/,
    );
  });

  it('tells admins that nothing is nearly used up', async () => {
    expect(await status(await open({ person: { tokens_per_day: 1_000_000 } }), CAROL)).toContain(
      'Nothing is nearly used up.',
    );
  });
});

describe('the Home', () => {
  it('tells people what they have used today', async () => {
    const slack = await open(LIMITS);
    await slack.event({ type: 'app_home_opened', tab: 'home', user: 'U1' });
    const words = wordsIn(slack.api.of('views.publish')[0]?.view);
    expect(words).toContain('Today’s limits');
    expect(words).toContain('• 1,900 of 2,000 tokens, nearly used up');
    expect(words).not.toContain('Bob');
  });
});

it('says nothing of use where no limit is set, to admins neither', async () => {
  const slack = await open({ person: { calls_at_once: 3 } });
  await slack.event({ type: 'app_home_opened', tab: 'home', user: CAROL });
  const words = `${wordsIn(slack.api.of('views.publish')[0]?.view)} ${await status(slack, CAROL)}`;
  expect(words).toContain('Nothing is waiting for you');
  expect(words).not.toMatch(/used|Used|limits/);
});
