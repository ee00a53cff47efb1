import { Ajv, type AnySchema, type ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { LRUCache } from 'lru-cache';
import type { ValidateArguments } from '../../gate/types.ts';
import { errorMessage } from '../../lib/errors.ts';
import type { JsonObject } from '../../lib/json.ts';
import { problemSentence } from './error-text.ts';
import { createPatternEngine, type PatternEngine } from './linear-regex.ts';
import { createTimeLimit, type WithinTime } from './time-limit.ts';

/** Compiled schemas that are kept; beyond, those that were not used for longest go. */
const KEPT_SCHEMAS = 500;

/** More problems than these help nobody. */
const MOST_PROBLEMS = 10;

/**
 * How long one check may take: a few references to each other can make a schema that takes for ever, and so can texts
 * for one that was written in good faith. What is meant to be used takes a few milliseconds.
 */
const LONGEST_CHECK_MS = 1_000;

const UNREADABLE = 'the tool’s input schema cannot be read, so its arguments cannot be checked';
const UNCHECKED = 'the arguments could not be checked against the tool’s schema';

type Check = (args: JsonObject) => readonly string[];

/**
 * Checks arguments against a tool's JSON Schema: draft-07 where `$schema` says so, else 2020-12, which
 * MCP takes for the default. Keywords that are not known are passed over, and so are patterns that cannot be run in
 * limited time: the server checks those. A schema that cannot be compiled, or is not done with the arguments in
 * `longestMs`, is one problem for all of them: what cannot be checked does not run. Never throws.
 */
export function createArgumentValidator({
  keptSchemas = KEPT_SCHEMAS,
  longestMs = LONGEST_CHECK_MS,
} = {}): ValidateArguments {
  const compiled = new LRUCache<string, Check>({ max: keptSchemas });
  const withinTime = createTimeLimit(longestMs);
  return (schema, args) => {
    const key = JSON.stringify(schema);
    const check = compiled.get(key) ?? createCheck(schema, withinTime);
    compiled.set(key, check);
    return check(args);
  };
}

function createCheck(schema: JsonObject, withinTime: WithinTime): Check {
  const unchecked: string[] = [];
  const validate = compile(schema, createPatternEngine(unchecked));
  if (validate === null) return () => [UNREADABLE];
  if (unchecked.length > 0 && mayTurnAround(schema)) return () => [];
  return (args) => {
    try {
      withinTime(() => void validate(args));
    } catch {
      // A schema that refers to itself without an end overflows the stack.
      return [UNCHECKED];
    }
    const problems = (validate.errors ?? [])
      .filter(({ keyword }) => !FRAMES.has(keyword))
      .map(problemSentence);
    return [...new Set(problems)].slice(0, MOST_PROBLEMS);
  };
}

/**
 * Whether what fits a part may not fit the whole for that: a pattern that is taken to fit could then refuse arguments
 * that are right, so of such a schema the server checks everything. A property of such a name is one too many.
 */
function mayTurnAround(schema: JsonObject): boolean {
  return /"(?:not|oneOf|if|maxContains|patternProperties)":/.test(JSON.stringify(schema));
}

/** An instance for each schema, so that one `$id` in two servers' schemas is no conflict. */
function compile(schema: JsonObject, regExp: PatternEngine): ValidateFunction | null {
  const isDraft07 = typeof schema.$schema === 'string' && /draft-0[467]\b/.test(schema.$schema);
  const options = {
    allErrors: true,
    strict: false,
    validateFormats: true,
    logger: false,
    // A part that many others refer to would be compiled once for each, which takes seconds.
    inlineRefs: false,
    code: { regExp },
  } as const;
  try {
    const ajv = isDraft07 ? new Ajv(options) : new Ajv2020(options);
    formats.default(ajv);
    ajv.addFormat('date-time', isDateTime);
    return ajv.compile(withoutDialect(schema));
  } catch {
    return null;
  }
}

/**
 * What is wrong with a JSON Schema that an operator wrote, completing "… "; null when nothing is. Unlike in a server's
 * schema, a keyword that nobody knows is a mistake: `maximun` would check nothing. So is a pattern that cannot be run.
 */
export function schemaProblem(schema: JsonObject): string | null {
  const unchecked: string[] = [];
  try {
    const code = { regExp: createPatternEngine(unchecked) };
    const ajv = new Ajv2020({ strict: false, strictSchema: true, logger: false, code });
    formats.default(ajv);
    ajv.compile(withoutDialect(schema));
    const [first] = unchecked;
    return first === undefined ? null : `has a pattern that cannot be checked: ${first}`;
  } catch (error) {
    return `is no JSON Schema that can be used: ${errorMessage(error)}`;
  }
}

/**
 * A date-time with or without an offset. RFC 3339 asks for one, but many servers mean local time by this
 * format, and say the zone in another argument.
 */
function isDateTime(value: string): boolean {
  return DATE_TIME.test(value) && !Number.isNaN(Date.parse(value.replace(' ', 'T')));
}
const DATE_TIME = /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d(:\d\d(\.\d+)?)?([Zz]|[+-]\d\d:?\d\d)?$/;

/**
 * An instance refuses a `$schema` that it does not hold, such as draft-04's or one with another ending. By `$async`, which
 * is Ajv's own, a server could have its arguments checked when they are long sent.
 */
function withoutDialect({ $schema: _dialect, $async: _later, ...schema }: JsonObject): AnySchema {
  return schema;
}

/** Errors that only say that others, which are listed too, hold. */
const FRAMES = new Set(['if', 'propertyNames']);
