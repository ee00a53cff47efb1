import { expect, test, vi } from 'vitest';
import { Jobs } from '../../../../../src/app/demo-servers/simulation/jobs.ts';

const MINUTE = 60_000;
const neverAborted = new AbortController().signal;

/** Jobs whose work goes on one piece at a time, by `next`. */
function stepwise() {
  let id = 0;
  let now = 1000;
  const waiting: (() => void)[] = [];
  const giveWay = () => new Promise<void>((resolve) => waiting.push(resolve));
  const jobs = new Jobs<string>({ clock: () => now, ids: () => `job_${++id}`, giveWay });
  return {
    jobs,
    pass: (ms: number) => {
      now += ms;
    },
    /** Lets the job that runs do its next piece, once it has given way. */
    next: async () => {
      await vi.waitUntil(() => waiting.length > 0);
      waiting.shift()?.();
      // What was woken goes on until it gives way again, or ends.
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

function* work(parts: number, result = 'done'): Generator<number, string> {
  for (let part = 1; part <= parts; part++) yield part;
  return result;
}

test('a job is there at once, says how far it is, and for how long it has run', async () => {
  const { jobs, next, pass } = stepwise();
  const { id } = jobs.start(3, () => work(3));
  expect(jobs.get(id)).toMatchObject({ state: 'running', done: 1, total: 3, result: null });
  await next();
  pass(1500);
  expect(jobs.get(id)).toMatchObject({ done: 2, ranForMs: 1500 });
  await next();
  await next();
  pass(1000);
  expect(jobs.get(id)).toMatchObject({ state: 'succeeded', done: 3, ranForMs: 1500, result: 'done' });
});

test('a job that is cancelled in the middle does nothing more, and the next one begins', async () => {
  const { jobs, next } = stepwise();
  let pieces = 0;
  const first = jobs.start(100, function* () {
    for (const done of work(100)) {
      pieces += 1;
      yield done;
    }
    return 'never';
  });
  const second = jobs.start(1, () => work(1));
  expect(second.state).toBe('queued');
  await next();
  expect(jobs.cancel(first.id)).toMatchObject({ state: 'cancelled', done: 2, result: null });
  await next();
  expect(pieces).toBe(2);
  await next();
  expect(jobs.get(second.id).state).toBe('succeeded');
  expect(jobs.get(first.id)).toMatchObject({ state: 'cancelled', done: 2 });
});

test('a job that is cancelled while it waits never begins', async () => {
  const { jobs, next } = stepwise();
  jobs.start(1, () => work(1));
  const begun = vi.fn(() => work(1));
  const { id } = jobs.start(1, begun);
  jobs.cancel(id);
  const last = jobs.start(1, () => work(1));
  await next();
  await next();
  expect(jobs.get(last.id).state).toBe('succeeded');
  expect(begun).not.toHaveBeenCalled();
});

test('cancelling a job that has ended changes nothing', async () => {
  const { jobs, next } = stepwise();
  const { id } = jobs.start(1, () => work(1));
  await next();
  expect(jobs.cancel(id)).toMatchObject({ state: 'succeeded', result: 'done' });
});

test('what a job throws is why it failed, and the next one begins', async () => {
  const { jobs } = stepwise();
  const { id } = jobs.start(1, () => {
    throw new Error('no more memory');
  });
  expect(jobs.get(id)).toMatchObject({ state: 'failed', error: 'no more memory', result: null });
  const next = jobs.start(1, () => work(1));
  await vi.waitUntil(() => jobs.get(next.id).state === 'running');
});

test('more than five that wait or run are refused, until one has ended', () => {
  const { jobs } = stepwise();
  const [first] = Array.from({ length: 5 }, () => jobs.start(1, () => work(1)));
  expect(() => jobs.start(1, () => work(1))).toThrow(
    '5 jobs wait or run (job_1, job_2, job_3, job_4, job_5)',
  );
  jobs.cancel(first?.id ?? '');
  expect(jobs.start(1, () => work(1)).state).toBe('queued');
});

test('jobs are kept for an hour after their end', () => {
  const { jobs, pass } = stepwise();
  const { id } = jobs.start(1, () => work(1));
  pass(120 * MINUTE);
  expect(jobs.cancel(id).state).toBe('cancelled');
  pass(60 * MINUTE);
  expect(jobs.get(id).state).toBe('cancelled');
  pass(1);
  expect(() => jobs.get(id)).toThrow(`there is no job ${id}`);
});

test('of jobs that have ended, the last twenty are kept', () => {
  const { jobs } = stepwise();
  const ids = Array.from({ length: 21 }, () => jobs.cancel(jobs.start(1, () => work(1)).id).id);
  expect(jobs.get(ids.at(-20) ?? '').state).toBe('cancelled');
  expect(() => jobs.get(ids[0] ?? '')).toThrow('there is no job job_1;');
});

test('who waits for a job hears of each part, and of its end', async () => {
  const { jobs, next } = stepwise();
  const { id } = jobs.start(2, () => work(2));
  const heard: number[] = [];
  const ended = jobs.wait(id, {
    ms: MINUTE,
    signal: neverAborted,
    onProgress: ({ done }) => heard.push(done),
  });
  await next();
  await next();
  expect(await ended).toMatchObject({ state: 'succeeded', result: 'done' });
  expect(heard).toEqual([1, 2, 2]);
});

test('who waits gets the job as it is when the time is over, or when they leave', async () => {
  const { jobs } = stepwise();
  const { id } = jobs.start(2, () => work(2));
  const onProgress = () => {};
  expect(await jobs.wait(id, { ms: 1, signal: neverAborted, onProgress })).toMatchObject({
    state: 'running',
  });
  const leaving = new AbortController();
  const left = jobs.wait(id, { ms: MINUTE, signal: leaving.signal, onProgress });
  leaving.abort();
  expect(await left).toMatchObject({ state: 'running', done: 1 });
});
