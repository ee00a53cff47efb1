import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { createAuditLog } from '../../../src/gate/index.ts';
import { Limits } from '../../../src/runs/limits/limits.ts';
import type { LimitSettings } from '../../../src/runs/limits/settings.ts';
import { usage } from '../../../src/runs/limits/usage.ts';
import { openSqliteStore } from '../../../src/storage/sqlite/store.ts';
import { put, type Store } from '../../../src/storage/store.ts';
import type { Account } from '../../../src/tools/ports.ts';
import { auditKeys } from '../../helpers/audit-keys.ts';

const ana: Account = { kind: 'person', owner: 'ana', channel: null };
const HOUR = 60 * 60_000;

let store: Store;
let now: number;
let processes: number;
beforeEach(() => {
  store = openSqliteStore({ path: ':memory:' });
  onTestFinished(() => store.close());
  now = Date.UTC(2026, 10, 23, 12);
  processes = 0;
});

/** The limits as one process holds people to them. */
function inProcess(person: LimitSettings['person'], maxInflight = 256): Limits {
  processes += 1;
  const id = `p${processes}`;
  const settings = { person, key: person, channel: {} };
  const audit = createAuditLog({ store, clock: () => now, auditKeys });
  return new Limits({ store, clock: () => now, audit, ids: () => id, settings, maxInflight });
}

/** Has a call admitted; whether it had to wait first. */
async function admitted(limits: Limits, account: Account, { isUnderWay = false } = {}) {
  let waited = false;
  const onWait = () => {
    waited = true;
  };
  const { signal } = new AbortController();
  const admission = await limits.admitCall(account, { signal, onWait, isCounted: false, isUnderWay });
  return { ...admission, waited };
}

describe('calls in flight', () => {
  it.each<[string, Account]>([
    ['another person', { ...ana, owner: 'bob' }],
    ['a key of the same name', { ...ana, kind: 'key' }],
  ])('of one person leave some for those of %s', async (_who, other) => {
    const limits = inProcess({}, 4);
    const own = [await admitted(limits, ana), await admitted(limits, ana)];
    const next = admitted(limits, ana);
    expect((await admitted(limits, other)).waited).toBe(false);
    for (const { end } of own) end({ isSent: true });
    expect((await next).waited).toBe(true);
  });

  it('keep their place among those of their owner, not of the others, while their server does them', async () => {
    const limits = inProcess({ calls_at_once: 1 }, 1);
    const first = await admitted(limits, ana);
    const job = Promise.withResolvers<void>();
    const done = first.outside(() => job.promise, { keepsPlace: true });
    const next = admitted(limits, ana);
    const other = await admitted(limits, { ...ana, owner: 'bob' });
    expect(other.waited).toBe(false);
    other.end({ isSent: true });
    expect(await Promise.race([next, 'waiting'])).toBe('waiting');
    job.resolve();
    await done;
    expect(await Promise.race([next, 'waiting'])).toBe('waiting');
    first.end({ isSent: true });
    expect((await next).waited).toBe(true);
  });

  it('are taken up at once where their server does them already', async () => {
    const limits = inProcess({ calls_at_once: 1 });
    await admitted(limits, ana);
    expect((await admitted(limits, ana, { isUnderWay: true })).waited).toBe(false);
  });
});

describe('calls of a day', () => {
  it('are those that were sent', async () => {
    const limits = inProcess({ calls_per_day: 1 });
    const isSent = [false, false, true, true];
    const refusals: boolean[] = [];
    for (const was of isSent) {
      const { refusal, end } = await admitted(limits, ana);
      refusals.push(refusal !== null);
      end({ isSent: was });
    }
    expect(refusals).toEqual([false, false, false, true]);
  });

  it('that were admitted before midnight and never sent make no room for others after it', async () => {
    const limits = inProcess({ calls_per_day: 1 });
    const late = await admitted(limits, ana);
    now += 12 * HOUR;
    late.end({ isSent: false });
    (await admitted(limits, ana)).end({ isSent: true });
    expect((await admitted(limits, ana)).refusal).not.toBeNull();
  });

  it('stay counted when the clock is set past midnight and back', async () => {
    const limits = inProcess({ calls_per_day: 1 });
    (await admitted(limits, ana)).end({ isSent: true });
    await limits.flush();
    now += 12 * HOUR;
    await limits.findReached(ana);
    now -= 12 * HOUR;
    expect((await admitted(limits, ana)).refusal).not.toBeNull();
  });
});

describe('what was used in another process', () => {
  const isOver = {
    runs: async (limits: Limits) => (await limits.findReached(ana)) !== null,
    calls: async (limits: Limits) => (await admitted(limits, ana)).refusal !== null,
    tokens: async (limits: Limits) => (await limits.findReached(ana)) !== null,
  };
  const use = {
    runs: (limits: Limits) => limits.beginRun(ana),
    calls: async (limits: Limits) => (await admitted(limits, ana)).end({ isSent: true }),
    tokens: async (limits: Limits) => limits.spend(ana, { input: 8, cached: 1, output: 1 }),
  };

  it.each(['runs', 'calls', 'tokens'] as const)(
    'counts here too, until the next day: %s',
    async (measure) => {
      const settings = { [`${measure}_per_day`]: measure === 'tokens' ? 10 : 1 };
      const [one, other] = [inProcess(settings), inProcess(settings)];
      expect(await isOver[measure](other)).toBe(false);
      await use[measure](one);
      await one.flush();
      now += 3_000;
      expect(await isOver[measure](other)).toBe(true);
      now += 12 * HOUR;
      expect(await isOver[measure](one)).toBe(false);
      expect(await isOver[measure](other)).toBe(false);
    },
  );
});

describe('what everybody has used today', () => {
  it('is told whole, however much was recorded the day before', async () => {
    const at = now - 13 * HOUR;
    const count = { runs: 1, calls: 0, tokens: 0, cost: 0, day: '2026-11-22', at };
    for (let thousand = 0; thousand < 20; thousand += 1) {
      const subjects = Array.from({ length: 1_001 }, (_, index) => `person p${thousand}-${index}`);
      await store.commit({ put: subjects.map((subject) => put(usage, subject, { ...count, subject })) });
    }
    const limits = inProcess({ runs_per_day: 2 });
    await limits.beginRun(ana);
    await limits.flush();
    expect(await limits.usesToday()).toMatchObject([{ id: 'ana', used: 1 }]);
  });
});
