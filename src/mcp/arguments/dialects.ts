import { Ajv, type AnySchema, type Options, type ValidateFunction } from 'ajv';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { Ajv2020 } from 'ajv/dist/2020.js';
import AjvDraft04 from 'ajv-draft-04';
import formats from 'ajv-formats';
import { LRUCache } from 'lru-cache';
import { sha256Hex } from '../../lib/canonical-json.ts';
import { errorMessage } from '../../lib/errors.ts';
import type { Json, JsonObject } from '../../lib/json.ts';
import { LISTS_TOO_MUCH, unreadableSchema, unsupportedDialect } from '../texts/arguments.ts';

/** The compilers, by JSON Schema dialect. Ajv reads draft-06 as draft-07, which only adds keywords to it. */
const COMPILERS = {
  'draft-04': AjvDraft04.default,
  'draft-07': Ajv,
  '2019-09': Ajv2019,
  '2020-12': Ajv2020,
} as const;

type Dialect = keyof typeof COMPILERS;
type Compiler = InstanceType<(typeof COMPILERS)[Dialect]>;

/** What `$schema` may be. JSON Schema's own address without a version means the latest one. */
const NAMES: readonly (readonly [RegExp, Dialect])[] = [
  [/\/draft-04\b/, 'draft-04'],
  [/\/draft-0[67]\b/, 'draft-07'],
  [/\/draft\/2019-09\b/, '2019-09'],
  [/\/draft\/2020-12\b|^https?:\/\/json-schema\.org\/schema#?$/, '2020-12'],
];

/**
 * How a schema without `$schema` is read: as the first of these under which it's valid. MCP's default is
 * 2020-12, but servers of revisions before 2025-11-25, which had no default, mean what their library wrote: a
 * list of `items` (until 2019-09), or a boolean `exclusiveMinimum` (draft-04).
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic#json-schema-usage
 */
const UNDECLARED: readonly Dialect[] = ['2020-12', 'draft-07', 'draft-04'];

const OPTIONS = {
  allErrors: true,
  strict: false,
  validateFormats: true,
  logger: false,
  // Inlining would compile a shared part once per reference, which can take seconds.
  inlineRefs: false,
} as const satisfies Options;

/** The dialects to read the schema as, in order. Empty if it declares one that isn't supported. */
function candidateDialects({ $schema }: JsonObject): readonly Dialect[] {
  if (typeof $schema !== 'string') return UNDECLARED;
  const named = NAMES.find(([name]) => name.test($schema));
  return named === undefined ? [] : [named[1]];
}

/**
 * The most alternatives and dependencies that a schema may list. Ajv nests the code of all alternatives, and writes
 * a list of dependencies into the code for each of its names: a few thousand take seconds and half a gigabyte.
 */
const MOST_LISTED = 500;

/** Whether compiling the schema could hold up the process. Data and properties of such names count too. */
export function listsTooMuch(schema: Json): boolean {
  return countListed(schema, '') > MOST_LISTED;
}

function countListed(value: Json, key: string): number {
  if (typeof value !== 'object' || value === null) return 0;
  const isList = Array.isArray(value);
  const isNested = key === 'oneOf' || key === 'anyOf' || key === DEPENDENT;
  return Object.entries(value).reduce(
    (sum, [name, item]) => sum + countListed(item, DEPENDENCIES.has(key) ? DEPENDENT : isList ? '' : name),
    isList && isNested ? value.length : 0,
  );
}
const DEPENDENCIES = new Set(['dependencies', 'dependentRequired']);
/** Stands for the name of a property in `dependencies`. */
const DEPENDENT = ' dependent';

function createCompiler(dialect: Dialect, code: Options['code']): Compiler {
  const ajv = new COMPILERS[dialect]({ ...OPTIONS, ...(code !== undefined && { code }) });
  formats.default(ajv);
  ajv.addFormat('date-time', isDateTime);
  return ajv;
}

/**
 * The schema's validator, in the dialect that it declares.
 * @param code how Ajv runs patterns
 * @throws Error if it can't be compiled
 */
export function compileSchema(schema: JsonObject, code: Options['code']): ValidateFunction {
  // A new compiler for each schema, so that equal `$id`s in two servers' schemas don't conflict.
  return inFirstDialect(schema, (dialect, bare) => createCompiler(dialect, code).compile(bare));
}

/** Why a tool's input schema can't be read, completing "it …"; null if it can. */
export type SchemaReader = (schema: JsonObject) => string | null;

/** How many schemas a reader remembers: lists of tools are read again and again, and hardly change. */
const REMEMBERED = 5_000;
/** How many schemas a shared compiler compiles. It keeps a few kilobytes of each. */
const LIFETIME = 500;

/**
 * A reader that tells whether arguments can be validated against a schema. Creating a compiler takes 30 ms and
 * compiling an ordinary schema 2, so compilers are shared where no name of a schema stays behind in one, and what
 * was found of a schema is remembered.
 */
export function createSchemaReader(): SchemaReader {
  const found = new LRUCache<string, { readonly problem: string | null }>({ max: REMEMBERED });
  const compile = createSharedCompilers();
  return (schema) => {
    const key = sha256Hex(JSON.stringify(schema));
    const { problem } = found.get(key) ?? { problem: schemaProblem(schema, compile) };
    found.set(key, { problem });
    return problem;
  };
}

function schemaProblem(schema: JsonObject, compile: CompileShared): string | null {
  try {
    inFirstDialect(schema, (dialect, bare) =>
      hasId(schema, dialect) ? createCompiler(dialect, undefined).compile(bare) : compile(dialect, bare),
    );
    return null;
  } catch (error) {
    return error instanceof UnsupportedDialectError
      ? unsupportedDialect(error.message)
      : unreadableSchema(errorMessage(error));
  }
}

type CompileShared = (dialect: Dialect, bare: AnySchema & object) => ValidateFunction;

function createSharedCompilers(): CompileShared {
  const shared = new Map<Dialect, { readonly compiler: Compiler; uses: number }>();
  return (dialect, bare) => {
    const before = shared.get(dialect);
    const current =
      before !== undefined && before.uses < LIFETIME
        ? before
        : { compiler: createCompiler(dialect, undefined), uses: 0 };
    shared.set(dialect, current);
    current.uses += 1;
    try {
      return current.compiler.compile(bare);
    } finally {
      current.compiler.removeSchema(bare);
    }
  };
}

/** Whether a part of the schema may be registered under an id, which outlives the schema. */
function hasId(schema: JsonObject, dialect: Dialect): boolean {
  return dialect === 'draft-04' || JSON.stringify(schema).includes('"$id":');
}

/** `message`: the dialect. */
class UnsupportedDialectError extends Error {}

/** The first dialect's result that isn't an error, or else the first one's error. */
function inFirstDialect(
  schema: JsonObject,
  compile: (dialect: Dialect, bare: AnySchema & object) => ValidateFunction,
): ValidateFunction {
  if (listsTooMuch(schema)) throw new Error(LISTS_TOO_MUCH);
  const bare = withoutDialect(schema);
  let first: unknown = new UnsupportedDialectError(String(schema.$schema));
  for (const [at, dialect] of candidateDialects(schema).entries()) {
    try {
      return compile(dialect, bare);
    } catch (error) {
      if (at === 0) first = error;
    }
  }
  throw first;
}

/**
 * The schema without `$schema` and `$async`. The compiler's own dialect is the one that was chosen. With Ajv's
 * own `$async`, a server could have its arguments checked after they were sent.
 */
export function withoutDialect({ $schema: _dialect, $async: _later, ...schema }: JsonObject): JsonObject {
  return schema;
}

/**
 * Whether the text is a date-time, with or without an offset. RFC 3339 requires one, but many servers mean
 * local time by this format and take the zone in another argument.
 */
function isDateTime(value: string): boolean {
  return DATE_TIME.test(value) && !Number.isNaN(Date.parse(value.replace(' ', 'T')));
}
const DATE_TIME = /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d(:\d\d(\.\d+)?)?([Zz]|[+-]\d\d:?\d\d)?$/;
