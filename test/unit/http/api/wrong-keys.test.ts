import { beforeEach, describe, expect, it } from 'vitest';
import { createWrongKeys, type WrongKeys } from '../../../../src/http/api/wrong-keys.ts';

const HOME = '203.0.113.7';
let now: number;
let waits: number[];
let lines: object[];
let release: () => void;
let wrongKeys: WrongKeys;

/** `held`: answers wait until they are released. */
function open({ held = false } = {}): void {
  const gate = Promise.withResolvers<void>();
  release = gate.resolve;
  now = 1_000_000;
  waits = [];
  lines = [];
  wrongKeys = createWrongKeys({
    clock: () => now,
    log: { warn: (details, message) => void lines.push({ ...details, message }) },
    stopping: new AbortController().signal,
    async wait(ms) {
      waits.push(ms);
      if (held) await gate.promise;
    },
  });
}

async function guess(times: number, address = HOME): Promise<void> {
  for (let time = 0; time < times; time += 1) await wrongKeys.slow(address);
}

beforeEach(() => open());

describe('wrong keys of an address', () => {
  it('are answered ever later, up to four seconds', async () => {
    await guess(4);
    expect(waits).toEqual([]);
    await guess(7);
    expect(waits).toEqual([250, 500, 1_000, 2_000, 4_000, 4_000, 4_000]);
  });

  it('don’t slow another address', async () => {
    await guess(9);
    waits = [];
    await guess(4, '198.51.100.1');
    expect(waits).toEqual([]);
  });

  it('are forgiven after a quarter of an hour without one', async () => {
    await guess(9);
    waits = [];
    now += 15 * 60_000 + 1;
    await guess(4);
    expect(waits).toEqual([]);
  });

  it('are turned away while eight of them wait already', async () => {
    open({ held: true });
    await guess(4);
    const waiting = Array.from({ length: 8 }, () => wrongKeys.slow(HOME));
    await expect(wrongKeys.slow(HOME)).rejects.toMatchObject({ status: 429, code: 'too_many_wrong_keys' });
    await wrongKeys.slow('198.51.100.1');
    release();
    await Promise.all(waiting);
    await wrongKeys.slow(HOME);
  });

  it('are turned away while a thousand of many addresses wait', async () => {
    open({ held: true });
    const addresses = Array.from({ length: 125 }, (_, index) => `198.51.100.${index}`);
    for (const address of [HOME, ...addresses]) await guess(4, address);
    const waiting = addresses.flatMap((address) => Array.from({ length: 8 }, () => wrongKeys.slow(address)));
    await expect(wrongKeys.slow(HOME)).rejects.toMatchObject({ status: 429 });
    release();
    await Promise.all(waiting);
    await wrongKeys.slow(HOME);
  });

  it('are in the log once, then counted each minute', async () => {
    await guess(20);
    expect(lines).toEqual([{ address: HOME, wrongKeys: 1, message: 'wrong API key' }]);
    now += 60_000;
    await guess(1);
    expect(lines[1]).toEqual({ address: HOME, wrongKeys: 20, message: 'wrong API key' });
  });

  it('of many addresses don’t fill the log', async () => {
    for (let last = 0; last < 200; last += 1) await guess(1, `203.0.113.${last}`);
    expect(lines).toHaveLength(10);
  });
});
