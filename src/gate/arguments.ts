import type { JsonObject } from '../json.ts';
import { canonicalJson } from './digest.ts';
import type { ValidateArguments } from './ports.ts';

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

/** Whether {@link canonicalJson} has a text for the value; nesting beyond the stack has none. */
export function isCanonical(value: JsonObject): boolean {
  try {
    canonicalJson(value);
    return true;
  } catch {
    return false;
  }
}
