import { describe, expect, it, vi } from 'vitest';
import type { LimitListener, LimitSettings } from '../../../../src/runs/index.ts';
import { ACTIONS } from '../../../../src/slack/cards/action-ids.ts';
import { createLimitListener } from '../../../../src/slack/handlers/admin/limits.ts';
import { createLimitMessages } from '../../../../src/slack/home/limit-messages.ts';
import { outbox } from '../../../../src/slack/outbox/collections.ts';
import { ana } from '../../../helpers/people.ts';
import { openSlackApp } from '../../../helpers/slack-app.ts';

const CAROL = { user: { id: 'U3', team_id: 'T1' } };
const DAY = 24 * 60 * 60_000;
type UsedUp = Awaited<ReturnType<typeof usedUp>>;

/** An app in which Ana has used up her runs, and what admins, Carol and Dave, are shown of that. */
async function usedUp(limitsBeside: Partial<LimitSettings> = {}) {
  const slack = await openSlackApp({
    limits: { person: { runs_per_day: 1 }, key: {}, channel: {}, ...limitsBeside },
  });
  const { limits, store } = slack.network;
  const account = { kind: 'person', owner: ana.id, channel: null } as const;
  const asking = Promise.withResolvers<Parameters<LimitListener['notify']>[0]>();
  const listener = createLimitListener({ ...slack.ports, admins: ['U3', 'U4'], wake: () => undefined });
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
  const messages = createLimitMessages({ limits, directory: slack.ports.directory });
  /** What waits to be shown in a channel, as it would be. */
  const shown = async (channel: string) => {
    const { items } = await store.query(outbox, 'byTurn', { prefix: [channel] }, 10);
    const rendered = await Promise.all(
      items.map(async ({ value: { show } }) => {
        if (show.kind === 'limit') return messages.card(show.question);
        return show.kind === 'extension' ? messages.notice(show.question) : null;
      }),
    );
    return rendered.filter((it) => it !== null);
  };
  const words = async (channel: string) => JSON.stringify(await shown(channel));
  return { slack, question, click, isOver, told, shown, words };
}

describe('a limit that is used up', () => {
  it('is asked about in a card to each admin', async () => {
    const { shown, words } = await usedUp();
    for (const admin of ['U3', 'U4']) {
      expect(await shown(admin)).toMatchObject([{ onlyUpdate: false }]);
      const card = await words(admin);
      expect(card).toContain('has used today’s 1 message.');
      expect(card).toContain('Allow 1 more message today');
      expect(card).toContain(ACTIONS.leaveLimit);
    }
  });

  it.each([
    ['a click', async ({ click }: UsedUp) => click(ACTIONS.extendLimit)],
    [
      'whoever does it elsewhere',
      async ({ slack, question }: UsedUp) =>
        slack.network.limits.extend(question, { question: 1, amount: 1, by: { id: 'api:ops', name: 'ops' } }),
    ],
  ])(
    'is extended by %s, which the card of each admin says, and the person hears of it',
    async (_by, extend) => {
      const app = await usedUp();
      const { isOver, shown, words } = app;
      await extend(app);
      expect(await isOver()).toBe(false);
      for (const admin of ['U3', 'U4']) {
        // What was never posted needn't be by now.
        expect(await shown(admin)).toMatchObject([{ onlyUpdate: true }]);
        expect(await words(admin)).toMatch(/allowed 1 more message, until midnight UTC.*Take it back/);
        expect(await words(admin)).not.toContain(ACTIONS.extendLimit);
      }
      expect(await words('U1')).toContain('Write again what was refused');
    },
  );

  it('is as before once that is taken back, by whomever, which all who saw it extended are shown', async () => {
    const { slack, question, click, isOver, shown, words } = await usedUp();
    await click(ACTIONS.extendLimit);
    await slack.network.limits.takeBack(question, { question: 1, by: { id: 'api:ops', name: 'ops' } });
    expect(await isOver()).toBe(true);
    for (const admin of ['U3', 'U4']) {
      expect(await words(admin)).toContain('ops took it back: the limit counts as before.');
      expect(await words(admin)).not.toContain(ACTIONS.takeBackLimit);
    }
    expect(await shown('U1')).toMatchObject([{ onlyUpdate: true }]);
    expect(await words('U1')).toContain('ops took back what you were allowed besides');
  });

  it.each([ACTIONS.extendLimit, ACTIONS.leaveLimit, ACTIONS.takeBackLimit])(
    'is not answered by anybody else (%s)',
    async (action) => {
      const { click, isOver, words, told } = await usedUp();
      await click(action, {});
      expect(await isOver()).toBe(true);
      expect(told('chat.postEphemeral')).toContain('Only admins extend limits');
      expect(await words('U3')).toContain(ACTIONS.leaveLimit);
    },
  );

  it('is answered in a name that turns no text around', async () => {
    const { slack, question, words } = await usedUp();
    const by = { id: 'api:x', name: 'Car\u202Eol' };
    await slack.network.limits.extend(question, { question: 1, amount: 1, by });
    for (const channel of ['U3', 'U1']) {
      expect(await words(channel)).toContain('Car⟨U+202E⟩ol');
      expect(await words(channel)).not.toContain('\u202E');
    }
  });

  it.each([
    ['where somebody was refused', 2, 'has allowed this channel 5 more messages today.'],
    ['unless nobody was refused there', 1, null],
  ] as const)('in a channel is told there once it is extended, %s', async (_where, messages, told) => {
    const { slack, shown, words } = await usedUp({ channel: { runs_per_day: 1 } });
    const { limits } = slack.network;
    const place = { kind: 'person', channel: 'slack:T1:C7' } as const;
    for (let sent = 1; sent <= messages; sent += 1)
      await limits.beginRun({ ...place, owner: `slack:T1:U${sent + 1}` });
    const channel = { kind: 'channel', id: 'slack:T1:C7', measure: 'runs' } as const;
    if (told !== null) await vi.waitFor(async () => expect(await words('U4')).toContain('C7'));
    await limits.extend(channel, { question: 1, amount: 5, by: { id: 'api:ops', name: 'ops' } });
    if (told === null) expect(await shown('C7')).toEqual([]);
    else expect(await words('C7')).toContain(told);
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

  it('stays as it is by “Leave it”, which each admin is shown and can still change', async () => {
    const { click, isOver, shown, words, told } = await usedUp();
    await click(ACTIONS.leaveLimit);
    expect(await isOver()).toBe(true);
    for (const admin of ['U3', 'U4']) {
      expect(await words(admin)).toContain('Left as it is by');
      expect(await words(admin)).not.toContain(ACTIONS.leaveLimit);
    }
    expect(await shown('U1')).toEqual([]);
    await click(ACTIONS.leaveLimit);
    expect(told('chat.postEphemeral')).toContain('has answered this. Nothing was changed.');
    await click(ACTIONS.extendLimit);
    expect(await isOver()).toBe(false);
    await click(ACTIONS.leaveLimit);
    expect(await words('U4')).toContain('Take it back');
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
