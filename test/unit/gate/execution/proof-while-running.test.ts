import { describe, expect, it } from 'vitest';
import { callKey } from '../../../../src/gate/call/digest.ts';
import type { CallRecord } from '../../../../src/gate/call/record.ts';
import { compilePolicy } from '../../../../src/gate/policy/evaluate.ts';
import { policySchema } from '../../../../src/gate/policy/schema.ts';
import { calls } from '../../../../src/gate/store/collections.ts';
import { put } from '../../../../src/storage/store.ts';
import { problemsOf } from '../../../helpers/audit.ts';
import { beginning, createEvent, openGate, opening, proposed, refusal } from '../../../helpers/gate.ts';
import { ana, bob, carol, membersOnly, THREAD } from '../../../helpers/people.ts';

const KEY = callKey(THREAD, 'c1');
const APPROVERS = [bob, carol].map(({ id }) => `user:${id.split(':')[2]}` as const);
const PAGE = { kind: 'oauth_url', elicitationId: 'e1', url: 'https://x.test/', message: 'Open it.' } as const;

/** A call of Ana's that Bob and Carol approved and that is being sent, and whoever can write the store. */
async function running() {
  const rules = [{ tools: '*', action: 'ask', approvers: { from: APPROVERS, quorum: 2 } }];
  const fixture = openGate({ people: membersOnly, evaluate: compilePolicy(policySchema.parse({ rules })) });
  const { gate, store } = fixture;
  const call = proposed('c1');
  await gate.requests.open(opening(await fixture.fence(), call));
  const { digest } = await fixture.call('c1');
  for (const actor of [bob, carol]) {
    await gate.decisions.decide([{ callKey: KEY, digest, type: 'approve' }], actor);
  }
  const begin = async () => gate.journal.begin(beginning(await fixture.fence(), call));
  return {
    ...fixture,
    digest,
    begin,
    attempt: (await begin()).call,
    async write(change: Partial<CallRecord>) {
      await store.commit({ put: [put(calls, KEY, { ...(await fixture.call('c1')), ...change })] });
    },
  };
}

const dave = { id: 'slack:T1:U9', name: 'Dave' };
const HAND_OVER = { handOvers: [{ from: carol, to: dave, at: 1 }] };

describe('what was written into the record of a call while it is sent', () => {
  it.each<[string, Partial<CallRecord>]>([
    ['another requester, whose account it would be sent with', { requester: bob }],
    ['somebody who decides for an approver', HAND_OVER],
  ])('does not become proven because its server asks for a page: %s', async (_, change) => {
    const { attempt, begin, call, gate, store, write } = await running();
    await write(change);
    await gate.elicitation.block(attempt, PAGE);
    expect(await problemsOf(store)).toEqual([
      `${THREAD}: The record of its call c1 says more than the audit: it was changed past Countersign.`,
    ]);
    expect(await refusal(gate.elicitation.retry(KEY, ana))).toMatch(/^already_decided/);
    expect((await begin()).kind).toBe('ended');
    expect(await call('c1')).toMatchObject({ state: 'in_doubt', attempt: 1 });
  });

  it('does not become proven because its answer is lost', async () => {
    const { attempt, call, digest, gate, write } = await running();
    await write(HAND_OVER);
    await gate.journal.finish(attempt, { status: 'in_doubt', message: 'No answer.' });
    await refusal(gate.decisions.decide([{ callKey: KEY, digest, type: 'ask_again' }], ana));
    expect(await call('c1')).toMatchObject({ state: 'in_doubt', endedAt: 1_000_000 });
  });

  it('does not become proven because people are asked about a changed tool', async () => {
    const { attempt, call, gate, write } = await running();
    await write(HAND_OVER);
    const { digest } = await gate.journal.reapprove(attempt, { ...createEvent, definitionHash: 'v2' });
    await refusal(gate.decisions.decide([{ callKey: KEY, digest, type: 'approve' }], dave));
    expect((await call('c1')).votes ?? []).toEqual([]);
    expect(await call('c1')).toMatchObject({ state: 'in_doubt' });
  });

  it('keeps nobody from recording how it ended', async () => {
    const { attempt, call, gate, write } = await running();
    await write(HAND_OVER);
    await gate.journal.finish(attempt, { status: 'succeeded', content: [], structured: null });
    expect(await call('c1')).toMatchObject({ state: 'succeeded' });
  });
});

it('a call whose server asks for a page, and whose answer is lost, goes on with its approvals', async () => {
  const { attempt, begin, call, digest, gate, store } = await running();
  await gate.elicitation.block(attempt, PAGE);
  await gate.elicitation.retry(KEY, ana);
  const again = await begin();
  expect(again.kind).toBe('ready');
  await gate.journal.finish(again.call, { status: 'in_doubt', message: 'No answer.' });
  await gate.decisions.decide([{ callKey: KEY, digest, type: 'ask_again' }], bob);
  expect(await call('c1')).toMatchObject({ state: 'pending' });
  expect(await problemsOf(store)).toEqual([]);
});
