import { Ajv, type AnySchema, type ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { messageOf } from '../errors.ts';
import type { ValidateArguments } from '../gate/ports.ts';
import type { JsonObject } from '../json.ts';
import { problemSentence } from './problem-sentence.ts';

/** Compiled schemas that are kept; beyond, those that were not used for longest go. */
const KEPT_SCHEMAS = 500;

/** More problems than these help nobody. */
const MOST_PROBLEMS = 10;

/**
 * Checks arguments against a tool's JSON Schema: draft-07 where `$schema` says so, else 2020-12, which
 * MCP takes for the default. Keywords that are not known are passed over. A schema that cannot be
 * compiled is one problem for all arguments: what cannot be checked does not run.
 */
export function createArgumentValidator(keptSchemas = KEPT_SCHEMAS): ValidateArguments {
  const compiled = new Map<string, ValidateFunction | null>();
  return (schema, args) => {
    const key = JSON.stringify(schema);
    const validate = compiled.has(key) ? (compiled.get(key) ?? null) : compile(schema);
    // Entered anew, so that the map's first is the one that was not used for longest.
    compiled.delete(key);
    compiled.set(key, validate);
    const [oldest] = compiled.keys();
    if (compiled.size > keptSchemas && oldest !== undefined) compiled.delete(oldest);
    if (validate === null)
      return ['the tool’s input schema cannot be read, so its arguments cannot be checked'];
    if (validate(args)) return [];
    const problems = (validate.errors ?? [])
      .filter(({ keyword }) => !FRAMES.has(keyword))
      .map(problemSentence);
    return [...new Set(problems)].slice(0, MOST_PROBLEMS);
  };
}

/** An instance for each schema, so that one `$id` in two servers' schemas is no conflict. */
function compile(schema: JsonObject): ValidateFunction | null {
  const options = { allErrors: true, strict: false, validateFormats: true, logger: false } as const;
  const isDraft07 = typeof schema.$schema === 'string' && /draft-0[467]\b/.test(schema.$schema);
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
 * schema, a keyword that nobody knows is a mistake: `maximun` would check nothing.
 */
export function schemaProblem(schema: JsonObject): string | null {
  try {
    const ajv = new Ajv2020({ strict: false, strictSchema: true, logger: false });
    formats.default(ajv);
    ajv.compile(withoutDialect(schema));
    return null;
  } catch (error) {
    return `is no JSON Schema that can be used: ${messageOf(error)}`;
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

/** An instance refuses a `$schema` that it does not hold, such as draft-04's or one with another ending. */
function withoutDialect({ $schema: _dialect, ...schema }: JsonObject): AnySchema {
  return schema;
}

/** Errors that only say that others, which are listed too, hold. */
const FRAMES = new Set(['if', 'propertyNames']);
