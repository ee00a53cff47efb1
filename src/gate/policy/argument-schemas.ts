import type { JsonObject } from '../../lib/json.ts';
import type { Evaluate, ValidateArguments } from './ports.ts';
import type { Policy } from './schema.ts';
import { globMatcher } from './tool-glob.ts';

/** A schema of `policy.arguments` that a call's arguments do not fit. */
export interface SchemaMismatch {
  /** The glob that it stands under. */
  readonly glob: string;
  /** What does not fit, a sentence each. */
  readonly problems: readonly string[];
}

/** Those of the operator's schemas for arguments that a call does not fit, in their order. */
export type FindSchemaMismatches = (call: Parameters<Evaluate>[0]) => readonly SchemaMismatch[];

/** Compiles the operator's schemas for arguments, to say which of them a call does not fit. */
export function compileSchemaMismatches(
  policy: Pick<Policy, 'arguments'>,
  validate: ValidateArguments,
): FindSchemaMismatches {
  const rules = Object.entries(policy.arguments).map(([glob, schema]) => ({
    glob,
    isFor: globMatcher([glob]),
    problemsOf: (args: JsonObject) => validate(schema, args),
  }));
  return ({ server, tool, arguments: args }) =>
    rules
      .filter(({ isFor }) => isFor(`${server}.${tool}`))
      .map(({ glob, problemsOf }) => ({ glob, problems: problemsOf(args) }))
      .filter(({ problems }) => problems.length > 0);
}
