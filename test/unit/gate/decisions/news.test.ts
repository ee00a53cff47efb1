import { expect, it } from 'vitest';
import { callKey } from '../../../../src/gate/call/digest.ts';
import { NewsError } from '../../../../src/gate/call/refusal.ts';
import { readLatestEntries } from '../../../../src/gate/index.ts';
import type { CallRecord } from '../../../../src/gate/types.ts';
import { openGate, opening, proposed, refusalOf } from '../../../helpers/gate.ts';
import { ana, bob, THREAD } from '../../../helpers/people.ts';

/** Calls that wait for Ana; `news`: what has come since, by their ids. */
async function open(news: Readonly<Record<string, string>>) {
  const asked: string[] = [];
  const findNews = async ({ callId }: CallRecord) => {
    asked.push(callId);
    const id = news[callId];
    return id === undefined ? null : { id, refusal: `There is ${id}.` };
  };
  const { gate, store, fence, call } = openGate({ findNews });
  await gate.requests.open(opening(await fence(), proposed('c1'), proposed('c2')));
  const shown = async (callId: string) => ({
    callKey: callKey(THREAD, callId),
    digest: (await call(callId)).digest,
  });
  return { asked, gate, store, call, shown };
}

it.each(['approve', 'edit'] as const)(
  'who would %s a call and was not shown what came since is refused',
  async (type) => {
    const { gate, store, call, shown } = await open({ c1: 'n2' });
    const input = { ...(await shown('c1')), type, arguments: { title: 'Retro' } };
    for (const news of [undefined, 'n1']) {
      const refused = await refusalOf(gate.decisions.decide([{ ...input, news }], ana));
      expect(refused).toBeInstanceOf(NewsError);
      expect(refused).toMatchObject({
        refusal: 'changed',
        userMessage: 'There is n2.',
        call: { callId: 'c1' },
      });
    }
    expect((await call('c1')).state).toBe('pending');
    const entries = await readLatestEntries(store, { threadId: THREAD, limit: 10 });
    expect(entries.filter(({ what }) => what === 'refused')).toHaveLength(2);
    await gate.decisions.decide([{ ...input, news: 'n2' }], ana);
    expect((await call('c1')).state).toBe('approved');
  },
);

it('whoever may not decide is told that, and nothing of what came', async () => {
  const { asked, gate, shown } = await open({ c1: 'n2' });
  const input = { ...(await shown('c1')), type: 'approve' } as const;
  expect((await refusalOf(gate.decisions.decide([input], bob))).refusal).toBe('not_allowed');
  expect(asked).toEqual([]);
});

it('any other decision asks for none', async () => {
  const { asked, gate, call, shown } = await open({ c1: 'n2' });
  await gate.decisions.decide([{ ...(await shown('c1')), type: 'reject' }], ana);
  await gate.decisions.decide([{ ...(await shown('c2')), type: 'ignore' }], ana);
  expect([(await call('c1')).state, (await call('c2')).state]).toEqual(['rejected', 'ignored']);
  expect(asked).toEqual([]);
});

it('of several, the others are approved', async () => {
  const { gate, call, shown } = await open({ c1: 'n2' });
  const inputs = await Promise.all(
    ['c1', 'c2'].map(async (id) => ({ ...(await shown(id)), type: 'approve' as const })),
  );
  const refused = await gate.decisions.decideEach(inputs, ana);
  expect([...refused.values()].map((error) => error instanceof NewsError)).toEqual([true]);
  expect([(await call('c1')).state, (await call('c2')).state]).toEqual(['pending', 'approved']);
});
