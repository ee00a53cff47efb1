import { describe, expect, it } from 'vitest';
import { appendEntries } from '../../../../src/gate/audit/chain.ts';
import { callNote, SYSTEM } from '../../../../src/gate/audit/notes.ts';
import { callKey } from '../../../../src/gate/call/digest.ts';
import type { Outcome } from '../../../../src/gate/call/outcome.ts';
import type { CallRecord } from '../../../../src/gate/call/record.ts';
import { createGate } from '../../../../src/gate/index.ts';
import { compilePolicy } from '../../../../src/gate/policy/evaluate.ts';
import { policySchema } from '../../../../src/gate/policy/schema.ts';
import { calls } from '../../../../src/gate/store/collections.ts';
import { put } from '../../../../src/storage/store.ts';
import { endAt, entriesOf, problemsOf, remove } from '../../../helpers/audit.ts';
import { auditKeys } from '../../../helpers/audit-keys.ts';
import { beginning, openGate, opening, proposed, refusal } from '../../../helpers/gate.ts';
import { bob, carol, membersOnly, THREAD } from '../../../helpers/people.ts';

const APPROVERS = [bob, carol].map(({ id }) => `user:${id.split(':')[2]}` as const);
const DONE: Outcome = { status: 'succeeded', content: [], structured: null };

/** Two calls of Ana's that wait for Bob and Carol, and whoever can write the store. */
async function waiting() {
  const rules = [
    { tools: '*.list_*', action: 'allow' },
    { tools: '*', action: 'ask', approvers: { from: APPROVERS, quorum: 2 } },
  ];
  const fixture = openGate({ people: membersOnly, evaluate: compilePolicy(policySchema.parse({ rules })) });
  const { gate, store, ports } = fixture;
  await gate.requests.open(opening(await fixture.fence(), proposed('c1'), proposed('c2')));
  return {
    ...fixture,
    restarted: () => createGate(ports),
    async approve(callId: string, actor: typeof bob, by = gate) {
      const { digest } = await fixture.call(callId);
      await by.decisions.decide([{ callKey: callKey(THREAD, callId), digest, type: 'approve' }], actor);
    },
    begin: async (call = proposed('c1'), by = gate) =>
      by.journal.begin(beginning(await fixture.fence(), call)),
    async write(call: CallRecord) {
      await store.commit({ put: [put(calls, callKey(THREAD, call.callId), call)] });
    },
  };
}

function vote(actor: typeof bob) {
  return { type: 'approve' as const, actor, at: 1_000_000, step: 0, feedback: null };
}
const decision = { type: 'approve' as const, actor: carol, at: 1_000_000, feedback: null };

describe('a record', () => {
  it.each<[string, Partial<CallRecord>]>([
    ['it is approved', { state: 'approved', votes: [vote(bob), vote(carol)], decision }],
    ['one approved it', { votes: [vote(bob)] }],
  ])('is contradicted where an entry signs that %s and nobody decided', async (_, change) => {
    const { approve, begin, call, store, time, write } = await waiting();
    const changed = { ...(await call('c1')), ...change };
    await write(changed);
    const note = callNote(changed, 'reminded', SYSTEM);
    await store.commit(await appendEntries({ store, auditKeys, clock: () => time.now }, [note]));
    expect(await refusal(approve('c1', carol))).toMatch(/^already_decided/);
    expect((await begin()).kind).toBe('ended');
    expect(await call('c1')).toMatchObject({ state: 'failed' });
  });

  it('of a call that ran without being asked about is contradicted if it says that it waits to run', async () => {
    const { begin, call, gate, write } = await waiting();
    const listing = proposed('c3', { name: 'list_events' });
    const { call: begun } = await begin(listing);
    await gate.journal.finish(begun, DONE);
    await write({ ...begun, state: 'approved', decision, requestId: 'r' });
    expect((await begin(listing)).kind).toBe('ended');
    expect(await call('c3')).toMatchObject({ state: 'in_doubt' });
  });

  it('that no entry is about is found', async () => {
    const { call, store, write } = await waiting();
    await write({ ...(await call('c1')), callId: 'c9', state: 'approved', decision });
    expect(await problemsOf(store)).toEqual([
      `${THREAD}: The record of its call c9 says more than the audit: it was changed past Countersign.`,
    ]);
  });

  it('of a call that ended is found if it says another end', async () => {
    const { begin, gate, store, write } = await waiting();
    const { call: begun } = await begin(proposed('c3', { name: 'list_events' }));
    const failed = await gate.journal.finish(begun, { status: 'failed', message: 'No.', content: [] });
    await write({ ...failed, state: 'succeeded', outcome: DONE });
    expect(await problemsOf(store)).toEqual([
      `${THREAD}: The record of its call c3 says more than the audit: it was changed past Countersign.`,
    ]);
  });

  it('is not sent again where its chain was cut and has grown as long with other entries', async () => {
    const { approve, begin, call, gate, restarted, store, write } = await waiting();
    await approve('c1', bob);
    await approve('c1', carol);
    const approved = await call('c1');
    const kept = await entriesOf(store, THREAD);
    await gate.journal.finish((await begin()).call, DONE);
    // It looks at the chain as it is now.
    await approve('c2', bob);
    const entries = await entriesOf(store, THREAD);
    await remove(store, ...entries.slice(kept.length));
    const end = kept.at(-1);
    if (end) await endAt(store, end);
    await write(approved);
    const other = restarted();
    for (const callId of ['c3', 'c4', 'c5']) {
      await begin(proposed(callId, { name: 'list_events' }), other);
    }
    expect(await entriesOf(store, THREAD)).toHaveLength(entries.length);
    expect((await begin()).kind).toBe('waiting');
    expect(await call('c1')).toMatchObject({ state: 'pending', decision: null });
  });
});
