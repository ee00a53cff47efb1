import { describe, expect, it } from 'vitest';
import type { Actor } from '../../../../src/gate/call/actor.ts';
import type { CallRecord } from '../../../../src/gate/call/record.ts';
import { createGate } from '../../../../src/gate/index.ts';
import { compilePolicy } from '../../../../src/gate/policy/evaluate.ts';
import { policySchema } from '../../../../src/gate/policy/schema.ts';
import { createArgumentValidator } from '../../../../src/mcp/arguments/validator.ts';
import { auditKeys } from '../../../helpers/audit-keys.ts';
import { ana, bob } from '../../../helpers/people.ts';
import {
  HOUR,
  KEY,
  MINUTE,
  openTimedGate,
  people,
  rule,
  type TimedGate,
} from '../../../helpers/timed-gate.ts';

let fixture: TimedGate;
async function open(...given: Parameters<typeof openTimedGate>): Promise<void> {
  fixture = await openTimedGate(...given);
}

describe('a deadline of a rule', () => {
  it('is kept with the call, and ends it alone: the others of its request go on', async () => {
    const rules = [
      { name: 'mail', tools: '*.send_*', action: 'ask', deadline: '4h' },
      { name: 'rest', tools: '*', action: 'ask', deadline: '1h' },
    ];
    await open({ rules }, {}, ['c1', 'c2']);
    expect((await fixture.call()).timing?.decideBy).toBe(fixture.time.now + HOUR);
    fixture.pass(HOUR);
    expect(await fixture.gate.requests.expire()).toBe(1);
    expect((await fixture.call()).state).toBe('expired');
    expect((await fixture.other()).state).toBe('pending');
    fixture.pass(3 * HOUR);
    expect(await fixture.gate.requests.expire()).toBe(1);
  });

  it('never comes where the rule says so', async () => {
    await open(rule({ deadline: 'never' }));
    fixture.pass(1e12);
    expect(await fixture.gate.requests.expire()).toBe(0);
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
    expect((await fixture.call()).timing?.decideBy).toBe(fixture.time.now + later * HOUR);
  });

  it('is not later than the conversation is kept', async () => {
    await open(rule({ deadline: '30d' }), { longestWaitMs: 7 * 24 * HOUR });
    expect((await fixture.call()).timing?.decideBy).toBe(fixture.time.now + 7 * 24 * HOUR);
  });

  it('leaves the time of any request for what comes up after the approval', async () => {
    await open(rule({ deadline: '1h' }));
    await fixture.say(ana);
    const begun = await fixture.begin();
    const need = {
      kind: 'oauth_url',
      elicitationId: 'e',
      url: 'https://x.test/',
      message: 'Sign in.',
    } as const;
    await fixture.gate.elicitation.block(begun.call, need);
    fixture.pass(2 * HOUR);
    expect(await fixture.gate.requests.expire()).toBe(0);
    fixture.pass(22 * HOUR);
    expect(await fixture.gate.requests.expire()).toBe(1);
  });

  it.each([
    ['counts from then on where it is earlier', '1h', 3 * HOUR],
    ['does not come later', '9h', 4 * HOUR],
  ])('of a stricter rule that an edit leads to %s', async (_what, deadline, decideAfter) => {
    const retro = { when: { title: { equals: 'Retro' } }, approvers: '@ops' };
    const rules = [
      { name: 'big', tools: '*', action: 'ask', deadline, ...retro },
      { name: 'rest', tools: '*', action: 'ask', deadline: '4h' },
    ];
    await open({ rules });
    const decideBy = fixture.time.now + decideAfter;
    fixture.pass(2 * HOUR);
    await fixture.say(ana, 'edit');
    expect(await fixture.call()).toMatchObject({ state: 'pending', timing: { decideBy } });
  });
});

describe('a late approval', () => {
  it('is refused at the deadline, before any sweep', async () => {
    await open(rule({ deadline: '1h' }));
    fixture.pass(HOUR);
    await expect(fixture.say(ana)).rejects.toMatchObject({ refusal: 'expired' });
    expect((await fixture.call()).state).toBe('expired');
  });

  it('authorizes nothing in the same moment as the sweep: one of the two wins, and it is final', async () => {
    await open(rule({ deadline: '1h' }));
    fixture.pass(HOUR - 1);
    let reads = 0;
    // The clock goes on between the two: the click is in time, and the sweep comes before its commit.
    const gate = createGate({
      auditKeys,
      store: fixture.store,
      clock: () => fixture.time.now + (reads++ === 0 ? 0 : 1),
      evaluate: compilePolicy(policySchema.parse(rule({ deadline: '1h' }))),
      validateArguments: createArgumentValidator(),
      people: {
        ...people,
        standing: async () => {
          fixture.pass(1);
          await fixture.gate.requests.expire();
          return 'member';
        },
      },
      listeners: [],
      requestLifetimeMs: null,
    });
    const late = gate.decisions.decide([{ callKey: KEY, digest: null, type: 'approve' }], ana);
    await expect(late).rejects.toMatchObject({ refusal: 'already_decided' });
    expect(await fixture.call()).toMatchObject({ state: 'expired', decision: null });
    expect((await fixture.begin()).kind).toBe('ended');
  });
});

describe('extending', () => {
  const extend = (seen: number, actor: Actor) =>
    fixture.gate.requests.extend(KEY, actor, { extensionsSeen: seen });

  it('puts the deadline off by as long again, at the word of whoever asked or may decide', async () => {
    await open(rule({ deadline: '1h', approvers: 'user:U2' }));
    const asked = fixture.time.now;
    await extend(0, ana);
    fixture.pass(90 * MINUTE);
    expect(await fixture.gate.requests.expire()).toBe(0);
    await extend(1, bob);
    expect((await fixture.call()).timing).toMatchObject({
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
    fixture.pass(HOUR);
    await expect(extend(0, ana)).rejects.toMatchObject({ refusal: 'expired' });
    await fixture.gate.requests.expire();
    await expect(extend(0, ana)).rejects.toMatchObject({ refusal: 'already_decided' });
  });

  it('is done as often as the rule says, twice unless it does', async () => {
    await open(rule({ deadline: '1h' }));
    await extend(0, ana);
    await extend(1, ana);
    await expect(extend(2, ana)).rejects.toMatchObject({ refusal: 'not_applicable' });
    await open(rule({ deadline: '1h', extensions: 0 }));
    await expect(extend(0, ana)).rejects.toMatchObject({ refusal: 'not_applicable' });
  });

  it('is done once by two clicks on the same button', async () => {
    await open(rule({ deadline: '1h' }));
    const clicks = await Promise.allSettled([extend(0, ana), extend(0, ana)]);
    expect(clicks.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect((await fixture.call()).timing?.extended).toHaveLength(1);
  });

  it('does not go beyond the time for which the conversation is kept', async () => {
    await open(rule({ deadline: '1h' }), { longestWaitMs: 90 * MINUTE });
    await extend(0, ana);
    expect((await fixture.call()).timing?.decideBy).toBe(fixture.time.now + 90 * MINUTE);
    await expect(extend(1, ana)).rejects.toMatchObject({ refusal: 'not_applicable' });
  });
});

describe('an approval that is too old when the call would be sent', () => {
  const stale = 'Ana approved this more than 1 hour ago, which is too long. It did not run.';

  it('counts no more: people are asked again, with the whole time before them', async () => {
    await open(rule({ deadline: '2h', run_within: '1h' }));
    await fixture.say(ana);
    fixture.pass(3 * HOUR);
    expect((await fixture.begin()).kind).toBe('waiting');
    expect(await fixture.call()).toMatchObject({
      state: 'pending',
      decision: null,
      askedAgain: stale,
      timing: { decideBy: fixture.time.now + 2 * HOUR },
    });
    await fixture.say(ana);
    expect((await fixture.begin()).kind).toBe('ready');
  });

  it('still counts within the time', async () => {
    await open(rule({ run_within: '1h' }));
    await fixture.say(ana);
    fixture.pass(HOUR);
    expect((await fixture.begin()).kind).toBe('ready');
  });

  it('is a day old where the rule does not say, and never where it says so', async () => {
    await open({});
    await fixture.say(ana);
    fixture.pass(24 * HOUR + 1);
    expect((await fixture.begin()).kind).toBe('waiting');
    await open(rule({ run_within: 'never' }));
    await fixture.say(ana);
    fixture.pass(1e12);
    expect((await fixture.begin()).kind).toBe('ready');
  });

  it('takes all its words with it, where several were needed', async () => {
    await open(rule({ run_within: '1h', approvers: { from: ['requester', 'user:U2'], quorum: 2 } }));
    await fixture.say(ana);
    await fixture.say(bob);
    fixture.pass(2 * HOUR);
    await fixture.begin();
    const { votes, askedAgain }: CallRecord = await fixture.call();
    expect(votes).toEqual([]);
    expect(askedAgain).toContain('Ana and Bob approved this');
  });
});
