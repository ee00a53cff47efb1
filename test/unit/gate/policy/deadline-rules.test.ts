import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  DEFAULT_DEADLINE_TERMS,
  type DeadlineTerms,
  stricterDeadlineTerms,
} from '../../../../src/gate/policy/deadline-rules.ts';
import { compilePolicy } from '../../../../src/gate/policy/evaluate.ts';
import { explainVerdict } from '../../../../src/gate/policy/explain.ts';
import { policySchema } from '../../../../src/gate/policy/schema.ts';
import { stricterVerdict } from '../../../../src/gate/policy/strictness.ts';
import type { Verdict } from '../../../../src/gate/policy/verdict.ts';
import { formatDuration } from '../../../../src/lib/duration.ts';

const HOUR = 3_600_000;
const CALL = { server: 'calendar', tool: 'create_event', arguments: {} };
const policy = (keys: object, more: object = {}) =>
  policySchema.parse({ ...more, rules: [{ name: 'it', tools: '*', action: 'ask', ...keys }] });
const verdictOf = (keys: object, more: object = {}): Verdict => compilePolicy(policy(keys, more))(CALL);

describe('what a rule says of time', () => {
  it('is left out where it says nothing', () => {
    expect(verdictOf({}).time).toBeUndefined();
  });

  it('goes into the verdict, with what is usual for the rest', () => {
    expect(verdictOf({ deadline: '4h' }).time).toEqual({
      ...DEFAULT_DEADLINE_TERMS,
      deadlines: [{ lastsMs: 4 * HOUR, hours: null }],
    });
    expect(verdictOf({ run_within: 'never', extensions: 0 }).time).toEqual({
      ...DEFAULT_DEADLINE_TERMS,
      extensions: 0,
      runWithinMs: null,
    });
  });

  it('has the rungs of its ladder in the order of their times', () => {
    const ladder = [
      { after: '2h', add: ['user:U1', '@oncall'] },
      { after: '30m', remind: true },
    ];
    expect(verdictOf({ ladder }).time?.ladder).toEqual([
      { afterMs: HOUR / 2, remind: true, add: [] },
      { afterMs: 2 * HOUR, remind: false, add: ['user:U1', 'group:oncall'] },
    ]);
  });

  it('names its approvers where a ladder adds others, so that they are found', () => {
    const add = [{ after: '1h', add: '@backup' }];
    expect(verdictOf({ ladder: add }).approval?.steps).toEqual([{ from: ['requester'], quorum: 1 }]);
    expect(verdictOf({ ladder: [{ after: '1h', remind: true }] }).approval).toBeUndefined();
  });

  it.each([
    [{ deadline: '4 hours' }, 'must be a number and s, m, h or d'],
    [{ ladder: [] }, 'Too small'],
    [{ ladder: [{ after: '1h' }] }, 'needs remind or add'],
    [{ ladder: [{ after: 'never', remind: true }] }, 'must be a number and s, m, h or d'],
    [{ ladder: [{ after: '1h', add: [] }] }, 'Too small'],
    [{ extensions: -1 }, 'Too small'],
    [{ extensions: 100 }, 'Too big'],
    [{ working_hours: true }, 'Invalid input'],
  ])('is refused as %j', (keys, why) => {
    expect(() => policy(keys)).toThrow(why);
  });

  it('is explained', () => {
    const hours = { zone: 'Europe/Berlin', holidays: ['2026-12-25'] };
    const ladder = [
      { after: '30m', remind: true },
      { after: '2h', remind: true, add: '@oncall' },
    ];
    const lines = explainVerdict(
      policy({ deadline: '2d', ladder, run_within: '1h' }, { working_hours: hours }),
      CALL,
    );
    expect(lines).toEqual(
      expect.arrayContaining([
        'Open for: 2 days of Mon Tue Wed Thu Fri, 09:00 to 17:00 Europe/Berlin, not on 1 holiday; extended at most 2 times',
        'While nobody decides: after 30 minutes a reminder; after 2 hours a reminder, and group:oncall may decide, too, counted in Mon Tue Wed Thu Fri, 09:00 to 17:00 Europe/Berlin, not on 1 holiday',
        'Must run: within 1 hour of its approval',
      ]),
    );
  });
});

const some: fc.Arbitrary<DeadlineTerms> = fc.record(
  {
    deadlines: fc.array(
      fc.record({ lastsMs: fc.option(fc.constantFrom(HOUR, 2 * HOUR)), hours: fc.constant(null) }),
      { minLength: 1, maxLength: 2 },
    ),
    ladder: fc.uniqueArray(
      fc.record({
        afterMs: fc.constantFrom(HOUR, 2 * HOUR),
        remind: fc.boolean(),
        add: fc.constantFrom<DeadlineTerms['ladder'][number]['add'][]>([], ['group:a'], ['group:b']),
      }),
      { maxLength: 2, selector: ({ afterMs }) => afterMs },
    ),
    hours: fc.constant(null),
    extensions: fc.integer({ min: 0, max: 3 }),
    runWithinMs: fc.option(fc.constantFrom(HOUR, 2 * HOUR)),
  },
  { noNullPrototype: true },
);
const added = ({ ladder }: DeadlineTerms) => ladder.flatMap(({ add }) => add);
const lasting = ({ deadlines }: DeadlineTerms) =>
  Math.min(...deadlines.map(({ lastsMs }) => lastsMs ?? Number.POSITIVE_INFINITY));

describe('what two rules say of time', () => {
  it('gives never more time, or more people, than either', () => {
    fc.assert(
      fc.property(some, some, (one, other) => {
        const both = stricterDeadlineTerms(one, other) ?? DEFAULT_DEADLINE_TERMS;
        expect(lasting(both)).toBe(Math.min(lasting(one), lasting(other)));
        expect(both.extensions).toBeLessThanOrEqual(Math.min(one.extensions, other.extensions));
        for (const { runWithinMs } of [one, other]) {
          expect(both.runWithinMs ?? Number.POSITIVE_INFINITY).toBeLessThanOrEqual(
            runWithinMs ?? Number.POSITIVE_INFINITY,
          );
        }
        for (const ref of added(both)) {
          expect(added(one)).toContain(ref);
          expect(added(other)).toContain(ref);
        }
      }),
    );
  });

  it('is what the one says, where both say the same', () => {
    fc.assert(
      fc.property(some, (one) => {
        expect(stricterDeadlineTerms(one, { ...one })).toEqual(one);
      }),
    );
  });

  it('is what is usual for one that says nothing', () => {
    const short: DeadlineTerms = { ...DEFAULT_DEADLINE_TERMS, runWithinMs: HOUR };
    expect(stricterDeadlineTerms(undefined, undefined)).toBeUndefined();
    expect(stricterDeadlineTerms(undefined, short)?.runWithinMs).toBe(HOUR);
    expect(stricterDeadlineTerms(short, undefined)?.runWithinMs).toBe(HOUR);
  });

  it('holds for the verdict of both', () => {
    const both = stricterVerdict(verdictOf({ run_within: '1h' }), verdictOf({ deadline: '1h' }));
    expect(both.time).toMatchObject({ runWithinMs: HOUR, deadlines: [{}, { lastsMs: HOUR }] });
  });
});

describe('a length of time in words', () => {
  it.each([
    [1_000, '1 second'],
    [90_000, '90 seconds'],
    [HOUR, '1 hour'],
    [26 * HOUR, '26 hours'],
    [48 * HOUR, '2 days'],
    [1_500, '1500 milliseconds'],
  ])('%s ms: %s', (ms, words) => {
    expect(formatDuration(ms)).toBe(words);
  });
});
