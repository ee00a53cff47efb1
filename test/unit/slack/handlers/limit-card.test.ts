import { describe, expect, it } from 'vitest';
import type { LimitListener } from '../../../../src/runs/index.ts';
import { ACTIONS } from '../../../../src/slack/cards/action-ids.ts';
import { createLimitListener } from '../../../../src/slack/handlers/admin/limits.ts';
import { limitCard } from '../../../../src/slack/home/limit-card.ts';
import { ana } from '../../../helpers/people.ts';
import { openSlackApp } from '../../../helpers/slack-app.ts';

const CAROL = { user: { id: 'U3', team_id: 'T1' } };
const DAY = 24 * 60 * 60_000;

/** An app in which Ana has used up her runs, and what admins were asked. */
async function usedUp() {
  const slack = await openSlackApp({ limits: { person: { runs_per_day: 1 }, key: {}, channel: {} } });
  const { limits } = slack.network;
  const account = { kind: 'person', owner: ana.id, channel: null } as const;
  const asking = Promise.withResolvers<Parameters<LimitListener['notify']>[0]>();
  const listener = createLimitListener({ ...slack.ports, admins: [], wake: () => undefined });
  limits.onReached({ ...listener, notify: asking.resolve });
  await limits.beginRun(account);
  await limits.beginRun(account);
  const asked = await asking.promise;
  const question = {
    kind: asked.kind,
    id: asked.id,
    measure: asked.measure,
    question: 1,
    limit: 1,
    amount: 1,
    until: asked.untilMs,
  };
  const value = JSON.stringify(question);
  const click = (action: string, by: object = CAROL, carried = value) =>
    slack.click(action, carried, { ...by, channel: { id: 'D3' }, message: { ts: '1.1' } });
  const isOver = async () => (await limits.findReached(account)) !== null;
  const told = (method: string) => JSON.stringify(slack.api.of(method));
  return { slack, asked, question, click, isOver, told };
}

describe('a limit that is used up', () => {
  it('is asked about in a card to each admin', async () => {
    const { slack, asked, question } = await usedUp();
    const listener = createLimitListener({ ...slack.ports, admins: ['U3', 'U4'], wake: () => undefined });
    expect(listener.announce(asked).map(({ json }): unknown => JSON.parse(json))).toMatchObject([
      { channel: 'U3', show: { kind: 'limit', question } },
      { channel: 'U4', show: { kind: 'limit', question } },
    ]);
    const card = JSON.stringify(limitCard(question, 'ana'));
    expect(card).toContain('has used today’s 1 requests.');
    expect(card).toContain('Allow 1 requests more today');
    expect(card).toContain(ACTIONS.leaveLimit);
  });

  it('is extended by an admin, who sees it on the card, and the person hears of it', async () => {
    const { click, isOver, told } = await usedUp();
    await click(ACTIONS.extendLimit);
    expect(await isOver()).toBe(false);
    expect(told('chat.update')).toContain('allowed 1 requests more, until midnight UTC');
    expect(told('chat.update')).toContain('Take it back');
    expect(told('chat.postMessage')).toContain('Write again what was refused');
  });

  it('is not extended by anybody else', async () => {
    const { click, isOver, told } = await usedUp();
    await click(ACTIONS.extendLimit, {});
    expect(await isOver()).toBe(true);
    expect(told('chat.postEphemeral')).toContain('Only admins extend limits');
  });

  it('is extended once by two clicks, and taken back by a third', async () => {
    const { slack, click, isOver, told } = await usedUp();
    await Promise.all([click(ACTIONS.extendLimit), click(ACTIONS.extendLimit)]);
    expect(told('chat.postEphemeral')).toContain('has answered this. Nothing was changed.');
    expect(
      (await slack.network.limits.uses({ kind: 'person', owner: ana.id, channel: null }))[0],
    ).toMatchObject({ limit: 2 });
    await click(ACTIONS.takeBackLimit);
    expect(await isOver()).toBe(true);
  });

  it('stays as it is by “Leave it”', async () => {
    const { click, isOver, told } = await usedUp();
    await click(ACTIONS.leaveLimit);
    expect(await isOver()).toBe(true);
    expect(told('chat.update')).toContain('Left as it is by');
  });

  it.each([
    ['of an earlier day', { until: Date.now() - DAY }, 'the limit of an earlier day'],
    ['that we did not write', { amount: -1 }, 'This button is out of date'],
  ])('is not extended by a button %s', async (_what, changes, words) => {
    const { question, click, isOver, told } = await usedUp();
    await click(ACTIONS.extendLimit, CAROL, JSON.stringify({ ...question, ...changes }));
    expect(await isOver()).toBe(true);
    expect(told('chat.postEphemeral')).toContain(words);
  });
});
