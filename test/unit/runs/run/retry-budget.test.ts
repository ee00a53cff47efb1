import { expect, onTestFinished, test } from 'vitest';
import { calls } from '../../../../src/gate/store/collections.ts';
import { createRunRetries } from '../../../../src/runs/run/retry-budget.ts';
import { openSqliteStore } from '../../../../src/storage/sqlite/store.ts';
import { put } from '../../../../src/storage/store.ts';
import { openGate } from '../../../helpers/gate.ts';
import { callRecord } from '../../slack/cards/fixtures.ts';

/** Two calls of one tool in one run, each of which is sent again as often as it may be. `threads`: of each. */
async function sentAgain(
  earlier: readonly { readonly runId: string; readonly tries?: number }[],
  threads: readonly [string, string] = ['t', 't'],
) {
  const store = openSqliteStore({ path: ':memory:' });
  onTestFinished(() => store.close());
  const call = { ...callRecord(), threadId: 't', runId: 'run-1' };
  const records = earlier.map((one, index) => ({ ...call, ...one, callId: `earlier-${index}` }));
  if (records.length > 0) {
    await store.commit({ put: records.map((record) => put(calls, record.callId, record)) });
  }
  const send = createRunRetries(openGate({ store }).gate);
  let count = 0;
  const one = (threadId: string) =>
    send({ ...call, threadId }, async (mayRetry) => {
      while (await mayRetry()) count += 1;
    });
  await Promise.all(threads.map(one));
  return count;
}

test('calls that are sent at once share what their request has left', async () => {
  expect(await sentAgain([])).toBe(6);
});

test('what earlier calls of the request have used is used, also in another process', async () => {
  expect(await sentAgain([{ runId: 'run-1', tries: 3 }, { runId: 'run-1' }])).toBe(4);
});

test('calls of one session of a program, which are threads of their own, share nothing', async () => {
  expect(await sentAgain([], ['t', 'u'])).toBe(12);
});

test('what another request has used is not', async () => {
  expect(await sentAgain([{ runId: 'run-0', tries: 3 }])).toBe(6);
});
