import type { Evaluate } from '../policy/ports.ts';
import type { Verdict } from '../policy/verdict.ts';
import type { CallRecord } from './record.ts';

/** The policy's verdict on a call as it is now. Each use says why the recorded verdict isn't enough there. */
export function evaluateCall(
  { evaluate }: { readonly evaluate: Evaluate },
  { tool, arguments: args }: Pick<CallRecord, 'tool' | 'arguments'>,
): Verdict {
  return evaluate({ server: tool.server, tool: tool.name, arguments: args, isNew: tool.isNew });
}
