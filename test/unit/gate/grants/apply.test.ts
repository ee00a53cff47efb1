import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type PeopleDirectory, StandingUnknownError } from '../../../../src/gate/approval/people.ts';
import type { Actor } from '../../../../src/gate/call/actor.ts';
import { callKey } from '../../../../src/gate/call/digest.ts';
import type { GrantTerms } from '../../../../src/gate/grants/issue.ts';
import { matchesArguments, splitArguments } from '../../../../src/gate/grants/match.ts';
import { grants } from '../../../../src/gate/grants/record.ts';
import { compilePolicy } from '../../../../src/gate/policy/evaluate.ts';
import { policySchema } from '../../../../src/gate/policy/schema.ts';
import type { GateOptions } from '../../../../src/gate/ports.ts';
import type { Json, JsonObject } from '../../../../src/lib/json.ts';
import { put } from '../../../../src/storage/store.ts';
import { beginning, createEvent, openGate, opening, proposed, refusal } from '../../../helpers/gate.ts';
import { ana, bob, membersOnly, THREAD } from '../../../helpers/people.ts';

const DAY = 86_400_000;
const BOB = `user:${bob.id.split(':')[2]}`;
const TERMS: GrantTerms = { fixed: ['title'], scope: 'thread', until: 1_000_000 + DAY, limit: 3 };

/** A gate with a policy and people that a test can change as it goes. */
function openTown(changes: Partial<GateOptions> = {}) {
  const policy = { rules: [] as unknown[] };
  const groups = new Map<string, readonly Actor[]>();
  const away = { isSo: false };
  const people: PeopleDirectory = {
    ...membersOnly,
    async belongs(actor, ref) {
      if (away.isSo) throw new StandingUnknownError(new Error('away'));
      return groups.get(ref)?.some(({ id }) => id === actor.id) === true;
    },
    nameOf: async (ref) => ref,
  };
  const evaluate: GateOptions['evaluate'] = (call) => compilePolicy(policySchema.parse(policy))(call);
  const fixture = openGate({ evaluate, people, ...changes });
  let count = 0;
  const fresh = (args?: JsonObject, tool = {}) => {
    count += 1;
    return proposed(`c${count}`, tool, args);
  };
  return {
    ...fixture,
    policy,
    groups,
    away,
    fresh,
    /** Has a call approved and remembered by this person. */
    async remember(actor: Actor = ana, terms: Partial<GrantTerms> = {}, call = fresh()) {
      await fixture.gate.requests.open({ ...opening(await fixture.fence(), call), interruptId: call.callId });
      const { digest } = await fixture.call(call.callId);
      return fixture.gate.grants.approveAndIssue(callKey(THREAD, call.callId), actor, {
        digest,
        terms: { ...TERMS, ...terms },
      });
    },
    /** What becomes of a new call: `ready` where the grant lets it through, `waiting` where people are asked. */
    async begin(call = fresh(), from: Partial<ReturnType<typeof beginning>> = {}) {
      return fixture.gate.journal.begin({ ...beginning(await fixture.fence(), call), ...from });
    },
    async used(): Promise<number[]> {
      const page = await fixture.store.query(grants, 'byPerson', {}, 10);
      return page.items.map(({ value }) => value.used);
    },
    /** Has a grant allow more, as whoever can write the store could. */
    async widen(grantId: string) {
      const grant = await fixture.store.get(grants, grantId);
      await fixture.store.commit({
        put: grant ? [put(grants, grantId, { ...grant.value, limit: 99 })] : [],
      });
    },
  };
}

const json = fc.jsonValue() as fc.Arbitrary<Json>;
const args = fc.dictionary(fc.string(), json, { minKeys: 1, maxKeys: 6 });

describe('the arguments of a grant', () => {
  it('never match where one that stays has another value, is gone or is new', () => {
    fc.assert(
      fc.property(args, json, fc.nat(), (before, other, pick) => {
        const names = Object.keys(before);
        const name = names[pick % names.length] ?? '';
        const stay = names.filter((_, index) => index % 2 === 0 || names[index] === name);
        const grant = splitArguments({ tool: { ...createEvent, inputSchema: {} }, arguments: before }, stay);
        const { [name]: _gone, ...without } = before;
        expect(matchesArguments(grant, without)).toBe(false);
        expect(matchesArguments(grant, { ...before, [`${names.join()}+`]: other })).toBe(false);
        fc.pre(
          JSON.stringify(other) !== JSON.stringify(before[name]) && !isDeepStrictEqual(other, before[name]),
        );
        expect(matchesArguments(grant, { ...before, [name]: other })).toBe(false);
      }),
    );
  });

  it('match where only what may vary does', () => {
    fc.assert(
      fc.property(args, args, (before, other) => {
        const names = Object.keys(before);
        const stay = names.filter((_, index) => index % 2 === 0);
        const grant = splitArguments({ tool: { ...createEvent, inputSchema: {} }, arguments: before }, stay);
        const varied = names.map((name, index) => {
          const value =
            index % 2 === 0 ? before[name] : Object.values(other)[index % Object.keys(other).length];
          return [name, value ?? null] as const;
        });
        expect(matchesArguments(grant, Object.fromEntries(varied))).toBe(true);
      }),
    );
  });

  it.each<[string, Json, Json]>([
    ['a number and its digits', 1, '1'],
    ['nothing and null', null, 'null'],
    ['zero and false', 0, false],
    ['an inner number and its digits', { a: { b: [1] } }, { a: { b: ['1'] } }],
    ['an inner null and nothing', { a: null }, {}],
    ['the same items in another order', [1, 2], [2, 1]],
    ['a list and its only item', ['x'], 'x'],
    ['letters that look alike', 'pay', 'раy'],
    ['one letter in two ways', 'é', 'e\u0301'],
  ])('tell %s apart', (_, one, other) => {
    const grant = { fixed: { value: one }, free: [] };
    expect(matchesArguments(grant, { value: one })).toBe(true);
    expect(matchesArguments(grant, { value: other })).toBe(false);
    expect(matchesArguments({ fixed: { value: other }, free: [] }, { value: one })).toBe(false);
  });

  it('are the same in another order of names, and not with a hidden one', () => {
    const grant = { fixed: { a: { x: 1, y: 2 } }, free: [] };
    expect(matchesArguments(grant, { a: { y: 2, x: 1 } })).toBe(true);
    expect(matchesArguments(grant, JSON.parse('{"a": {"x": 1, "y": 2}, "__proto__": {"force": true}}'))).toBe(
      false,
    );
  });

  it('hold back an argument that the tool knows and the call did not give, unless it may vary', async () => {
    const town = openTown();
    const tool = {
      inputSchema: { type: 'object', properties: { title: {}, force: {} }, additionalProperties: true },
    };
    await town.remember(ana, { fixed: ['title', 'force'] }, town.fresh({ title: 'Standup' }, tool));
    expect((await town.begin(town.fresh({ title: 'Standup', force: true }, tool))).kind).toBe('waiting');
    expect((await town.begin(town.fresh({ title: 'Standup' }, tool))).kind).toBe('ready');
  });
});

describe('a grant', () => {
  it('lets a call through in the same commit that counts it, and is named in its record', async () => {
    const town = openTown();
    const grant = await town.remember();
    const { kind, call } = await town.begin();
    expect(kind).toBe('ready');
    expect(call).toMatchObject({
      state: 'executing',
      decision: null,
      grant: { grantId: grant.grantId, by: ana, until: grant.until },
    });
    expect(await town.used()).toEqual([1]);
  });

  it('lets no more calls through than it was given for, of 50 that begin at once', async () => {
    const town = openTown();
    await town.remember(ana, { limit: 7, scope: 'requester' });
    const fence = await town.fence();
    // Each in a thread of its own: nothing else that they write is the same.
    const begun = await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        town.gate.journal.begin({ ...beginning(fence, town.fresh()), threadId: `slack:T1:C1:${index}.1` }),
      ),
    );
    expect(begun.filter(({ kind }) => kind === 'ready')).toHaveLength(7);
    expect(begun.filter(({ kind }) => kind === 'waiting')).toHaveLength(43);
    expect(await town.used()).toEqual([7]);
  });

  it('is counted once for a call that begins again after a sign-in', async () => {
    const town = openTown();
    await town.remember();
    const call = town.fresh();
    const { call: attempt } = await town.begin(call);
    const need = { kind: 'oauth_url', elicitationId: 'e', url: 'https://sign.in/', message: 'm' } as const;
    await town.gate.elicitation.block(attempt, need);
    await town.gate.elicitation.retry(callKey(THREAD, call.callId), ana);
    expect((await town.begin(call)).kind).toBe('ready');
    expect(await town.used()).toEqual([1]);
  });

  it.each<[string, (town: ReturnType<typeof openTown>, grantId: string) => Promise<unknown>]>([
    ['is revoked', ({ gate }, grantId) => gate.grants.revoke(grantId, ana)],
    ['is widened past the gate', ({ widen }, grantId) => widen(grantId)],
  ])('that %s while its call waits for a sign-in has people asked', async (_, change) => {
    const town = openTown();
    const { grantId } = await town.remember();
    const call = town.fresh();
    const { call: attempt } = await town.begin(call);
    const need = { kind: 'oauth_url', elicitationId: 'e', url: 'https://sign.in/', message: 'm' } as const;
    await town.gate.elicitation.block(attempt, need);
    await change(town, grantId);
    await town.gate.elicitation.retry(callKey(THREAD, call.callId), ana);
    const { kind, call: asked } = await town.begin(call);
    expect([kind, asked.state, asked.grant]).toEqual(['waiting', 'pending', undefined]);
    expect(asked.askedAgain).toContain('no longer applies');
  });

  it('and the approval that it comes with land together or not at all', async () => {
    const town = openTown();
    const call = town.fresh();
    for (const wrong of [
      { limit: 0 },
      { limit: 1_001 },
      { limit: 1.5 },
      { until: 1 },
      { until: 1_000_000 + 91 * DAY },
    ]) {
      await expect(refusal(town.remember(ana, wrong, call))).resolves.toContain('Nothing was done.');
    }
    expect((await town.call(call.callId)).state).toBe('pending');
    expect(await town.used()).toEqual([]);
    await town.remember(ana, {}, call);
    expect((await town.call(call.callId)).state).toBe('approved');
    expect(await town.used()).toEqual([0]);
  });

  it('is over with its time, and with what operators allow of it', async () => {
    const limits = { forAtMostMs: 2 * DAY, usesAtMost: 10 };
    const town = openTown({ grantLimits: limits });
    await town.remember();
    expect((await town.begin()).kind).toBe('ready');
    limits.usesAtMost = 1;
    expect((await town.begin()).kind).toBe('waiting');
    limits.usesAtMost = 10;
    limits.forAtMostMs = DAY / 2;
    town.time.now += DAY / 2;
    expect((await town.begin()).kind).toBe('waiting');
    limits.forAtMostMs = 2 * DAY;
    expect((await town.begin()).kind).toBe('ready');
    town.time.now += DAY / 2;
    expect((await town.begin()).kind).toBe('waiting');
  });

  it('is about one thread, one person or one channel', async () => {
    const there = { threadId: 'slack:T1:C1:2.0' };
    const elsewhere = { threadId: 'slack:T1:C12:1.0' };
    const places = [
      ['thread', {}, there],
      ['requester', elsewhere, { ...elsewhere, requester: bob }],
      ['channel', there, elsewhere],
    ] as const;
    for (const [place, inside, outside] of places) {
      const town = openTown();
      town.policy.rules = [{ tools: '*', action: 'ask', approvers: [BOB, 'requester'] }];
      await town.remember(bob, { scope: place });
      expect([place, (await town.begin(town.fresh(), inside)).kind]).toEqual([place, 'ready']);
      expect([place, (await town.begin(town.fresh(), outside)).kind]).toEqual([place, 'waiting']);
    }
  });

  it('of one person is not another’s word: it counts where theirs alone does', async () => {
    const town = openTown();
    await town.remember(ana, { scope: 'channel' });
    expect((await town.begin(town.fresh(), { requester: bob })).kind).toBe('waiting');
    expect((await town.begin()).kind).toBe('ready');
  });

  it.each([
    ['denies it', { tools: '*', action: 'deny' }, 'ended'],
    [
      'needs two',
      { tools: '*', action: 'ask', approvers: { from: ['requester', BOB], quorum: 2 } },
      'waiting',
    ],
    [
      'needs one after another',
      { tools: '*', action: 'ask', approvers: { sequence: [{ from: 'requester' }, { from: BOB }] } },
      'waiting',
    ],
    [
      'wants somebody else',
      { tools: '*', action: 'ask', approvers: { from: ['requester', BOB], exclude_requester: true } },
      'waiting',
    ],
    ['names others', { tools: '*', action: 'ask', approvers: BOB }, 'waiting'],
    ['has it asked every time', { tools: '*', action: 'ask', remember: 'never' }, 'waiting'],
    ['has a value typed', { tools: '*', action: 'ask', confirm_by_typing: 'title' }, 'waiting'],
    ['has it decided on the web', { tools: '*', action: 'ask', decide_on: 'web' }, 'waiting'],
    ['is the same', { tools: '*', action: 'ask' }, 'ready'],
  ])('gives way to a policy that by now %s', async (_, rule, kind) => {
    const town = openTown();
    await town.remember();
    town.policy.rules = [rule];
    expect((await town.begin()).kind).toBe(kind);
    expect(await town.used()).toEqual([kind === 'ready' ? 1 : 0]);
  });

  it.each([
    ['the rule forbids it', ana, { remember: 'never' }, {}, 'requires approval every time'],
    ['it may delete', ana, {}, { destructive: true }, 'asked about every time'],
    [
      'several must approve',
      ana,
      { approvers: { from: ['requester', BOB], quorum: 2 } },
      {},
      'needs several people',
    ],
    [
      'somebody else must approve',
      bob,
      { approvers: { from: BOB, exclude_requester: true } },
      {},
      'somebody other than the requester',
    ],
    ['a value is typed', ana, { confirm_by_typing: 'title' }, {}, 'typed'],
    ['it is not theirs to decide', bob, {}, {}, 'Only Ana may decide this'],
  ])('is not given where %s', async (_, actor, rule, tool, why) => {
    const town = openTown();
    town.policy.rules = [{ tools: '*', action: 'ask', ...rule }];
    const call = town.fresh(undefined, tool);
    expect(await refusal(town.remember(actor, {}, call))).toContain(why);
    expect((await town.call(call.callId)).votes ?? []).toEqual([]);
    expect(await town.used()).toEqual([]);
  });

  it('is not given by somebody who was added to those who decide, since nobody did', async () => {
    const town = openTown({ requestLifetimeMs: null });
    town.policy.rules = [{ tools: '*', action: 'ask', ladder: [{ after: '1h', add: [BOB] }] }];
    const call = town.fresh();
    await town.gate.requests.open(opening(await town.fence(), call));
    town.time.now += DAY / 24;
    expect(await town.gate.requests.escalate()).toBe(1);
    const { digest } = await town.call(call.callId);
    const key = callKey(THREAD, call.callId);
    const terms = { ...TERMS, until: town.time.now + DAY };
    expect(await refusal(town.gate.grants.approveAndIssue(key, bob, { digest, terms }))).toContain(
      'after an escalation',
    );
    await town.gate.decisions.decide([{ callKey: key, digest, type: 'approve' }], bob);
    expect((await town.call(call.callId)).state).toBe('approved');
  });

  it('does not count for a tool that its server calls destructive by now', async () => {
    const town = openTown();
    await town.remember();
    expect((await town.begin(town.fresh(undefined, { destructive: true }))).kind).toBe('waiting');
  });

  it('is over for another definition of the tool, which the card says, and stays so', async () => {
    const town = openTown();
    await town.remember();
    const changed = town.fresh(undefined, { definitionHash: 'v2' });
    expect((await town.begin(changed)).kind).toBe('waiting');
    await town.gate.requests.open({ ...opening(await town.fence(), changed), interruptId: 'i9' });
    expect((await town.call(changed.callId)).askedAgain).toBe(
      'Ana had allowed this, but calendar has changed the tool since.',
    );
    expect((await town.gate.grants.list(ana.id))[0]?.ended?.why).toBe('definition');
    expect((await town.begin()).kind).toBe('waiting');
  });

  it('waits for people while it cannot be found out whether its giver may still decide', async () => {
    const town = openTown();
    town.groups.set('group:finance', [bob]);
    town.policy.rules = [{ tools: '*', action: 'ask', approvers: '@finance' }];
    await town.remember(bob);
    town.away.isSo = true;
    const call = town.fresh();
    expect((await town.begin(call)).kind).toBe('waiting');
    await town.gate.requests.open({ ...opening(await town.fence(), call), interruptId: 'i9' });
    town.away.isSo = false;
    expect((await town.begin()).kind).toBe('ready');
  });

  it('is revoked by its giver alone', async () => {
    const town = openTown();
    const { grantId } = await town.remember();
    expect(await refusal(town.gate.grants.revoke(grantId, bob))).toContain(
      'Only the person who gave a permission',
    );
    expect((await town.begin()).kind).toBe('ready');
    await town.gate.grants.revoke(grantId, ana);
    expect((await town.begin()).kind).toBe('waiting');
    expect(await refusal(town.gate.grants.revoke(grantId, ana))).toContain('already ended');
  });

  it('that is over goes from the list a day later, and stays in the record', async () => {
    const town = openTown();
    const { grantId } = await town.remember();
    await town.gate.grants.revoke(grantId, ana);
    expect(await town.gate.grants.list(ana.id)).toHaveLength(1);
    town.time.now += DAY;
    expect(await town.gate.grants.list(ana.id)).toEqual([]);
    expect((await town.store.get(grants, grantId))?.value.ended?.why).toBe('revoked');
  });
});
