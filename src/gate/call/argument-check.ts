import { canonicalJson } from '../../lib/canonical-json.ts';
import { isTooDeep, type JsonObject, MAX_DEPTH } from '../../lib/json.ts';
import type { ValidateArguments } from '../policy/ports.ts';
import type { GatePorts } from '../ports.ts';
import { ARGUMENTS_NOT_JSON, argumentsTooDeep } from '../texts/notices.ts';
import type { ToolSnapshot } from './record.ts';

/**
 * Why a call with these arguments can't be shown to anybody or run, one sentence each. Text that isn't valid
 * Unicode and numbers that JSON can't hold have no digest that a decision could bind to.
 */
export function schemaProblems(
  ports: { readonly validateArguments: ValidateArguments },
  schema: JsonObject,
  args: JsonObject,
): readonly string[] {
  // First, as everything else walks the value.
  if (isTooDeep(args)) return [argumentsTooDeep(MAX_DEPTH)];
  return isCanonical(args) ? ports.validateArguments(schema, args) : [ARGUMENTS_NOT_JSON];
}

/** What a call's arguments are checked by. */
export type ArgumentPorts = Pick<GatePorts, 'validateArguments' | 'argumentRules' | 'argumentChecks'>;

/**
 * Like {@link schemaProblems} for a call of this tool, with the operator's schemas and the tool's own checks too. What a tool says
 * of an argument itself takes the place of what schemas say of it, such as that it doesn't match a pattern.
 */
export function callArgumentProblems(
  ports: ArgumentPorts,
  tool: Pick<ToolSnapshot, 'server' | 'name' | 'inputSchema'>,
  args: JsonObject,
): readonly string[] {
  // First, as everything else walks the value.
  if (isTooDeep(args)) return [argumentsTooDeep(MAX_DEPTH)];
  const own = ports.argumentChecks(tool, args);
  const said = new Set(own.map(argumentIn));
  const schemas = [tool.inputSchema, ...ports.argumentRules(tool)];
  const others = schemas.flatMap((schema) => schemaProblems(ports, schema, args));
  return [...new Set([...own, ...others.filter((problem) => !said.has(argumentIn(problem)))])];
}

/** The argument that a problem is about: its sentence begins with the name. */
function argumentIn(problem: string): string {
  return problem.split(' ', 1)[0] ?? '';
}

/** Whether the value can be stored and shown: {@link canonicalJson} can write it, and it isn't too deep. */
export function isCanonical(value: JsonObject): boolean {
  if (isTooDeep(value)) return false;
  try {
    canonicalJson(value);
    return true;
  } catch {
    return false;
  }
}
