import { describe, expect, it } from 'vitest';
import { whileBusy } from '../../../../src/agents/models/busy.ts';

function busy(headers: Record<string, string> = {}): Error {
  return Object.assign(new Error('slow down'), { status: 429, headers: new Headers(headers) });
}

/** Asks a model that fails with these errors, one after another and then the last one again; the waits in ms. */
async function ask(errors: readonly Error[], { times = Number.POSITIVE_INFINITY } = {}) {
  const waits: number[] = [];
  const controller = new AbortController();
  let asked = 0;
  const answer = whileBusy(
    async () => {
      asked += 1;
      if (asked > times) return 'answer';
      throw errors[Math.min(asked, errors.length) - 1];
    },
    { signal: controller.signal, wait: async (ms) => void waits.push(ms), random: () => 1 },
  );
  return { waits, end: await answer.catch((error: unknown) => error), asked };
}

describe('a busy model', () => {
  it('is asked again with backoff where it does not say when, for a minute at most', async () => {
    const error = busy();
    const { waits, end } = await ask([error]);
    expect(waits).toEqual([500, 1_000, 2_000, 4_000, 8_000, 10_000, 10_000, 10_000, 10_000]);
    expect(end).toBe(error);
  });

  it('is asked again no sooner than it says', async () => {
    expect(await ask([busy({ 'retry-after': '7' })], { times: 1 })).toEqual({
      waits: [7_500],
      end: 'answer',
      asked: 2,
    });
  });

  it.each([
    ['a wait of more than a minute', busy({ 'retry-after': '61' })],
    ['a quota that is used up', Object.assign(busy(), { code: 'insufficient_quota' })],
    ['another error', Object.assign(new Error('no'), { status: 400 })],
  ])('is not asked again after %s', async (_what, error) => {
    expect(await ask([error])).toEqual({ waits: [], end: error, asked: 1 });
  });

  it('is not waited for once the run is stopped', async () => {
    const controller = new AbortController();
    const wait = async () => controller.abort(new Error('stopped'));
    const answer = whileBusy(() => Promise.reject(busy()), { signal: controller.signal, wait });
    await expect(answer).rejects.toThrow('stopped');
  });
});
