import { describe, expect, it } from 'vitest';
import { callKey } from '../../../../src/gate/call/digest.ts';
import { FencedError } from '../../../../src/lib/errors.ts';
import { problemsOf } from '../../../helpers/audit.ts';
import { beginning, openGate, opening, proposed } from '../../../helpers/gate.ts';
import { ana, THREAD } from '../../../helpers/people.ts';

const KEY = callKey(THREAD, 'c1');
const HALF = { progress: 1, total: 2, message: 'half of it' };

/** A call that Ana approved and that is being sent. */
async function running() {
  const fixture = openGate();
  const { gate } = fixture;
  const call = proposed('c1');
  await gate.requests.open(opening(await fixture.fence(), call));
  const { digest } = await fixture.call('c1');
  await gate.decisions.decide([{ callKey: KEY, digest, type: 'approve' }], ana);
  const held = await fixture.fence();
  const { call: attempt } = await gate.journal.begin(beginning(held, call));
  const begin = async () => gate.journal.begin(beginning(await fixture.fence(), call));
  const note = (said = HALF) => gate.journal.noteProgress(KEY, said, held);
  const told = () => fixture.events.filter(({ type }) => type === 'progressed').length;
  return { ...fixture, attempt, begin, note, told };
}

describe('the progress of a call', () => {
  it('is kept as it was last said, told once, and part of no permission', async () => {
    const { note, call, told, gate, attempt, store } = await running();
    await note();
    await note();
    expect((await call('c1')).progress).toEqual(HALF);
    expect(told()).toBe(1);
    await gate.journal.finish(attempt, { status: 'in_doubt', message: 'No answer.' });
    await gate.decisions.settleDoubt(KEY, ana, { digest: null, answer: 'not_happened' });
    expect(await call('c1')).toMatchObject({ state: 'failed', progress: HALF });
    expect(await problemsOf(store)).toEqual([]);
  });

  it('is not kept once the call has ended', async () => {
    const { note, call, gate, attempt } = await running();
    await gate.journal.finish(attempt, { status: 'failed', message: 'no', content: [] });
    await note();
    expect(await call('c1')).toMatchObject({ state: 'failed' });
    expect((await call('c1')).progress).toBeUndefined();
  });

  it('is kept of the worker that holds the thread alone', async () => {
    const { note, fence, call } = await running();
    await fence();
    await expect(note()).rejects.toThrow(FencedError);
    expect((await call('c1')).progress).toBeUndefined();
  });

  it('stays with a job that goes on after a restart, and is cut to what people read', async () => {
    const { note, call, gate, attempt, begin } = await running();
    await gate.journal.noteJob(attempt, { id: 'j1', isNumber: false, isTask: false, atMostMs: 1_000 });
    await note({ ...HALF, message: 'x'.repeat(1_000) });
    await begin();
    expect(await call('c1')).toMatchObject({ attempt: 2, progress: { message: 'x'.repeat(300) } });
  });
});
