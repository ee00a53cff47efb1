import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { createAuditLog } from '../../../src/gate/index.ts';
import type { Actor } from '../../../src/gate/types.ts';
import { limitCases } from '../../../src/runs/limits/limit-case.ts';
import { Limits } from '../../../src/runs/limits/limits.ts';
import { findTokenCost } from '../../../src/runs/limits/prices.ts';
import type { LimitListener, LimitSettings } from '../../../src/runs/limits/settings.ts';

type AskedLimit = Parameters<LimitListener['notify']>[0];

import { openSqliteStore } from '../../../src/storage/sqlite/store.ts';
import { collection, put, type Store } from '../../../src/storage/store.ts';
import type { Account } from '../../../src/tools/ports.ts';
import { entriesOf } from '../../helpers/audit.ts';
import { auditKeys } from '../../helpers/audit-keys.ts';

const ana: Account = { kind: 'person', owner: 'ana', channel: null };
const carol: Actor = { id: 'carol', name: 'Carol' };
const dave: Actor = { id: 'dave', name: 'Dave' };
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

/** The limits of one process, and what it asked admins. */
function inProcess(person: LimitSettings['person']): { limits: Limits; asked: AskedLimit[] } {
  processes += 1;
  const id = `p${processes}`;
  const limits = new Limits({
    store,
    clock: () => now,
    audit: createAuditLog({ store, clock: () => now, auditKeys }),
    ids: () => id,
    settings: { person, key: person, channel: {} },
    costs: { main: (tokens) => tokens.input * 2 + tokens.output * 10, router: (tokens) => tokens.input },
  });
  const asked: AskedLimit[] = [];
  limits.onReached({ announce: () => [], notify: (it, by) => by === null && asked.push(it) });
  return { limits, asked };
}

/** Begins runs until one is refused; how many there were. */
async function runsLeft(limits: Limits): Promise<number> {
  for (let count = 0; ; count += 1) if (await limits.beginRun(ana)) return count;
}

async function settled(): Promise<void> {
  await new Promise(setImmediate);
}

const RUNS = { kind: 'person', id: 'ana', measure: 'runs' } as const;

describe('a limit that is used up', () => {
  it('has admins asked once, with what it is, until one has answered', async () => {
    const { limits, asked } = inProcess({ runs_per_day: 2 });
    expect(await runsLeft(limits)).toBe(2);
    await settled();
    await runsLeft(limits);
    await settled();
    expect(asked).toMatchObject([{ ...RUNS, question: 1, limit: 2, daily: 2 }]);
  });

  it('has them asked once by all processes together', async () => {
    const [one, other] = [inProcess({ runs_per_day: 1 }), inProcess({ runs_per_day: 1 })];
    await runsLeft(one.limits);
    await one.limits.flush();
    now += 3_000;
    await runsLeft(other.limits);
    await settled();
    expect(one.asked.length + other.asked.length).toBe(1);
  });

  it('lets so much more through once it is extended, in every process, and then has them asked again', async () => {
    const [one, other] = [inProcess({ runs_per_day: 2 }), inProcess({ runs_per_day: 2 })];
    await runsLeft(one.limits);
    await settled();
    expect(await one.limits.extend(RUNS, { question: 1, amount: 3, by: carol })).toEqual({ state: 'done' });
    await one.limits.flush();
    now += 3_000;
    expect(await runsLeft(other.limits)).toBe(3);
    await settled();
    expect(other.asked).toMatchObject([{ question: 2, limit: 5, daily: 2 }]);
  });

  it('is extended once, however many answer', async () => {
    const { limits } = inProcess({ runs_per_day: 1 });
    await runsLeft(limits);
    await settled();
    const answers = await Promise.all(
      [carol, dave, carol].map((by) => limits.extend(RUNS, { question: 1, amount: 1, by })),
    );
    expect(answers.filter(({ state }) => state === 'done')).toHaveLength(1);
    expect(answers.filter((it) => it.state === 'late').every(({ by }) => by !== null)).toBe(true);
    expect(await runsLeft(limits)).toBe(1);
  });

  it('counts as before once that is taken back, and on the next day', async () => {
    const { limits } = inProcess({ runs_per_day: 1 });
    await runsLeft(limits);
    await settled();
    await limits.extend(RUNS, { question: 1, amount: 5, by: carol });
    expect(await runsLeft(limits)).toBe(5);
    expect(await limits.takeBack(RUNS, { question: 1, by: dave })).toEqual({ state: 'done' });
    expect(await limits.findReached(ana)).toMatchObject({ limit: 1 });
    now += 24 * HOUR;
    expect(await runsLeft(limits)).toBe(1);
  });

  it('is extended a thousand times a day in a record of a bounded size, of which nothing that counts is lost', async () => {
    const { limits } = inProcess({ runs_per_day: 1 });
    await runsLeft(limits);
    await settled();
    let standing = 0;
    for (let question = 1; question <= 1_000; question += 1) {
      expect(await limits.extend(RUNS, { question, amount: question, by: carol })).toEqual({ state: 'done' });
      if (question % 3 === 0) standing += question;
      else await limits.takeBack(RUNS, { question, by: dave });
    }
    const stored = await store.get(limitCases, '2026-11-23 runs person ana');
    expect(stored?.value.extensions).toHaveLength(100);
    expect(await limits.findReached(ana)).toBeNull();
    expect((await limits.uses(ana))[0]).toMatchObject({
      limit: 1 + standing,
      question: 1_001,
      allowed: { question: 999, amount: 999 },
    });
    // What was said so long ago is over, and is not said once more.
    const late = { state: 'late', by: null };
    expect(await limits.extend(RUNS, { question: 1, amount: 1, by: dave })).toEqual(late);
    expect(await limits.takeBack(RUNS, { question: 3, by: dave })).toEqual(late);
    const until = limits.countedUntil();
    expect(await limits.findAnswer(RUNS, { question: 1, until })).toEqual({ state: 'over' });
    expect(await limits.takeBack(RUNS, { question: 999, by: dave })).toEqual({ state: 'done' });
    expect(await limits.findAnswer(RUNS, { question: 999, until })).toEqual({
      state: 'taken_back',
      by: dave,
    });
  });

  it('is read of a record that an earlier version wrote', async () => {
    const { limits } = inProcess({ runs_per_day: 1 });
    const earlier = collection({
      name: limitCases.name,
      schema: z.looseObject({ subject: z.string(), day: z.string(), at: z.number() }),
      indexes: { bySubject: (it) => [it.subject, it.day], byTime: (it) => [it.at] },
    });
    const extensions = [3, 0].map((amount) => ({ by: carol, amount, at: now }));
    const written = {
      subject: 'person ana',
      measure: 'runs',
      day: '2026-11-23',
      asked: 2,
      extensions,
      at: now,
    };
    await store.commit({ put: [put(earlier, '2026-11-23 runs person ana', written)] });
    expect(await runsLeft(limits)).toBe(4);
    expect(await limits.takeBack(RUNS, { question: 1, by: dave })).toEqual({ state: 'done' });
    expect(await limits.extend(RUNS, { question: 3, amount: 1, by: dave })).toEqual({ state: 'done' });
  });

  it('is not extended once it is no longer set, and nothing is taken back', async () => {
    const { limits } = inProcess({ calls_per_day: 1 });
    expect(await limits.extend(RUNS, { question: 1, amount: 1, by: carol })).toEqual({ state: 'unset' });
    expect(await limits.takeBack(RUNS, { question: 1, by: carol })).toEqual({ state: 'unset' });
    expect(await limits.leave(RUNS, { question: 1, by: carol })).toEqual({ state: 'unset' });
  });

  it('says in the audit who allowed how much of what', async () => {
    const { limits } = inProcess({ runs_per_day: 1 });
    await runsLeft(limits);
    await settled();
    await limits.extend(RUNS, { question: 1, amount: 5, by: carol });
    expect((await entriesOf(store)).at(-1)).toMatchObject({
      what: 'limit_extended',
      actor: carol,
      details: { kind: 'person', id: 'ana', measure: 'runs', amount: 5, day: '2026-11-23' },
    });
  });

  it('is known after a restart, with what was allowed', async () => {
    const { limits } = inProcess({ runs_per_day: 1 });
    await runsLeft(limits);
    await settled();
    await limits.extend(RUNS, { question: 1, amount: 2, by: carol });
    await limits.flush();
    expect(await runsLeft(inProcess({ runs_per_day: 1 }).limits)).toBe(2);
  });
});

describe('a limit in dollars', () => {
  const cents = (limits: Limits, input: number) => limits.spend(ana, { input, cached: 0, output: 0 });

  it('is reached by what tokens cost, in millionths, by the model that they are of', async () => {
    const { limits, asked } = inProcess({ cost_per_day: 0.000_1 });
    cents(limits, 40);
    limits.spend(ana, { input: 10, cached: 0, output: 0 }, 'router');
    expect(await limits.findReached(ana)).toBeNull();
    limits.spend(ana, { input: 0, cached: 0, output: 1 });
    await expect(limits.assertTokens(ana)).rejects.toMatchObject({
      userMessage: expect.stringContaining('$0.000100 of model cost'),
    });
    await settled();
    expect(asked).toMatchObject([{ measure: 'cost', limit: 100 }]);
  });
});

describe('what tokens cost', () => {
  const prices = {
    'gpt-4o-mini*': { input: 0.15, cached_input: 0.075, output: 0.6 },
    'gpt-*': { input: 2.5, output: 10 },
  };
  it.each([
    ['gpt-4o-mini-2024', { input: 1_000, cached: 1_000, output: 100 }, 285],
    ['gpt-4o', { input: 1_000, cached: 1_000, output: 100 }, 6_000],
    ['gpt-4o-mini', { input: 1, cached: 0, output: 0 }, 1],
  ])('%s: the first price that fits, rounded up', (model, tokens, cost) => {
    expect(findTokenCost(prices, model)?.(tokens)).toBe(cost);
  });

  it('is unknown of a model without a price', () => {
    expect(findTokenCost(prices, 'claude')).toBeNull();
  });
});
