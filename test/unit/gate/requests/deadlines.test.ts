import { afterEach, describe, expect, it } from 'vitest';
import type { Actor } from '../../../../src/gate/call/actor.ts';
import type { CallRecord } from '../../../../src/gate/call/record.ts';
import { createGate } from '../../../../src/gate/index.ts';
import { compilePolicy } from '../../../../src/gate/policy/evaluate.ts';
import { policySchema } from '../../../../src/gate/policy/schema.ts';
import { createArgumentValidator } from '../../../../src/mcp/arguments/validator.ts';
import { ana, bob } from '../../../helpers/house.ts';
import {
  HOUR,
  KEY,
  MINUTE,
  openTimedGate,
  people,
  rule,
  type TimedGate,
} from '../../../helpers/timed-gate.ts';

let house: TimedGate;
afterEach(() => house.close());
async function open(...given: Parameters<typeof openTimedGate>): Promise<void> {
  house = await openTimedGate(...given);
}

describe('a deadline of a rule', () => {
  it('is kept with the call, and ends it alone: the others of its request go on', async () => {
    const rules = [
      { name: 'mail', tools: '*.send_*', action: 'ask', deadline: '4h' },
      { name: 'rest', tools: '*', action: 'ask', deadline: '1h' },
    ];
    await open({ rules }, {}, ['c1', 'c2']);
    expect((await house.call()).timing?.decideBy).toBe(house.time.now + HOUR);
    house.pass(HOUR);
    expect(await house.gate.requests.expire()).toBe(1);
    expect((await house.call()).state).toBe('expired');
    expect((await house.other()).state).toBe('pending');
    house.pass(3 * HOUR);
    expect(await house.gate.requests.expire()).toBe(1);
  });

  it('never comes where the rule says so', async () => {
    await open(rule({ deadline: 'never' }));
    house.pass(1e12);
    expect(await house.gate.requests.expire()).toBe(0);
  });

  const hours = { zone: 'Europe/Berlin' };
  it.each([
    ['those of the rule', rule({ deadline: '10h', working_hours: hours }), 26],
    ['those of the policy', { ...rule({ deadline: '10h' }), working_hours: hours }, 26],
    [
      'all, where the rule says so',
      { ...rule({ deadline: '10h', working_hours: false }), working_hours: hours },
      10,
    ],
    ['those of the policy for what no rule matches', { working_hours: hours }, 56],
  ])('counts working hours: %s', async (_which, policy, later) => {
    await open(policy);
    expect((await house.call()).timing?.decideBy).toBe(house.time.now + later * HOUR);
  });

  it('is not later than the conversation is kept', async () => {
    await open(rule({ deadline: '30d' }), { longestWaitMs: 7 * 24 * HOUR });
    expect((await house.call()).timing?.decideBy).toBe(house.time.now + 7 * 24 * HOUR);
  });

  it('leaves the time of any request for what comes up after the approval', async () => {
    await open(rule({ deadline: '1h' }));
    await house.say(ana);
    const begun = await house.begin();
    const need = {
      kind: 'oauth_url',
      elicitationId: 'e',
      url: 'https://x.test/',
      message: 'Sign in.',
    } as const;
    await house.gate.elicitation.block(begun.call, need);
    house.pass(2 * HOUR);
    expect(await house.gate.requests.expire()).toBe(0);
    house.pass(22 * HOUR);
    expect(await house.gate.requests.expire()).toBe(1);
  });

  it('of a stricter rule that an edit leads to, counts from then on, if it is earlier', async () => {
    const rules = [
      {
        name: 'big',
        tools: '*',
        when: { title: { equals: 'Retro' } },
        action: 'ask',
        deadline: '1h',
        approvers: '@ops',
      },
      { name: 'rest', tools: '*', action: 'ask', deadline: '4h' },
    ];
    await open({ rules });
    house.pass(2 * HOUR);
    await house.say(ana, 'edit');
    expect(await house.call()).toMatchObject({
      state: 'pending',
      timing: { decideBy: house.time.now + HOUR },
    });
  });

  it('does not come later through an edit', async () => {
    const rules = [
      {
        name: 'big',
        tools: '*',
        when: { title: { equals: 'Retro' } },
        action: 'ask',
        deadline: '9h',
        approvers: '@ops',
      },
      { name: 'rest', tools: '*', action: 'ask', deadline: '4h' },
    ];
    await open({ rules });
    const before = (await house.call()).timing?.decideBy;
    house.pass(2 * HOUR);
    await house.say(ana, 'edit');
    expect((await house.call()).timing?.decideBy).toBe(before);
  });
});

describe('a late approval', () => {
  it('is refused at the deadline, before any sweep', async () => {
    await open(rule({ deadline: '1h' }));
    house.pass(HOUR);
    await expect(house.say(ana)).rejects.toMatchObject({ refusal: 'expired' });
    expect((await house.call()).state).toBe('pending');
  });

  it('authorizes nothing in the same moment as the sweep: one of the two wins, and it is final', async () => {
    await open(rule({ deadline: '1h' }));
    house.pass(HOUR - 1);
    let reads = 0;
    // The clock goes on between the two: the click is in time, and the sweep comes before its commit.
    const gate = createGate({
      store: house.store,
      clock: () => house.time.now + (reads++ === 0 ? 0 : 1),
      evaluate: compilePolicy(policySchema.parse(rule({ deadline: '1h' }))),
      validateArguments: createArgumentValidator(),
      people: {
        ...people,
        standing: async () => {
          house.pass(1);
          await house.gate.requests.expire();
          return 'member';
        },
      },
      listeners: [],
      requestLifetimeMs: null,
    });
    const late = gate.decisions.decide([{ callKey: KEY, digest: null, type: 'approve' }], ana);
    await expect(late).rejects.toMatchObject({ refusal: 'already_decided' });
    expect(await house.call()).toMatchObject({ state: 'expired', decision: null });
    expect((await house.begin()).kind).toBe('ended');
  });
});

describe('extending', () => {
  const extend = (seen: number, actor: Actor) =>
    house.gate.requests.extend(KEY, actor, { extensionsSeen: seen });

  it('puts the deadline off by as long again, at the word of whoever asked or may decide', async () => {
    await open(rule({ deadline: '1h', approvers: 'user:U2' }));
    const asked = house.time.now;
    await extend(0, ana);
    house.pass(90 * MINUTE);
    expect(await house.gate.requests.expire()).toBe(0);
    await extend(1, bob);
    expect((await house.call()).timing).toMatchObject({
      decideBy: asked + 3 * HOUR,
      extended: [
        { actor: ana, at: asked, until: asked + 2 * HOUR },
        { actor: bob, at: asked + 90 * MINUTE, until: asked + 3 * HOUR },
      ],
    });
  });

  it('is refused to anybody else, after the deadline, and after a decision', async () => {
    await open(rule({ deadline: '1h' }));
    await expect(extend(0, bob)).rejects.toMatchObject({ refusal: 'not_allowed' });
    house.pass(HOUR);
    await expect(extend(0, ana)).rejects.toMatchObject({ refusal: 'expired' });
    await house.gate.requests.expire();
    await expect(extend(0, ana)).rejects.toMatchObject({ refusal: 'already_decided' });
  });

  it('is done as often as the rule says, twice unless it does', async () => {
    await open(rule({ deadline: '1h' }));
    await extend(0, ana);
    await extend(1, ana);
    await expect(extend(2, ana)).rejects.toMatchObject({ refusal: 'not_applicable' });
    await house.close();
    await open(rule({ deadline: '1h', extensions: 0 }));
    await expect(extend(0, ana)).rejects.toMatchObject({ refusal: 'not_applicable' });
  });

  it('is done once by two clicks on the same button', async () => {
    await open(rule({ deadline: '1h' }));
    const clicks = await Promise.allSettled([extend(0, ana), extend(0, ana)]);
    expect(clicks.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect((await house.call()).timing?.extended).toHaveLength(1);
  });

  it('does not go beyond the time for which the conversation is kept', async () => {
    await open(rule({ deadline: '1h' }), { longestWaitMs: 90 * MINUTE });
    await extend(0, ana);
    expect((await house.call()).timing?.decideBy).toBe(house.time.now + 90 * MINUTE);
    await expect(extend(1, ana)).rejects.toMatchObject({ refusal: 'not_applicable' });
  });
});

describe('an approval that is too old when the call would be sent', () => {
  const stale = 'Ana approved it more than 1 hour ago, which is too long. It was not run.';

  it('counts no more: people are asked again, with the whole time before them', async () => {
    await open(rule({ deadline: '2h', run_within: '1h' }));
    await house.say(ana);
    house.pass(3 * HOUR);
    expect((await house.begin()).kind).toBe('waiting');
    expect(await house.call()).toMatchObject({
      state: 'pending',
      decision: null,
      askedAgain: stale,
      timing: { decideBy: house.time.now + 2 * HOUR },
    });
    await house.say(ana);
    expect((await house.begin()).kind).toBe('ready');
  });

  it('still counts within the time', async () => {
    await open(rule({ run_within: '1h' }));
    await house.say(ana);
    house.pass(HOUR);
    expect((await house.begin()).kind).toBe('ready');
  });

  it('is a day old where the rule does not say, and never where it says so', async () => {
    await open({});
    await house.say(ana);
    house.pass(24 * HOUR + 1);
    expect((await house.begin()).kind).toBe('waiting');
    await house.close();
    await open(rule({ run_within: 'never' }));
    await house.say(ana);
    house.pass(1e12);
    expect((await house.begin()).kind).toBe('ready');
  });

  it('takes all its words with it, where several were needed', async () => {
    await open(rule({ run_within: '1h', approvers: { from: ['requester', 'user:U2'], quorum: 2 } }));
    await house.say(ana);
    await house.say(bob);
    house.pass(2 * HOUR);
    await house.begin();
    const { votes, askedAgain }: CallRecord = await house.call();
    expect(votes).toEqual([]);
    expect(askedAgain).toContain('Ana and Bob approved it');
  });
});
