import type { BaseChatModel } from '@langchain/core/language_models/chat_models';
import type { BaseCheckpointSaver } from '@langchain/langgraph-checkpoint';
import type { Actor, CallRecord, Evaluate, ProposedCall } from '../gate/types.ts';
import type { Clock } from '../lib/clock.ts';
import type { CallTool, ToolDefinition } from '../tools/ports.ts';
import type { ReadKept } from './shared/read-result.ts';

/** What a graph is given; it reads the gate's record and never writes it. */
export interface AgentPorts {
  readonly model: BaseChatModel;
  /** Chooses the tool types of a request; null lets every request use all. */
  readonly routerModel: BaseChatModel | null;
  readonly checkpointer: BaseCheckpointSaver;
  /** Lets go of a thread's old checkpoints, which nothing goes back to. */
  readonly prune: (threadId: string) => Promise<void>;
  /** From now on the checkpointer refuses what is written under a lower fencing token. */
  readonly claim: (threadId: string, token: number) => Promise<void>;
  /** What this person's run may be offered; without a person, what there is for anybody. */
  readonly tools: (person?: Actor) => Promise<readonly ToolDefinition[]>;
  /** Servers that are down now, by name, for the model to say so; default: none. */
  readonly downServers?: () => readonly string[];
  readonly evaluate: Evaluate;
  /** Whether somebody has allowed such calls in advance, so that people need not be asked about this one. */
  readonly isGranted: (
    from: { readonly threadId: string; readonly runId: string; readonly requester: Actor },
    call: ProposedCall,
  ) => Promise<boolean>;
  /** The records of these calls of a thread, in order, null where there is none. */
  readonly callsOf: (threadId: string, callIds: readonly string[]) => Promise<readonly (CallRecord | null)[]>;
  readonly callTool: CallTool;
  /** Reads on in what a tool answered that was too large for the conversation; without it nothing is kept. */
  readonly readKept?: ReadKept;
  readonly clock: Clock;
  /** IANA zone in which "tomorrow" is meant when the person's is not known. */
  readonly timeZone: string;
  /** Supersteps a run may take before it is stopped. */
  readonly maxSteps: number;
  /** What the operator wants every conversation to know; may be empty. */
  readonly instructions: string;
}
