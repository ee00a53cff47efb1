import { canonicalJson } from '../../lib/canonical-json.ts';
import type { JsonObject } from '../../lib/json.ts';
import type { ValidateArguments } from '../policy/ports.ts';
import type { GatePorts } from '../ports.ts';
import type { ToolSnapshot } from './record.ts';

/**
 * What keeps a call with these arguments from being put to anybody or run, one sentence each. Text that
 * is no Unicode and numbers that are no JSON have no digest that a decision could bind to.
 */
export function schemaProblems(
  ports: { readonly validateArguments: ValidateArguments },
  schema: JsonObject,
  args: JsonObject,
): readonly string[] {
  return isCanonical(args)
    ? ports.validateArguments(schema, args)
    : ['the arguments hold what JSON cannot say exactly'];
}

/** As {@link schemaProblems}, of a call of this tool: also what the operator wants its arguments to be like. */
export function callArgumentProblems(
  ports: Pick<GatePorts, 'validateArguments' | 'argumentRules'>,
  tool: Pick<ToolSnapshot, 'server' | 'name' | 'inputSchema'>,
  args: JsonObject,
): readonly string[] {
  const schemas = [tool.inputSchema, ...(ports.argumentRules?.(tool) ?? [])];
  return [...new Set(schemas.flatMap((schema) => schemaProblems(ports, schema, args)))];
}

/** Whether {@link canonicalJson} has a text for the value; nesting beyond the stack has none. */
export function isCanonical(value: JsonObject): boolean {
  try {
    canonicalJson(value);
    return true;
  } catch {
    return false;
  }
}
