import type { JsonObject } from '../json.ts';
import { canonicalJson } from './digest.ts';
import { leftInDoubt } from './doubt.ts';
import type { GatePorts, ValidateArguments } from './ports.ts';
import type { CallRecord, ToolSnapshot } from './types.ts';

/**
 * What keeps a call with these arguments from being put to anybody or run, one sentence each. Text that
 * is no Unicode and numbers that are no JSON have no digest that a decision could bind to.
 */
export function argumentProblems(
  ports: { readonly validateArguments: ValidateArguments },
  schema: JsonObject,
  args: JsonObject,
): readonly string[] {
  return isCanonical(args)
    ? ports.validateArguments(schema, args)
    : ['the arguments hold what JSON cannot say exactly'];
}

/** As {@link argumentProblems}, of a call of this tool: also what the operator wants its arguments to be like. */
export function problemsOfCall(
  ports: Pick<GatePorts, 'validateArguments' | 'argumentRules'>,
  tool: Pick<ToolSnapshot, 'server' | 'name' | 'inputSchema'>,
  args: JsonObject,
): readonly string[] {
  const schemas = [tool.inputSchema, ...(ports.argumentRules?.(tool) ?? [])];
  return [...new Set(schemas.flatMap((schema) => argumentProblems(ports, schema, args)))];
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

/**
 * A call that is about to be sent and does not fit what the operator says of its arguments by now, as it ends; null
 * when it does.
 */
export function outsideRules(
  ports: Pick<GatePorts, 'validateArguments' | 'argumentRules'>,
  call: CallRecord,
  now: number,
): CallRecord | null {
  const rules = ports.argumentRules?.(call.tool) ?? [];
  const problems = rules.flatMap((schema) => argumentProblems(ports, schema, call.arguments));
  if (problems.length === 0) return null;
  const why = `The arguments do not fit what the operator wants of them by now: ${problems.join('; ')}. It was not run.`;
  const outcome = { status: 'failed' as const, message: why, content: [] };
  return leftInDoubt(call, why, now) ?? { ...call, state: 'failed', endedAt: now, outcome };
}
