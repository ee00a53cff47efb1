/** The texts of invalid arguments, for people and the model. */

import type { ErrorObject } from 'ajv';
import type { z } from 'zod';

export const SCHEMA_UNREADABLE = 'the tool’s input schema cannot be read, so its arguments cannot be checked';
export const ARGUMENTS_UNCHECKED = 'the arguments could not be checked against the tool’s schema';

// Why a tool's input schema can't be read, completing "it …"

export function unsupportedDialect(dialect: string): string {
  return `has an input schema in a dialect that is not supported: ${clip(dialect)}`;
}

export function unreadableSchema(why: string): string {
  return `has an input schema that cannot be read: ${clip(why)}`;
}

export const LISTS_TOO_MUCH = 'it lists too many alternatives or dependencies';

/** A problem with an operator's schema; `pattern` says which and why. */
export function uncheckedPattern(pattern: string): string {
  return `has a pattern that cannot be checked: ${pattern}`;
}

export function unusableSchema(why: string): string {
  return `is no JSON Schema that can be used: ${why}`;
}

/** Longest sentence, in characters. A name or a list of choices can be as long as the arguments. */
const LONGEST = 300;

/** Describes one invalid argument as a sentence without its full stop, for people and the model. */
export function describeProblem(error: ErrorObject): string {
  return clip(sentenceFor(error));
}

/** As {@link describeProblem}, for what a tool itself says of an argument, completing its name. */
export function describeIssue({ path, message }: z.core.$ZodIssue): string {
  return clip(`${readablePath(path.map((part) => `/${String(part)}`).join(''))} ${message}`);
}

function clip(sentence: string): string {
  return sentence.length > LONGEST ? `${sentence.slice(0, LONGEST - 1).toWellFormed()}…` : sentence;
}

function sentenceFor(error: ErrorObject): string {
  const { keyword, params } = error;
  const name = readablePath(error.instancePath);
  switch (keyword) {
    case 'required':
      return `${inside(name, params.missingProperty)} is missing`;
    case 'dependentRequired':
    case 'dependencies':
      return `${inside(name, params.missingProperty)} is required with ${params.property}`;
    case 'additionalProperties':
      return `${inside(name, params.additionalProperty)} is not an argument of this tool`;
    case 'unevaluatedProperties':
      return `${inside(name, params.unevaluatedProperty)} is not an argument of this tool`;
    case 'format':
      return `${name} must be ${article(String(params.format))}`;
    case 'enum':
      return `${name} must be one of ${params.allowedValues.map((value: unknown) => JSON.stringify(value)).join(', ')}`;
    case 'const':
      return `${name} must be ${JSON.stringify(params.allowedValue)}`;
    case 'type':
      return `${name} must be ${article([params.type].flat().join(' or '))}`;
    case 'minLength':
      return `${name} ${fewerThan(params.limit, 'character', 'characters')}`;
    case 'maxLength':
      return `${name} ${moreThan(params.limit, 'character', 'characters')}`;
    case 'minItems':
      return `${name} ${fewerThan(params.limit, 'entry', 'entries')}`;
    case 'maxItems':
      return `${name} ${moreThan(params.limit, 'entry', 'entries')}`;
    case 'minProperties':
      return `${name} ${fewerThan(params.limit, 'field', 'fields')}`;
    case 'maxProperties':
      return `${name} ${moreThan(params.limit, 'field', 'fields')}`;
    // In draft-04 a boolean beside the limit excludes it.
    case 'minimum':
      return `${name} ${params.comparison === '>' ? 'must be more' : 'is less'} than ${params.limit}`;
    case 'maximum':
      return `${name} ${params.comparison === '<' ? 'must be less' : 'is more'} than ${params.limit}`;
    case 'exclusiveMinimum':
      return `${name} must be more than ${params.limit}`;
    case 'exclusiveMaximum':
      return `${name} must be less than ${params.limit}`;
    case 'multipleOf':
      return `${name} is not a multiple of ${params.multipleOf}`;
    case 'uniqueItems':
      return `${name} has the same entry twice`;
    case 'pattern':
      return `${name} does not match the pattern ${params.pattern}`;
    default:
      return `${name} ${error.message ?? 'does not fit'}`;
  }
}

function moreThan(limit: number, one: string, many: string): string {
  return `has more than ${limit} ${limit === 1 ? one : many}`;
}

function fewerThan(limit: number, one: string, many: string): string {
  return limit === 1 ? `has no ${one}` : `has fewer than ${limit} ${many}`;
}

/**
 * The readable form of a JSON pointer: `/attendees/0/email` is `attendees[0].email`; the root is `the
 * arguments`.
 */
function readablePath(pointer: string): string {
  if (pointer === '') return 'the arguments';
  const parts = pointer.slice(1).split('/');
  return parts
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .map((part, index) => (/^\d+$/.test(part) ? `[${part}]` : index === 0 ? part : `.${part}`))
    .join('');
}

function inside(name: string, property: string): string {
  return name === 'the arguments' ? property : `${name}.${property}`;
}

function article(noun: string): string {
  return /^[aeiou]/.test(noun) ? `an ${noun}` : `a ${noun}`;
}
