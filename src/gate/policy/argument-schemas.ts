import type { JsonObject } from '../../lib/json.ts';
import { compileToolGlobs } from './matching/tool-glob.ts';
import type { Evaluate, ValidateArguments } from './ports.ts';
import type { Policy } from './schema.ts';

/** A schema of `policy.arguments` that a call's arguments don't fit. */
export interface SchemaMismatch {
  /** The glob that the schema is for. */
  readonly glob: string;
  /** What doesn't fit, one sentence each. */
  readonly problems: readonly string[];
}

/** Finds the operator's argument schemas that a call doesn't fit, in the policy's order. */
type FindSchemaMismatches = (call: Parameters<Evaluate>[0]) => readonly SchemaMismatch[];

/** Compiles the operator's argument schemas into a check that lists those that a call doesn't fit. */
export function compileSchemaMismatches(
  policy: Pick<Policy, 'arguments'>,
  validate: ValidateArguments,
): FindSchemaMismatches {
  const rules = Object.entries(policy.arguments).map(([glob, schema]) => ({
    glob,
    isFor: compileToolGlobs([glob]),
    problemsOf: (args: JsonObject) => validate(schema, args),
  }));
  return ({ server, tool, arguments: args }) =>
    rules
      .filter(({ isFor }) => isFor(`${server}.${tool}`) !== 'not_met')
      .map(({ glob, problemsOf }) => ({ glob, problems: problemsOf(args) }))
      .filter(({ problems }) => problems.length > 0);
}
