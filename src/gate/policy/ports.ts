import type { JsonObject } from '../../lib/json.ts';
import type { ReadKind } from './session-condition.ts';
import type { Verdict } from './verdict.ts';

/** What is wrong with the arguments, one sentence each; empty when they fit the schema. */
export type ValidateArguments = (schema: JsonObject, args: JsonObject) => readonly string[];

/** The verdict of the rule that applies to a call. */
export type Evaluate = (call: {
  readonly server: string;
  readonly tool: string;
  readonly arguments: JsonObject;
  /** Whether the server listed the tool after an admin last looked. Absent: no. */
  readonly isNew?: boolean | undefined;
  /** What the call's session has read so far. Absent or null: that isn't known. */
  readonly hasRead?: ReadonlySet<ReadKind> | null | undefined;
  /** The graph that offers the tool by a name of its own. Absent: none. */
  readonly graph?: string | undefined;
}) => Verdict;

/** Whether sending a call of this tool twice does no more than sending it once. */
export type IsIdempotent = (tool: {
  readonly server: string;
  readonly name: string;
  readonly readOnly?: boolean | undefined;
}) => boolean;

/** The JSON Schemas that the operator requires of a tool's arguments, besides the tool's own. */
export type ArgumentRules = (tool: {
  readonly server: string;
  readonly name: string;
}) => readonly JsonObject[];

/** What a tool that comes with this program says of its arguments, one sentence each, beginning with the argument; empty when they fit. */
export type ArgumentChecks = (
  tool: { readonly server: string; readonly name: string },
  args: JsonObject,
) => readonly string[];
