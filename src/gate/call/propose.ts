import type { GatePorts } from '../ports.ts';
import { argumentsMisfit, unknownTool } from '../texts/notices.ts';
import type { Actor } from './actor.ts';
import { callArgumentProblems, isCanonical } from './argument-check.ts';
import { fillDefaults } from './argument-defaults.ts';
import { callDigest } from './digest.ts';
import { evaluateCall } from './evaluate-call.ts';
import type { CallRecord, ProposedCall, ToolSnapshot } from './record.ts';

/** Where a call comes from: its thread and run, and the person it is for. */
export interface Proposer {
  readonly threadId: string;
  readonly runId: string;
  readonly requester: Actor;
}

/** What a new call is checked by: the schemas of its arguments, and the policy. */
type ProposalPorts = Pick<GatePorts, 'clock' | 'evaluate' | 'validateArguments' | 'argumentRules'>;

/** The record of a call that is new to its thread, in the state that the policy gives it. */
export function createCall(ports: ProposalPorts, from: Proposer, proposed: ProposedCall): CallRecord {
  const tool = proposed.tool ?? missingTool(proposed.modelName);
  // Arguments without a canonical text can be neither stored nor shown; the call fails below.
  const isShowable = isCanonical(proposed.arguments);
  const args = isShowable ? fillDefaults(tool.inputSchema, proposed.arguments) : {};
  const problems = callArgumentProblems(ports, tool, isShowable ? args : proposed.arguments);
  // The verdict of record: people are asked under it, and each later verdict is compared with it.
  const verdict = evaluateCall(ports, { tool, arguments: args });
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
    digest: callDigest({
      server: tool.server,
      tool: tool.name,
      definitionHash: tool.definitionHash,
      arguments: args,
    }),
    verdict,
    state: 'pending',
    decision: null,
    requester: from.requester,
    proposedAt: now,
    attempt: 0,
    fence: null,
    intentAt: null,
    endedAt: null,
    outcome: null,
    need: null,
    elicitationAnswer: null,
  };
  const failed = (message: string): CallRecord => ({
    ...call,
    state: 'failed',
    endedAt: now,
    outcome: { status: 'failed', message, content: [] },
  });
  if (proposed.tool === null) {
    return failed(unknownTool(tool.name));
  }
  if (proposed.unavailableReason !== undefined) return failed(proposed.unavailableReason);
  if (proposed.kind === 'tool' && verdict.action === 'deny')
    return { ...call, state: 'denied', endedAt: now };
  if (problems.length > 0) {
    return {
      ...failed(argumentsMisfit(problems)),
      misfit: true,
    };
  }
  if (proposed.kind === 'question') return call;
  return { ...call, state: verdict.action === 'allow' ? 'allowed' : 'pending' };
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
