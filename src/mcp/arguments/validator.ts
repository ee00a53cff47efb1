import type { ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { LRUCache } from 'lru-cache';
import type { ValidateArguments } from '../../gate/types.ts';
import { errorMessage } from '../../lib/errors.ts';
import type { JsonObject } from '../../lib/json.ts';
import {
  ARGUMENTS_UNCHECKED,
  describeProblem,
  SCHEMA_UNREADABLE,
  uncheckedPattern,
  unusableSchema,
} from '../texts/arguments.ts';
import { compileSchema, withoutDialect } from './dialects.ts';
import { createPatternEngine, type PatternEngine } from './linear-regex.ts';
import { createTimeLimit, type WithinTime } from './time-limit.ts';

/** Compiled schemas in the cache; the least recently used are dropped. */
const KEPT_SCHEMAS = 500;

/** Most problems reported at once. */
const MOST_PROBLEMS = 10;

/**
 * Time limit of one check, in milliseconds. A few mutual references can make a schema that never finishes,
 * and so can a hostile text for a harmless schema. Ordinary schemas take a few milliseconds.
 */
const LONGEST_CHECK_MS = 1_000;

/**
 * The most steps that a check may take without a time limit, each a character of the schema that meets one of the
 * arguments. This many take some ten milliseconds at worst. The runtime's limit costs a thread for each check.
 */
const MOST_STEPS = 1_000_000;

type Check = (args: JsonObject) => readonly string[];

/**
 * Validates arguments against a tool's JSON Schema. Never throws. See docs/decisions/0008.
 *
 * - Dialect: the one that `$schema` names (draft-04, -06, -07, 2019-09, 2020-12), or else 2020-12, MCP's default.
 * - Unknown keywords, and patterns that can't run in linear time, are skipped: the server checks those.
 * - A schema that can't be compiled, or takes longer than `longestMs`, is reported as one problem. What can't
 *   be checked doesn't run. Only what may take long is checked `withinTime`.
 *
 * @example
 * const problems = validate(tool.inputSchema, { title: 42 }); // empty if valid
 */
export function createArgumentValidator({
  keptSchemas = KEPT_SCHEMAS,
  longestMs = LONGEST_CHECK_MS,
  withinTime = createTimeLimit(longestMs),
} = {}): ValidateArguments {
  const compiled = new LRUCache<string, Check>({ max: keptSchemas });
  return (schema, args) => {
    const key = JSON.stringify(schema);
    const check = compiled.get(key) ?? createCheck(schema, key, withinTime);
    compiled.set(key, check);
    return check(args);
  };
}

function createCheck(schema: JsonObject, text: string, withinTime: WithinTime): Check {
  const unchecked: string[] = [];
  const validate = compile(schema, createPatternEngine(unchecked));
  if (validate === null) return () => [SCHEMA_UNREADABLE];
  if (unchecked.length > 0 && mayTurnAround(text)) return () => [];
  const mostCharacters = mayMultiply(text) ? 0 : MOST_STEPS / text.length;
  return (args) => {
    const run = () => void validate(args);
    try {
      if (JSON.stringify(args).length <= mostCharacters) run();
      else withinTime(run);
    } catch {
      // An endlessly self-referring schema overflows the stack.
      return [ARGUMENTS_UNCHECKED];
    }
    const problems = new Set<string>();
    for (const error of validate.errors ?? []) {
      if (!FRAMES.has(error.keyword)) problems.add(describeProblem(error));
      if (problems.size === MOST_PROBLEMS) break;
    }
    return [...problems];
  };
}

/**
 * Whether the schema negates or counts matches (such as `not` or `oneOf`), so that a skipped pattern, which
 * matches everything, could refuse valid arguments. The server then checks the whole schema. A property of
 * such a name is a harmless false positive.
 */
function mayTurnAround(text: string): boolean {
  return /"(?:not|oneOf|if|maxContains|patternProperties)":/.test(text);
}

/**
 * Whether a check may take more steps than the schema's size times that of the arguments: by references, which
 * apply one part of the schema many times; by comparing all entries of a list; by a pattern with a count, which is
 * larger than it looks; and by a format whose own pattern may try many ways. A property of such a name is a
 * harmless false positive.
 */
function mayMultiply(text: string): boolean {
  return (
    /"(?:\$ref|\$dynamicRef|\$recursiveRef|uniqueItems|patternProperties)":/.test(text) ||
    /"pattern":"(?:[^"\\]|\\.)*?\{/.test(text) ||
    /"format":"(?!(?:date|time|date-time|email|int32|uuid)")/.test(text)
  );
}

function compile(schema: JsonObject, regExp: PatternEngine): ValidateFunction | null {
  try {
    return compileSchema(schema, { regExp });
  } catch {
    return null;
  }
}

/**
 * The problem with a JSON Schema that an operator wrote, completing "… "; null if there is none. Unlike in a
 * server's schema, an unknown keyword is an error, because `maximun` would check nothing. So is a pattern
 * that can't run.
 */
export function schemaProblem(schema: JsonObject): string | null {
  const unchecked: string[] = [];
  try {
    const code = { regExp: createPatternEngine(unchecked) };
    const ajv = new Ajv2020({ strict: false, strictSchema: true, logger: false, code });
    formats.default(ajv);
    ajv.compile(withoutDialect(schema));
    const [first] = unchecked;
    return first === undefined ? null : uncheckedPattern(first);
  } catch (error) {
    return unusableSchema(errorMessage(error));
  }
}

/** Keywords whose errors only repeat that a nested error, also listed, applies. */
const FRAMES = new Set(['if', 'propertyNames']);
