import type { BaseChatModel } from '@langchain/core/language_models/chat_models';
import type { BaseCheckpointSaver } from '@langchain/langgraph-checkpoint';
import type { Actor, CallRecord, ProposedCall } from '../gate/types.ts';
import type { Clock } from '../lib/clock.ts';
import type { CallTool, ToolDefinition } from '../tools/ports.ts';

/** What a graph is given. It reads the gate's record and never writes it. */
export interface AgentPorts {
  readonly models: AgentModels;
  readonly tools: AgentTools;
  readonly gate: AgentGate;
  readonly checkpoints: AgentCheckpoints;
  readonly prompt: AgentPrompt;
  readonly limits: AgentLimits;
}

export interface AgentModels {
  readonly main: BaseChatModel;
  /** Chooses the tool types of a request; null lets every request use all. */
  readonly router: BaseChatModel | null;
}

export interface AgentTools {
  /** What this person's run may be offered; without a person, what there is for anybody. */
  readonly list: (person?: Actor) => Promise<readonly ToolDefinition[]>;
  /** Servers that are down now, by name, for the model to say so; default: none. */
  readonly down?: () => readonly string[];
  readonly call: CallTool;
  /** Reads on in what a tool answered that was too large for the conversation; null where nothing is kept. */
  readonly readKept: ReadKept | null;
}

/** Characters `from` to `from + length` of what is kept under a name in a thread; null when nothing is. */
export type ReadKept = (
  threadId: string,
  kept: { readonly name: string },
  from: number,
  length: number,
) => Promise<string | null>;

export interface AgentGate {
  /** Whether people would be asked about this call now: the policy asks, and no grant covers it. */
  readonly needsApproval: (
    from: { readonly threadId: string; readonly runId: string; readonly requester: Actor },
    call: ProposedCall,
  ) => Promise<boolean>;
  /** The records of these calls of a thread, in order, null where there is none. */
  readonly callsOf: (threadId: string, callIds: readonly string[]) => Promise<readonly (CallRecord | null)[]>;
}

export interface AgentCheckpoints {
  readonly saver: BaseCheckpointSaver;
  /** Deletes a thread's old checkpoints, which nothing goes back to. */
  readonly prune: (threadId: string) => Promise<void>;
  /** From now on the saver refuses what is written under a lower fencing token. */
  readonly claim: (threadId: string, token: number) => Promise<void>;
}

export interface AgentPrompt {
  readonly clock: Clock;
  /** IANA zone in which "tomorrow" is meant when the person's is not known. */
  readonly timeZone: string;
  /** What the operator wants every conversation to know; may be empty. */
  readonly instructions: string;
}

export interface AgentLimits {
  /** Supersteps that a run may take before it is stopped. */
  readonly maxSteps: number;
}
