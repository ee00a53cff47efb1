import type { Evaluate } from '../policy/ports.ts';
import { PROGRAMS_RULE, type Verdict } from '../policy/verdict.ts';
import { disabledVerdict, findRisk, type RiskView, withRisk } from '../risk/rules.ts';
import { readKinds } from '../risk/session.ts';
import type { CallRecord, Program } from './record.ts';

/** What programs may do now, as the operator says. */
export interface ProgramRules {
  /** Why a program may not make a call of this tool any more, in sentences; null while it may. */
  refusal(
    program: Pick<Program, 'id' | 'name'>,
    tool: { readonly server: string; readonly name: string },
  ): Promise<string | null>;
}

/** The policy's verdict on a call of this session: a denial also where the operator has disabled its tool. */
export function evaluateCall(
  { evaluate }: { readonly evaluate: Evaluate },
  { tool, arguments: args }: Pick<CallRecord, 'tool' | 'arguments'>,
  view: RiskView | null,
): Verdict {
  const { server, name, isNew, graph } = tool;
  const hasRead = view && readKinds(view.session);
  const verdict = evaluate({ server, tool: name, arguments: args, isNew, hasRead, graph });
  return view?.toolRisk(tool).isEnabled === false ? disabledVerdict(verdict) : verdict;
}

/** A verdict on a call that nobody has approved, no laxer than the risk of its session asks for. */
export function weighRisk(
  verdict: Verdict,
  { tool }: Pick<CallRecord, 'tool'>,
  view: RiskView | null,
): Verdict {
  if (view === null) return verdict;
  const { session } = view;
  const risk = view.toolRisk(tool);
  return withRisk(verdict, findRisk(session, risk), { session, tool: risk });
}

/**
 * The verdict on a recorded call as it is now: a denial also where its program may not make it any more. Each use says why
 * the recorded verdict isn't enough there.
 */
export async function evaluateAgain(
  ports: { readonly evaluate: Evaluate; readonly programs: ProgramRules },
  call: Pick<CallRecord, 'tool' | 'arguments' | 'program'>,
  view: RiskView | null,
): Promise<Verdict> {
  const today = evaluateCall(ports, call, view);
  const reason = call.program ? await ports.programs.refusal(call.program, call.tool) : null;
  if (reason === null) return today;
  return { action: 'deny', rule: PROGRAMS_RULE, reason, policyVersion: today.policyVersion };
}
