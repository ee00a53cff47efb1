import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Standing } from '../../../../src/gate/approval/people.ts';
import { type PeopleDirectory, StandingUnknownError } from '../../../../src/gate/approval/people.ts';
import type { Actor } from '../../../../src/gate/call/actor.ts';
import { callKey } from '../../../../src/gate/call/digest.ts';
import type { CallRecord } from '../../../../src/gate/call/record.ts';
import { RefusalError } from '../../../../src/gate/call/refusal.ts';
import { createGate } from '../../../../src/gate/index.ts';
import type { ApprovalTerms } from '../../../../src/gate/policy/approver-rules.ts';
import { compilePolicy } from '../../../../src/gate/policy/evaluate.ts';
import { policySchema } from '../../../../src/gate/policy/schema.ts';
import { beginning, openGate, opening, proposed, refusal } from '../../../helpers/gate.ts';
import { ana, bob, membersOnly, THREAD } from '../../../helpers/people.ts';

const person = (name: string): Actor => ({ id: `slack:T1:U${name}`, name });
const carol = person('carol');
const dave = person('dave');

const billing: Actor = { id: 'api:billing', name: 'billing' };
const other: Actor = { id: 'api:other', name: 'other' };

const BOB = `user:${bob.id.split(':')[2]}`;

/** Groups and accounts as the test sets them. */
function town() {
  const groups = new Map<string, readonly Actor[]>();
  const standings = new Map<string, Standing>();
  let isAway = false;
  const answer = <T>(value: T): Promise<T> =>
    isAway ? Promise.reject(new StandingUnknownError(new Error('away'))) : Promise.resolve(value);
  const people: PeopleDirectory = {
    ...membersOnly,
    standing: (actor) => answer(standings.get(actor.id) ?? 'member'),
    belongs: (actor, ref) => answer(groups.get(ref)?.some(({ id }) => id === actor.id) === true),
    nameOf: async (ref) => ref,
  };
  return { people, groups, standings, goAway: () => (isAway = true) };
}

async function asked(
  approvers: unknown,
  changes: readonly Record<string, unknown>[] = [],
  requester: Actor = ana,
) {
  const place = town();
  const rules = [...changes, { name: 'terms', tools: '*.create_event', action: 'ask', approvers }];
  const fixture = openGate({ evaluate: compilePolicy(policySchema.parse({ rules })), people: place.people });
  const call = proposed('c1');
  await fixture.gate.requests.open({ ...opening(await fixture.fence(), call), requester });
  const decide = async (actor: Actor, type: 'approve' | 'reject' | 'edit' | 'withdraw', title = 'Retro') => {
    const { digest } = await fixture.call('c1');
    const words = type === 'reject' ? { feedback: 'no' } : type === 'edit' ? { arguments: { title } } : {};
    await fixture.gate.decisions.decide([{ callKey: callKey(THREAD, 'c1'), digest, type, ...words }], actor);
    return fixture.call('c1');
  };
  return {
    ...place,
    fixture,
    call,
    decide,
    begin: async () => fixture.gate.journal.begin(beginning(await fixture.fence(), call)),
  };
}

describe('who approves', () => {
  it('is whoever asked, where no rule says otherwise', async () => {
    const { decide } = await asked(undefined);
    expect(await refusal(decide(bob, 'approve'))).toContain('not_allowed: Only Ana may decide this.');
    expect((await decide(ana, 'approve')).state).toBe('approved');
  });

  it('is nobody, where the group is empty or unknown', async () => {
    const { decide } = await asked('@finance');
    for (const actor of [ana, bob, carol]) {
      expect(await refusal(decide(actor, 'approve'))).toContain('not_allowed');
    }
  });

  it('is nobody, while it cannot be found out', async () => {
    const { decide, groups, goAway, fixture } = await asked('@finance');
    groups.set('group:finance', [bob]);
    goAway();
    await expect(decide(bob, 'approve')).rejects.toThrow(StandingUnknownError);
    expect((await fixture.call('c1')).state).toBe('pending');
  });

  it.each(['deactivated', 'unknown', 'app'] as const)(
    'is no account that is %s, also where the rule names it',
    async (standing) => {
      const { decide, standings } = await asked(BOB);
      standings.set(bob.id, standing);
      expect(await refusal(decide(bob, 'approve'))).toContain('not_allowed');
      standings.delete(bob.id);
      expect((await decide(bob, 'approve')).state).toBe('approved');
    },
  );

  it.each(['guest', 'stranger'] as const)('is no %s, unless the rule names them', async (standing) => {
    const { decide, groups, standings } = await asked(['@finance', 'user:Ucarol']);
    groups.set('group:finance', [bob]);
    for (const { id } of [bob, carol]) standings.set(id, standing);
    expect(await refusal(decide(bob, 'approve'))).toContain('not_allowed');
    expect((await decide(carol, 'approve')).state).toBe('approved');
  });

  it('is a key of the HTTP API that the rule names, where it asked itself, and no other', async () => {
    const { decide } = await asked(['api:billing', 'api:other'], [], billing);
    expect(await refusal(decide(other, 'approve'))).toContain('not_allowed: A key only decides');
    expect((await decide(billing, 'approve')).state).toBe('approved');
  });

  it.each([
    ['somebody else asked', ana, false],
    ['somebody else asked, and whoever asks is excluded', ana, true],
    ['it asked itself, and whoever asks is excluded', billing, true],
  ])('is no key that the rule names, where %s', async (_, requester, exclude) => {
    const terms = { from: ['api:billing', BOB], exclude_requester: exclude };
    const { decide } = await asked(terms, [], requester);
    for (const type of ['approve', 'edit', 'reject'] as const)
      expect(await refusal(decide(billing, type))).toContain('not_allowed');
    expect((await decide(bob, 'approve')).state).toBe('approved');
  });

  it('lets whoever asked take it back, and nobody else who may not decide', async () => {
    const { decide } = await asked(BOB);
    expect(await refusal(decide(carol, 'withdraw'))).toContain('not_allowed');
    expect((await decide(ana, 'withdraw')).state).toBe('cancelled');
  });
});

describe('a step that one person alone can take', () => {
  it('is theirs, and others approve the one before', async () => {
    const { decide } = await asked({ sequence: [{ from: [BOB, 'user:Ucarol'] }, { from: BOB }] });
    expect(await refusal(decide(bob, 'approve'))).toContain(
      'not_allowed: The rule needs your approval in step 2',
    );
    expect((await decide(carol, 'approve')).state).toBe('pending');
    expect((await decide(bob, 'approve')).state).toBe('approved');
  });

  it('is nobody’s where they alone could take the one before, too', async () => {
    const { decide } = await asked({ sequence: [{ from: BOB }, { from: BOB }] });
    expect(await refusal(decide(bob, 'approve'))).toContain('not_allowed');
  });

  it('is not earned by the same word twice, where others could take it', async () => {
    const { decide } = await asked({ sequence: [{ from: BOB }, { from: [BOB, 'user:Ucarol'] }] });
    await decide(bob, 'approve');
    expect(await refusal(decide(bob, 'approve'))).toContain('already_decided');
    expect((await decide(carol, 'approve')).state).toBe('approved');
  });
});

describe('an edit', () => {
  const big = { tools: '*.create_event', action: 'ask', name: 'big', approvers: 'user:Udave' };

  it('that meets another rule needs its approvers besides those it had', async () => {
    const { decide, fixture } = await asked(BOB, [{ ...big, when: { title: { matches: 'Big*' } } }]);
    const edited = await decide(bob, 'edit', 'Big party');
    expect(edited).toMatchObject({ state: 'pending', verdict: { rule: 'big' } });
    expect(await refusal(decide(carol, 'approve'))).toContain('not_allowed');
    const [first, second] = (await fixture.call('c1')).votes?.length === 1 ? [dave, null] : [bob, dave];
    await decide(first, 'approve');
    if (second) await decide(second, 'approve');
    expect((await fixture.call('c1')).state).toBe('approved');
    const approvedBy = (await fixture.call('c1')).votes?.map(({ actor }) => actor.name);
    expect(approvedBy?.toSorted()).toEqual(['Bob', 'dave']);
  });

  it('that meets a laxer rule needs all the same what it needed', async () => {
    const { decide } = await asked({ from: [BOB, 'user:Ucarol'], quorum: 2 }, [
      { tools: '*.create_event', action: 'allow', name: 'small', when: { title: { matches: 'Small*' } } },
    ]);
    expect((await decide(bob, 'edit', 'Small talk')).state).toBe('pending');
    expect((await decide(carol, 'approve')).state).toBe('approved');
  });
});

describe('an approval that does not say of what', () => {
  const unseen = { callKey: callKey(THREAD, 'c1'), digest: null, type: 'approve' } as const;

  it('is of what was proposed', async () => {
    const { fixture } = await asked(undefined);
    await fixture.gate.decisions.decide([unseen], ana);
    expect((await fixture.call('c1')).state).toBe('approved');
  });

  it('counts for nothing once somebody has changed it', async () => {
    const { decide, fixture } = await asked({ from: [BOB, 'user:Ucarol'], quorum: 2 });
    await decide(bob, 'edit', 'Party');
    expect(await refusal(fixture.gate.decisions.decide([unseen], carol))).toContain(
      'changed: This has changed',
    );
    expect(await refusal(fixture.gate.decisions.decide([unseen], ana))).toContain('not_allowed');
    expect((await decide(carol, 'approve')).state).toBe('approved');
  });

  it('counts for nothing once it is asked again', async () => {
    const { decide, groups, begin, fixture } = await asked('@finance');
    groups.set('group:finance', [bob]);
    await decide(bob, 'approve');
    groups.set('group:finance', [carol]);
    await begin();
    expect(await refusal(fixture.gate.decisions.decide([unseen], carol))).toContain(
      'changed: This has changed',
    );
    expect((await decide(carol, 'approve')).state).toBe('approved');
  });
});

describe('when the call is sent', () => {
  it('everybody who approved it still counts, or it is asked again', async () => {
    const { decide, groups, begin, fixture } = await asked({ from: '@finance', quorum: 2 });
    groups.set('group:finance', [bob, carol]);
    await decide(bob, 'approve');
    await decide(carol, 'approve');
    groups.set('group:finance', [carol, dave]);
    expect((await begin()).kind).toBe('waiting');
    const again = await fixture.call('c1');
    expect(again).toMatchObject({ state: 'pending', decision: null, attempt: 0 });
    expect(again.askedAgain).toContain('Bob approved this');
    await decide(dave, 'approve');
    expect((await begin()).kind).toBe('ready');
  });

  it('whoever asked and approved it has an account that is open, or it is asked again', async () => {
    for (const [standing, kind] of [
      ['member', 'ready'],
      ['deactivated', 'waiting'],
      ['guest', 'waiting'],
    ] as const) {
      const { decide, standings, begin, fixture } = await asked(undefined);
      await decide(ana, 'approve');
      fixture.time.now += 10_000;
      standings.set(ana.id, standing);
      expect((await begin()).kind).toBe(kind);
      if (kind === 'ready') continue;
      const again = await fixture.call('c1');
      expect(again).toMatchObject({ state: 'pending', decision: null, attempt: 0 });
      expect(again.askedAgain).toContain('Ana approved this but may no longer do so');
      expect(await refusal(decide(ana, 'approve'))).toContain('not_allowed');
    }
  });

  it('whoever asked is not looked up again a moment after their click', async () => {
    const { decide, begin, goAway, fixture } = await asked(undefined);
    await decide(ana, 'approve');
    fixture.time.now += 9_999;
    goAway();
    expect((await begin()).kind).toBe('ready');
  });

  it('nothing is sent while it is not known whether whoever asked may', async () => {
    const { decide, begin, goAway, fixture } = await asked(undefined);
    await decide(ana, 'approve');
    fixture.time.now += 10_000;
    goAway();
    await expect(begin()).rejects.toThrow(StandingUnknownError);
    expect((await fixture.call('c1')).state).toBe('approved');
  });

  it('and the policy asks for more by now, people are asked by what holds now', async () => {
    const { decide, begin, fixture } = await asked(BOB);
    await decide(bob, 'approve');
    const rules = [{ tools: '*.create_event', action: 'ask', approvers: 'user:Ucarol' }];
    const later = createGate({
      ...fixture.ports,
      evaluate: compilePolicy(policySchema.parse({ rules })),
    });
    const begun = await later.journal.begin(beginning(await fixture.fence(), proposed('c1')));
    expect(begun.kind).toBe('waiting');
    const again = await fixture.call('c1');
    expect(again).toMatchObject({ state: 'pending', decision: null });
    expect(again.askedAgain).toContain('The policy now requires more approval');
    await decide(bob, 'approve');
    await decide(carol, 'approve');
    expect((await begin()).kind).toBe('ready');
  });

  it('and it cannot be found out who counts, it is not sent', async () => {
    const { decide, groups, begin, goAway, fixture } = await asked('@finance');
    groups.set('group:finance', [bob]);
    await decide(bob, 'approve');
    goAway();
    await expect(begin()).rejects.toThrow(StandingUnknownError);
    expect(await fixture.call('c1')).toMatchObject({ state: 'approved', attempt: 0 });
  });
});

it('two who reject at the same moment: one is the first, and the other is told who', async () => {
  const { fixture, decide } = await asked([BOB, 'requester']);
  const [first, second] = await Promise.allSettled([decide(bob, 'reject'), decide(ana, 'reject')]);
  expect((await fixture.call('c1')).decision).toMatchObject({ type: 'reject', actor: bob });
  expect([first.status, second]).toMatchObject([
    'fulfilled',
    { reason: { userMessage: 'This was already rejected by Bob. Nothing was changed.' } },
  ]);
});

const crowd = ['0', '1', '2', '3', '4'].map(person);
const requesterOrCrowd = [ana, ...crowd];

describe('a quorum', () => {
  it('of three among a hundred clicks at once has three different voices', async () => {
    const hundred = Array.from({ length: 100 }, (_, index) => person(`${index}`));
    const { groups, fixture } = await asked({ from: '@all', quorum: 3 });
    groups.set('group:all', hundred);
    const { digest } = await fixture.call('c1');
    const clicks = hundred.flatMap((actor) => [actor, actor]);
    const settled = await Promise.allSettled(
      clicks.map((actor) =>
        fixture.gate.decisions.decide([{ callKey: callKey(THREAD, 'c1'), digest, type: 'approve' }], actor),
      ),
    );
    expect(settled.filter(({ status }) => status === 'fulfilled')).toHaveLength(3);
    const { state, votes = [] } = await fixture.call('c1');
    expect(state).toBe('approved');
    expect(new Set(votes.map(({ actor }) => actor.id)).size).toBe(3);
  });

  const step = fc.record({
    from: fc.subarray(['requester', ...crowd.map(({ id }) => `user:${id.split(':')[2]}`)], { minLength: 1 }),
    quorum: fc.integer({ min: 1, max: 3 }),
  });
  const terms = fc.record({
    sequence: fc.array(step, { minLength: 1, maxLength: 3 }),
    exclude_requester: fc.boolean(),
    rejections: fc.integer({ min: 1, max: 2 }),
  });
  const word = fc.record({
    actor: fc.constantFrom(...requesterOrCrowd),
    type: fc.constantFrom(
      'approve' as const,
      'approve' as const,
      'approve' as const,
      'reject' as const,
      'edit' as const,
    ),
  });

  it('is reached by different people of each step who may, and by nothing else', async () => {
    await fc.assert(
      fc.asyncProperty(terms, fc.array(word, { maxLength: 14 }), async (written, words) => {
        const { decide, fixture } = await asked(written);
        let edits = 0;
        for (const { actor, type } of words) {
          edits += 1;
          await decide(actor, type, `Title ${edits}`).catch((error: unknown) => {
            if (!(error instanceof RefusalError)) throw error;
          });
        }
        const call = await fixture.call('c1');
        if (call.state === 'approved') expectEarned(call);
        if (call.state === 'rejected') {
          const rejecting = (call.votes ?? []).filter(({ type }) => type === 'reject');
          expect(new Set(rejecting.map(({ actor }) => actor.id)).size).toBe(written.rejections);
        }
      }),
      { numRuns: 60 },
    );
  });
});

/** What an approval must have, counted anew from the votes alone. */
function expectEarned(call: CallRecord): void {
  const { steps, excludeRequester }: ApprovalTerms = call.verdict.approval ?? {
    steps: [],
    excludeRequester: false,
    rejections: 1,
  };
  const approving = (call.votes ?? []).filter(({ type }) => type !== 'reject');
  const everybody = approving.map(({ actor }) => actor.id);
  expect(new Set(everybody).size).toBe(everybody.length);
  if (excludeRequester) {
    const authors = [ana, ...(call.edits ?? []).map(({ by }) => by)].map(({ id }) => id);
    expect(everybody.filter((id) => authors.includes(id))).toEqual([]);
  }
  for (const [index, { from, quorum }] of steps.entries()) {
    const here = approving.filter((vote) => vote.step === index).map(({ actor }) => actor);
    expect(new Set(here.map(({ id }) => id)).size).toBe(quorum);
    for (const { id } of here) {
      const isNamed =
        from.includes(`user:${id.split(':')[2]}`) || (id === ana.id && from.includes('requester'));
      expect(isNamed).toBe(true);
    }
  }
  // Only the first word after an edit may be the edit itself: what was said before it counts for nothing.
  expect(approving.slice(1).every(({ type }) => type !== 'edit')).toBe(true);
}
