import { z } from 'zod';
import { isJsonObject, type Json, type JsonObject } from '../../lib/json.ts';
import { type ArgumentPath, type ArgumentPlace, parsePath, resolvePath } from './argument-path.ts';
import { allOf, anyOf, consensus, negate, type Truth, toTruth } from './matching/tristate.ts';
import {
  type ArgumentConditions,
  argumentConditionsSchema,
  compileValueConditions,
  type ValueCondition,
} from './operators.ts';
import { type ReadKind, readKindSchema } from './session-condition.ts';

/** Refuses the key `__proto__`: zod silently drops it, and no condition may be lost. */
function keepEveryKey(written: unknown, context: z.RefinementCtx): unknown {
  if (isJsonObject(written) && Object.hasOwn(written, '__proto__')) {
    context.addIssue({
      code: 'custom',
      message: 'write this argument as ["__proto__"]',
      path: ['__proto__'],
    });
  }
  return written;
}

/** The condition on what the call's session has read. An argument of that path is written `["session"].has_read`. */
export const HAS_READ = 'session.has_read';

/** Keys of a `when` that name no argument. */
const NO_PATHS: ReadonlySet<string> = new Set(['any_of', 'not', HAS_READ]);

const hasReadSchema = z
  .union([readKindSchema.transform((kind) => [kind]), z.array(readKindSchema).min(1)])
  .optional()
  .describe('What the call’s session must have read before: private, untrusted, or a list, all of it.');

function pathsAreReadable(written: object, context: z.RefinementCtx): void {
  const paths = Object.keys(written).filter((key) => !NO_PATHS.has(key));
  if (Object.keys(written).length === 0) context.addIssue({ code: 'custom', message: 'needs a condition' });
  for (const path of paths.filter((text) => parsePath(text) === null)) {
    const message =
      'is no path to an argument, such as amount, recipient.email, items[0].price or attendees[*]';
    context.addIssue({ code: 'custom', message, path: [path] });
  }
}

/** Conditions by argument; all of them must hold. */
const byArgumentSchema = z.preprocess(
  keepEveryKey,
  z
    .strictObject({ [HAS_READ]: hasReadSchema })
    .catchall(argumentConditionsSchema)
    .superRefine(pathsAreReadable),
);

/** A rule's `when`, as operators write it. */
export const whenSchema = z
  .preprocess(
    keepEveryKey,
    z
      .strictObject({
        any_of: z.array(byArgumentSchema).min(1).optional().describe('At least one of these holds.'),
        not: byArgumentSchema.optional().describe('Not all of these hold.'),
        [HAS_READ]: hasReadSchema,
      })
      .catchall(argumentConditionsSchema)
      .superRefine(pathsAreReadable),
  )
  .describe(
    'Conditions on arguments, by path (amount, recipient.email, items[0].price, attendees[*]); all must hold. When that cannot be told for certain, the stricter way is taken.',
  );
type When = z.infer<typeof whenSchema>;

/** The result of one condition, for explanations. */
export interface ConditionResult {
  readonly truth: Truth;
  /** The condition as in the file: `amount over 1000`. */
  readonly condition: string;
  /** The values that it was tested against; none for the items of an empty list. */
  readonly places: readonly PlaceResult[];
  /** The conditions inside `any_of` and `not`. */
  readonly parts: readonly ConditionResult[];
}

/** The result of a condition at one place in the arguments. */
export interface PlaceResult {
  /** `attendees[2]` */
  readonly at: string;
  readonly truth: Truth;
  /** Absent where there is no value. */
  readonly value?: Json;
  /** Why the truth is unclear; null when it is not. */
  readonly why: string | null;
}

/** What is known of a call's session; null: nothing. */
type HasRead = ReadonlySet<ReadKind> | null;

/** A call as conditions look at it. */
interface Looked {
  readonly args: JsonObject;
  readonly hasRead: HasRead;
}

/** Whether a rule's conditions depend on what the call's session has read. */
export function dependsOnSession(when: When | undefined): boolean {
  const parts = [when, when?.not, ...(when?.any_of ?? [])];
  return parts.some((part) => part?.[HAS_READ] !== undefined);
}

/** Compiles a `when` once, into a pure function of the call that returns one result per condition. */
export function compileConditions(when: When): (call: Looked) => readonly ConditionResult[] {
  const { any_of: options, not, ...others } = when;
  const own = byArgument(others);
  const anyOfThese = options?.map(byArgument);
  const noneOfThese = not && byArgument(not);
  return (call) => {
    const findings = [...own(call)];
    if (anyOfThese) {
      const parts = anyOfThese.map((option) => together(option(call)));
      findings.push(grouped('any_of', parts, anyOf));
    }
    if (noneOfThese) findings.push(grouped('not', noneOfThese(call), (truths) => negate(allOf(truths))));
    return findings;
  };
}

export function combinedTruth(findings: readonly ConditionResult[]): Truth {
  return allOf(findings.map(({ truth }) => truth));
}

function together(findings: readonly ConditionResult[]): ConditionResult {
  const [only] = findings;
  return only && findings.length === 1 ? only : grouped('all of', findings, allOf);
}

function grouped(
  condition: string,
  parts: readonly ConditionResult[],
  combine: (truths: readonly Truth[]) => Truth,
): ConditionResult {
  return { truth: combine(parts.map(({ truth }) => truth)), condition, places: [], parts };
}

function byArgument({ [HAS_READ]: kinds, ...conditions }: z.infer<typeof byArgumentSchema>) {
  const compiled = Object.entries(conditions).map(([text, tests]) => onArgument(text, tests));
  return ({ args, hasRead }: Looked): readonly ConditionResult[] => [
    ...compiled.map((find) => find(args)),
    ...(kinds === undefined ? [] : [onSession(kinds, hasRead)]),
  ];
}

function onArgument(text: string, tests: ArgumentConditions): (args: JsonObject) => ConditionResult {
  const path: ArgumentPath = parsePath(text) ?? [];
  const ofValue = compileValueConditions(tests);
  const presence = [
    ...(tests.exists ? [{ label: 'exists', wanted: true }] : []),
    ...(tests.missing ? [{ label: 'missing', wanted: false }] : []),
  ];
  const condition = `${text} ${[...presence, ...ofValue].map(({ label }) => label).join(' and ')}`;
  return (args) => {
    const places = resolvePath(args, path, tests.default).map((place): PlaceResult => {
      const there = presence.map(({ wanted }) => checkPresence(place, { wanted }));
      return judged(
        place,
        allOf([...there, ...ofValue.map(({ evaluate }) => judgeAt(place, evaluate))]),
        ofValue,
      );
    });
    return { truth: consensus(places.map(({ truth }) => truth)), condition, places, parts: [] };
  };
}

/** Unclear where nothing is known of the session. */
function onSession(kinds: readonly ReadKind[], hasRead: HasRead): ConditionResult {
  const truth = hasRead === null ? 'unclear' : toTruth(kinds.every((kind) => hasRead.has(kind)));
  const place: PlaceResult =
    hasRead === null
      ? { at: HAS_READ, truth, why: 'nothing is known of the session' }
      : { at: HAS_READ, truth, value: [...hasRead], why: null };
  return { truth, condition: `${HAS_READ} ${kinds.join(' and ')}`, places: [place], parts: [] };
}

/** Unclear for null: some tools treat it as given, others don't. */
function checkPresence(place: ArgumentPlace, { wanted }: { readonly wanted: boolean }): Truth {
  if (place.kind === 'unfit' || (place.kind === 'value' && place.value === null)) return 'unclear';
  return toTruth((place.kind === 'value') === wanted);
}

function judgeAt(place: ArgumentPlace, judge: (value: Json) => Truth): Truth {
  return place.kind === 'value' ? judge(place.value) : 'unclear';
}

function judged(place: ArgumentPlace, truth: Truth, ofValue: readonly ValueCondition[]): PlaceResult {
  const { at } = place;
  switch (place.kind) {
    case 'missing':
      return { at, truth, why: truth === 'unclear' ? 'no default says what the tool takes then' : null };
    case 'unfit':
      return { at, truth, why: place.why };
    case 'value': {
      const { value } = place;
      if (truth !== 'unclear') return { at, truth, value, why: null };
      const wants =
        ofValue.find(({ evaluate }) => evaluate(value) === 'unclear')?.expects ?? 'a value that is not null';
      return { at, truth, value, why: `this wants ${wants}` };
    }
  }
}
