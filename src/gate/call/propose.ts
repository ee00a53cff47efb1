import type { JsonObject } from '../../lib/json.ts';
import type { GatePorts } from '../ports.ts';
import type { RiskView } from '../risk/rules.ts';
import { argumentsMisfit, deniedBecause, unknownTool } from '../texts/notices.ts';
import type { Actor, Task } from './actor.ts';
import { type ArgumentPorts, callArgumentProblems, isCanonical } from './argument-check.ts';
import { fillDefaults } from './argument-defaults.ts';
import { toolDigest } from './digest.ts';
import { evaluateCall, weighRisk } from './evaluate-call.ts';
import { finalState } from './lifecycle.ts';
import type { CallRecord, Program, ProposedCall, ToolSnapshot } from './record.ts';

/** Where a call comes from: its thread and run, and the person it is for. */
export interface Proposer {
  readonly threadId: string;
  readonly runId: string;
  readonly requester: Actor;
  /** @default none: the agent of the thread's run */
  readonly program?: Program;
  /** @default it belongs to no team's plan */
  readonly task?: Task | undefined;
}

/** What a new call is checked by: the schemas of its arguments, and the policy. */
type ProposalPorts = Pick<GatePorts, 'clock' | 'evaluate'> & ArgumentPorts;

/** The record of a call that is new to its thread, in the state that the policy and the risk of its session give it. */
export function createCall(
  ports: ProposalPorts,
  from: Proposer,
  proposed: ProposedCall,
  view: RiskView | null,
): CallRecord {
  const call = previewCall(ports, from, proposed, view);
  if (finalState(call) !== null) return call;
  const args = isCanonical(proposed.arguments) ? call.arguments : proposed.arguments;
  const problems = callArgumentProblems(ports, call.tool, args);
  if (problems.length === 0) return call;
  return { ...endFailed(call, argumentsMisfit(problems), call.proposedAt), misfit: true };
}

/** As {@link createCall}, before the arguments are checked against their schemas. */
export function previewCall(
  ports: Pick<ProposalPorts, 'clock' | 'evaluate'>,
  from: Proposer,
  proposed: ProposedCall,
  view: RiskView | null,
): CallRecord {
  const tool = proposed.tool ?? missingTool(proposed.modelName);
  const args = filledArguments(tool, proposed.arguments);
  // The verdict of record: people are asked under it, and each later verdict is compared with it.
  const verdict = weighRisk(evaluateCall(ports, { tool, arguments: args }, view), { tool }, view);
  const now = ports.clock();
  const call: CallRecord = {
    callId: proposed.callId,
    threadId: from.threadId,
    runId: from.runId,
    requestId: null,
    kind: proposed.kind,
    tool,
    arguments: args,
    proposedArguments: args,
    digest: toolDigest(tool, args),
    verdict,
    state: 'pending',
    decision: null,
    requester: from.requester,
    program: from.program,
    task: from.task,
    proposedAt: now,
    follows: proposed.follows,
    after: proposed.after && [...proposed.after],
    // Written down, so that it stays what it is when the order is changed.
    needs: proposed.after && [...(proposed.needs ?? proposed.after)],
    said: proposed.said,
    attempt: 0,
    fence: null,
    intentAt: null,
    endedAt: null,
    outcome: null,
    need: null,
    elicitationAnswer: null,
  };
  if (proposed.tool === null) return endFailed(call, unknownTool(tool.name), now);
  if (proposed.unavailableReason !== undefined) return endFailed(call, proposed.unavailableReason, now);
  if (proposed.kind === 'question') return call;
  if (verdict.action === 'deny') return { ...call, state: 'denied', endedAt: now };
  return { ...call, state: verdict.action === 'allow' ? 'allowed' : 'pending' };
}

/** Why a call would end before anybody is asked about it, as a sentence; null where it wouldn't. */
export function immediateRefusal(
  ports: ProposalPorts,
  from: Proposer,
  proposed: ProposedCall,
): string | null {
  // Its session is asked when it opens: what that refuses, nothing that a plan says could change.
  const { state, verdict, outcome } = createCall(ports, from, proposed, null);
  if (state === 'denied') return deniedBecause(verdict.reason);
  return outcome?.status === 'failed' ? outcome.message : null;
}

/** The digest that a call with these arguments is shown with. */
export function proposalDigest(tool: ToolSnapshot, args: JsonObject): string {
  return toolDigest(tool, filledArguments(tool, args));
}

/** Arguments without a canonical text can be neither stored nor shown; the check of the arguments fails such a call. */
function filledArguments({ inputSchema }: ToolSnapshot, args: JsonObject): JsonObject {
  return isCanonical(args) ? fillDefaults(inputSchema, args) : {};
}

function endFailed(call: CallRecord, message: string, now: number): CallRecord {
  return { ...call, state: 'failed', endedAt: now, outcome: { status: 'failed', message, content: [] } };
}

function missingTool(modelName: string): ToolSnapshot {
  const name = modelName.toWellFormed();
  return {
    server: '',
    name,
    modelName: name,
    title: name,
    description: '',
    inputSchema: {},
    definitionHash: '',
    destructive: false,
  };
}
