import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type AuditEntry, appendEntries } from '../../../../src/gate/audit/chain.ts';
import { createAuditKeys, generateAuditKey, parsePrivateKey } from '../../../../src/gate/audit/keys.ts';
import { decisionNote, eventNote, SYSTEM } from '../../../../src/gate/audit/notes.ts';
import { callKey } from '../../../../src/gate/call/digest.ts';
import type { CallRecord } from '../../../../src/gate/call/record.ts';
import { grants } from '../../../../src/gate/grants/record.ts';
import { createGate } from '../../../../src/gate/index.ts';
import { compilePolicy } from '../../../../src/gate/policy/evaluate.ts';
import { policySchema } from '../../../../src/gate/policy/schema.ts';
import { calls } from '../../../../src/gate/store/collections.ts';
import { openRedisStore } from '../../../../src/storage/redis/store.ts';
import { openSqliteStore } from '../../../../src/storage/sqlite/store.ts';
import { put, type Store } from '../../../../src/storage/store.ts';
import { endAt, entriesOf, problemsOf, remove, sealAll, spoil } from '../../../helpers/audit.ts';
import { auditKeys } from '../../../helpers/audit-keys.ts';
import { beginning, openGate, opening, proposed, refusal } from '../../../helpers/gate.ts';
import { ana, bob, carol, membersOnly, THREAD } from '../../../helpers/people.ts';
import { hasRedis, type RedisServer, startRedis } from '../../../helpers/redis.ts';

const KEY = callKey(THREAD, 'c1');
const APPROVERS = [bob, carol].map(({ id }) => `user:${id.split(':')[2]}` as const);
const NOT_PROVEN = /^Its record says what the audit doesn’t/;

/** A call of Ana's that waits for Bob and Carol, and whoever can write the store but has no key. */
async function asked(store: Store, ...others: readonly ReturnType<typeof proposed>[]) {
  const unproven: CallRecord[] = [];
  const rules = [{ tools: '*', action: 'ask', approvers: { from: APPROVERS, quorum: 2 } }];
  const fixture = openGate({
    store,
    people: membersOnly,
    evaluate: compilePolicy(policySchema.parse({ rules })),
    onUnproven: (call) => void unproven.push(call),
  });
  const call = proposed('c1');
  await fixture.gate.requests.open(opening(await fixture.fence(), call, ...others));
  return {
    ...fixture,
    unproven,
    /** Another process, which knows nothing but what is in the store. */
    restarted: () => createGate(fixture.ports),
    async approve(actor = bob, gate = fixture.gate, callId = 'c1') {
      const { digest } = await fixture.call(callId);
      await gate.decisions.decide([{ callKey: callKey(THREAD, callId), digest, type: 'approve' }], actor);
    },
    begin: async (gate = fixture.gate) => gate.journal.begin(beginning(await fixture.fence(), call)),
    async write(change: Partial<CallRecord>) {
      const record = await fixture.call('c1');
      await store.commit({ put: [put(calls, KEY, { ...record, ...change })] });
      return record;
    },
  };
}

function vote(actor: typeof bob) {
  return { type: 'approve' as const, actor, at: 1_000_000, step: 0, feedback: null };
}

const LAX = {
  ...{ action: 'ask' as const, rule: 'x', reason: null, policyVersion: 'x' },
  approval: { steps: [{ from: APPROVERS.slice(0, 1), quorum: 1 }], excludeRequester: false, rejections: 1 },
};
const DECISION = { type: 'approve' as const, actor: carol, at: 1_000_000, feedback: null };
const INVENTED = { state: 'approved' as const, votes: [vote(bob), vote(carol)], decision: DECISION };

let redis: RedisServer | null = null;
let databases = 0;
beforeAll(async () => {
  redis = hasRedis('proofs on Redis') ? await startRedis() : null;
});
afterAll(() => redis?.dispose());

async function openStore(kind: 'SQLite' | 'Redis'): Promise<Store> {
  databases += 1;
  const store =
    kind === 'SQLite'
      ? openSqliteStore({ path: ':memory:' })
      : await openRedisStore({ url: `${redis?.url}/${databases}` });
  onTestFinished(() => store.close());
  return store;
}

describe.each(['SQLite', 'Redis'] as const)('on %s, a call that people approve', (kind) => {
  it.skipIf(kind === 'Redis' && !hasRedis('proofs on Redis'))('runs once both have signed', async () => {
    const { approve, begin, store } = await asked(await openStore(kind));
    await approve(bob);
    expect((await begin()).kind).toBe('waiting');
    await approve(carol);
    expect((await begin()).kind).toBe('ready');
    expect(await problemsOf(store)).toEqual([]);
  });

  it.skipIf(kind === 'Redis' && !hasRedis('proofs on Redis'))(
    'does not run on two votes that somebody wrote into the store, and the audit shows it',
    async () => {
      const { begin, call, write, store, unproven } = await asked(await openStore(kind));
      await write(INVENTED);
      expect(await problemsOf(store)).toEqual([
        `${THREAD}: The record of its call c1 says more than the audit: it was changed past Countersign.`,
      ]);
      expect((await begin()).kind).toBe('ended');
      expect(await call('c1')).toMatchObject({
        state: 'failed',
        attempt: 0,
        outcome: { message: expect.stringMatching(NOT_PROVEN) },
      });
      expect(unproven).toMatchObject([{ callId: 'c1', state: 'failed' }]);
    },
  );
});

async function memory(...others: readonly ReturnType<typeof proposed>[]) {
  return asked(await openStore('SQLite'), ...others);
}

describe('a record that was changed past the gate', () => {
  it.each<[string, Partial<CallRecord>]>([
    ['a vote was added', { votes: [vote(carol)] }],
    ['nobody but Bob is to approve', { verdict: LAX }],
    ['it was handed over to Ana', { handOvers: [{ from: carol, to: ana, at: 1 }] }],
  ])('while it waits is ended by the next vote: %s', async (_, change) => {
    const { approve, begin, call, write } = await memory();
    await write(change);
    expect(await refusal(approve(bob))).toMatch(/^already_decided/);
    expect(await call('c1')).toMatchObject({ state: 'failed' });
    expect((await begin()).kind).toBe('ended');
  });

  it('does not become proven because somebody claims it', async () => {
    const { gate, call, write } = await memory();
    await write({ votes: [vote(carol)] });
    await gate.delegation.claim(KEY, bob).catch(() => undefined);
    expect(await call('c1')).toMatchObject({ state: 'failed' });
  });

  it('is not reported as run by the program whose call it is', async () => {
    const { gate, store } = await memory();
    const call = proposed('x1');
    await gate.requests.propose({ threadId: THREAD, runId: 'r1', requester: ana, call, runBy: 'program' });
    const key = callKey(THREAD, 'x1');
    const record = await store.get(calls, key);
    if (!record) throw new Error('there is no call');
    await store.commit({ put: [put(calls, key, { ...record.value, ...INVENTED })] });
    const outcome = { status: 'succeeded' as const, content: [], structured: null };
    expect(await refusal(gate.journal.report(key, ana, outcome))).toMatch(/^not_allowed/);
    expect((await store.get(calls, key))?.value.state).toBe('failed');
  });

  it.each(['in the process that ran it', 'in another process'])(
    'back to approved after it ran, is not sent again %s',
    async (where) => {
      const { approve, begin, call, gate, restarted, store } = await memory();
      await approve(bob);
      await approve(carol);
      const approved = await call('c1');
      const begun = await begin();
      await gate.journal.finish(begun.call, { status: 'succeeded', content: [], structured: null });
      await store.commit({ put: [put(calls, KEY, approved)] });
      const again = await begin(where.includes('another') ? restarted() : gate);
      expect(again.kind).toBe('ended');
      expect(await call('c1')).toMatchObject({ state: 'in_doubt', attempt: 0 });
    },
  );

  it.each([
    ['is sent again where it was approved', true, 'ready'],
    ['is not sent where nobody approved it', false, 'waiting'],
  ])('to say that a worker died while sending it, %s', async (_, isApproved, kind) => {
    const { approve, begin, call, ports, write } = await memory();
    if (isApproved) {
      await approve(bob);
      await approve(carol);
      await begin();
    } else await write({ ...INVENTED, state: 'executing', attempt: 1, tries: 1, intentAt: 1_000_000 });
    const idempotent = createGate({ ...ports, isIdempotent: () => true });
    expect((await begin(idempotent)).kind).toBe(kind);
    expect((await call('c1')).attempt).toBe(isApproved ? 2 : 1);
  });

  it.each(['the process that saw the end', 'another process, if the end was sealed'])(
    'with the end of its chain cut, is not sent again by %s',
    async (where) => {
      const { approve, begin, call, gate, restarted, store } = await memory(proposed('c2'));
      await approve(bob);
      await approve(carol);
      const approved = await call('c1');
      const end = await entriesOf(store, THREAD);
      const begun = await begin();
      await gate.journal.finish(begun.call, { status: 'succeeded', content: [], structured: null });
      // It looks at the chain as it is now.
      await approve(bob, gate, 'c2');
      await sealAll(store);
      await cutTo(store, end);
      await store.commit({ put: [put(calls, KEY, approved)] });
      expect((await begin(where.includes('another') ? restarted() : gate)).kind).toBe('waiting');
      expect(await call('c1')).toMatchObject({ state: 'pending', decision: null });
    },
  );
});

async function cutTo(store: Store, kept: readonly AuditEntry[]): Promise<void> {
  const gone = (await entriesOf(store, THREAD)).slice(kept.length);
  await remove(store, ...gone);
  const last = kept.at(-1);
  if (last) await endAt(store, last);
}

/** Signs with another key, as whoever has the store alone could. */
const forger = createAuditKeys({ privateKey: parsePrivateKey(generateAuditKey()) });

describe('a chain that was written past the gate', () => {
  it.each([
    ['with another key', forger],
    ['with another key that calls itself by the name of ours', { ...forger, keyId: auditKeys.keyId }],
    ['with a signature of another entry', { ...auditKeys, sign: () => auditKeys.sign('another') }],
  ])('proves nothing: entries %s', async (_, keys) => {
    const { begin, call, write, store, time } = await memory();
    await write(INVENTED);
    const after = await call('c1');
    const notes = [
      decisionNote(after, { ...after, state: 'pending', votes: [vote(bob)] }, { type: 'approve' }, bob),
      decisionNote(after, after, { type: 'approve' }, carol),
    ];
    const added = await appendEntries({ store, clock: () => time.now, auditKeys: keys }, notes);
    await store.commit({ put: added.put });
    expect(await problemsOf(store)).toContain(
      `${THREAD} #2: It isn’t signed by a key of the audit: somebody else wrote it.`,
    );
    expect((await begin()).kind).toBe('waiting');
    expect(await call('c1')).toMatchObject({ state: 'pending', decision: null, votes: [] });
  });

  it('proves nothing where signatures were taken off, so that it looks like data of an earlier version', async () => {
    const { approve, begin, call, store } = await memory();
    await approve(bob);
    await approve(carol);
    const end = (await entriesOf(store, THREAD)).at(-1);
    if (!end) throw new Error('there is no entry');
    const { signature: _off, ...bare } = end;
    await spoil(store, bare, JSON.stringify(bare));
    expect(await problemsOf(store)).toContain(
      `${THREAD} #3: It isn’t signed by a key of the audit: somebody else wrote it.`,
    );
    expect((await begin()).kind).toBe('waiting');
    expect(await call('c1')).toMatchObject({
      state: 'pending',
      decision: null,
      askedAgain: 'The audit doesn’t prove that it was approved, so it needs a new approval.',
    });
    await approve(bob);
    await approve(carol);
    expect((await begin()).kind).toBe('ready');
  });
});

describe('data from before entries were signed', () => {
  async function unsigned(votes: boolean) {
    const town = await memory();
    if (votes) await town.approve(bob);
    await takeSignaturesOff(town.store);
    return { ...town, gate: town.restarted() };
  }

  async function takeSignaturesOff(store: Store) {
    for (const entry of await entriesOf(store, THREAD)) {
      const { signature: _off, keyId: _no, permission: _none, ...bare } = entry;
      await spoil(store, entry, JSON.stringify(bare));
    }
  }

  it.each([
    ['ready', 'allow'],
    ['waiting', 'ask'],
  ])(
    'a call that waited for a sign-in and needed no approval is %s if the policy says %s',
    async (kind, action) => {
      const { gate, store, ports, fence: takeFence } = openGate();
      const fence = await takeFence();
      const listing = proposed('c1', { name: 'list_events' });
      const { call } = await gate.journal.begin(beginning(fence, listing));
      await gate.elicitation.block(call, {
        kind: 'oauth_url',
        elicitationId: 'e1',
        url: 'https://example.com/oauth/start',
        message: 'Connect',
        connect: { server: 'calendar', scope: null, resourceMetadataUrl: null },
      });
      await gate.requests.open(opening(fence, listing));
      await takeSignaturesOff(store);
      const evaluate = compilePolicy(policySchema.parse({ rules: [{ tools: '*.list_events', action }] }));
      const restarted = createGate({ ...ports, evaluate });
      await restarted.elicitation.resumeAfterSignIn(async () => true);
      expect((await restarted.journal.begin(beginning(fence, listing))).kind).toBe(kind);
    },
  );

  it('lets a call that waits go on', async () => {
    const { approve, begin, gate } = await unsigned(false);
    await approve(bob, gate);
    await approve(carol, gate);
    expect((await begin(gate)).kind).toBe('ready');
  });

  it('has those who voted vote again', async () => {
    const { approve, begin, gate, call } = await unsigned(true);
    await approve(carol, gate);
    expect(await call('c1')).toMatchObject({
      state: 'pending',
      askedAgain: 'The audit doesn’t prove earlier votes on it, so they don’t count.',
    });
    await approve(bob, gate);
    expect((await begin(gate)).kind).toBe('ready');
  });
});

describe('a grant', () => {
  async function granted() {
    const store = await openStore('SQLite');
    const fixture = openGate({ store });
    const first = proposed('c1');
    await fixture.gate.requests.open(opening(await fixture.fence(), first));
    const { digest } = await fixture.call('c1');
    const terms = { fixed: ['title'], scope: 'thread', until: 2_000_000, limit: 2 } as const;
    const grant = await fixture.gate.grants.approveAndIssue(KEY, ana, { digest, terms });
    return {
      ...fixture,
      grant,
      begin: async (callId: string, title = 'Standup') =>
        (await fixture.gate.journal.begin(beginning(await fixture.fence(), proposed(callId, {}, { title }))))
          .kind,
    };
  }

  it('lets calls run as often as it says', async () => {
    const { begin, store } = await granted();
    expect([await begin('c2'), await begin('c3'), await begin('c4')]).toEqual(['ready', 'ready', 'waiting']);
    expect(await problemsOf(store)).toEqual([]);
  });

  it.each<[string, (grant: Awaited<ReturnType<typeof granted>>['grant']) => object]>([
    ['that nobody gave', (grant) => ({ grantId: `${grant.grantId}x` })],
    ['that was made wider', () => ({ fixed: {}, free: ['title'] })],
    ['of which uses were given back', () => ({ used: 0, usedAt: null })],
  ])('lets nothing run: %s', async (_, change) => {
    const { begin, grant, store } = await granted();
    expect(await begin('c2')).toBe('ready');
    const stored = await store.get(grants, grant.grantId);
    const forged = { ...grant, ...stored?.value, ...change(grant) };
    // The one that was given is gone.
    await store.commit({
      put: [put(grants, grant.grantId, { ...forged, grantId: grant.grantId, limit: 0 })],
    });
    await store.commit({ put: [put(grants, forged.grantId, forged)] });
    expect(await problemsOf(store)).toContainEqual(
      expect.stringContaining('says more than the audit: it was changed past Countersign.'),
    );
    expect(await begin('c3', change.length === 0 ? 'Anything' : 'Standup')).toBe('waiting');
  });

  it('that was revoked lets nothing run, although its record says otherwise', async () => {
    const { begin, gate, grant, store } = await granted();
    await gate.grants.revoke(grant.grantId, ana);
    await store.commit({ put: [put(grants, grant.grantId, grant)] });
    expect(await begin('c2')).toBe('waiting');
  });
});

it('a signed entry that sends a call without its approvals is found', async () => {
  const { call, store, time } = await memory();
  const started = { ...(await call('c1')), state: 'executing' as const, attempt: 1 };
  const notes = [eventNote({ type: 'started', call: started }, started, SYSTEM)];
  const { put: puts } = await appendEntries({ store, clock: () => time.now, auditKeys }, notes);
  await store.commit({ put: [...puts, put(calls, KEY, started)] });
  expect(await problemsOf(store)).toContain(
    `${THREAD} #2: It was sent without the approvals that it needed.`,
  );
});
