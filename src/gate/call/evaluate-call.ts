import type { Evaluate } from '../policy/ports.ts';
import { PROGRAMS_RULE, type Verdict } from '../policy/verdict.ts';
import type { CallRecord, Program } from './record.ts';

/** What programs may do now, as the operator says. */
export interface ProgramRules {
  /** Why a program may not make a call of this tool any more, in sentences; null while it may. */
  refusal(
    program: Pick<Program, 'id' | 'name'>,
    tool: { readonly server: string; readonly name: string },
  ): Promise<string | null>;
}

/** The policy's verdict on a call that is new. */
export function evaluateCall(
  { evaluate }: { readonly evaluate: Evaluate },
  { tool, arguments: args }: Pick<CallRecord, 'tool' | 'arguments'>,
): Verdict {
  return evaluate({ server: tool.server, tool: tool.name, arguments: args, isNew: tool.isNew });
}

/**
 * The verdict on a recorded call as it is now: a denial also where its program may not make it any more. Each use says why
 * the recorded verdict isn't enough there.
 */
export async function evaluateAgain(
  ports: { readonly evaluate: Evaluate; readonly programs: ProgramRules },
  call: Pick<CallRecord, 'tool' | 'arguments' | 'program'>,
): Promise<Verdict> {
  const today = evaluateCall(ports, call);
  const reason = call.program ? await ports.programs.refusal(call.program, call.tool) : null;
  if (reason === null) return today;
  return { action: 'deny', rule: PROGRAMS_RULE, reason, policyVersion: today.policyVersion };
}
