import { setMaxListeners } from 'node:events';
import { expect, it } from 'vitest';
import { type CallRecord, recordKey } from '../../../src/gate/types.ts';
import { CallWaits } from '../../../src/programs/index.ts';
import { openGate, opening, proposed } from '../../helpers/gate.ts';
import { createNudges } from '../../helpers/nudges.ts';

it('a program may ask for no more once 10,000 of its calls are waited for, and others still may', async () => {
  const waits = new CallWaits();
  const ended = new AbortController();
  setMaxListeners(0, ended.signal);
  const bounds = { until: Date.now() + 60_000, signal: ended.signal };
  const wait = (program: string) =>
    waits.wait({ key: 'thread:c1', program, isDone: () => false }, bounds, Date.now());
  const all = Array.from({ length: 9_999 }, () => wait('key:one'));
  waits.admit('key:one');
  all.push(wait('key:one'));
  expect(() => waits.admit('key:one')).toThrow('Too many calls of this program wait');
  waits.admit('key:other');
  ended.abort();
  await Promise.all(all);
  waits.admit('key:one');
});

it('what another process did with a call is read at once, and nothing that nobody waits for', async () => {
  const { gate, fence, call: read } = openGate();
  await gate.requests.open(opening(await fence(), proposed('c1')));
  const call: CallRecord = {
    ...(await read('c1')),
    program: { id: 'key:one', name: 'Builder', session: 's' },
  };
  const ended: CallRecord = { ...call, state: 'succeeded' };
  const other: CallRecord = { ...ended, callId: 'c2' };
  const nudges = createNudges();
  const [waits, decider] = [new CallWaits(nudges.join()), new CallWaits(nudges.join())];
  const asked: (readonly string[])[] = [];
  waits.followOthers(
    async (keys) => {
      asked.push(keys);
      return [ended];
    },
    (error) => {
      throw error;
    },
  );
  const bounds = { until: Date.now() + 60_000, signal: new AbortController().signal };
  const waited = {
    key: recordKey(call),
    program: 'key:one',
    isDone: ({ state }: CallRecord) => state === 'succeeded',
  };
  const outcome = waits.wait(waited, bounds, Date.now());
  for (const it of [other, ended, ended])
    decider.listener.notify?.({ type: 'ended', call: it }, { all: [], ofWorkers: [] });
  expect(await outcome).toBe(ended);
  expect(asked).toEqual([[recordKey(call)]]);
});
