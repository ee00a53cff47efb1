import type { BaseCallbackHandler } from '@langchain/core/callbacks/base';
import type { BaseChatModel } from '@langchain/core/language_models/chat_models';
import type { BaseCheckpointSaver } from '@langchain/langgraph-checkpoint';
import type { Actor, CallRecord, ProposedCall, Task } from '../gate/types.ts';
import type { Clock } from '../lib/clock.ts';
import type { JsonObject } from '../lib/json.ts';
import type { AgentOutput, ForeignAnswer, RunContext, TeamPlan, TeamTask } from '../runs/ports.ts';
import type { Account, CallTool, ResultShares, ToolDefinition, ToolOffer } from '../tools/ports.ts';

/** The ports of a graph. It reads the gate's record and never writes it. */
export interface AgentPorts {
  readonly models: AgentModels;
  /** Who writes summaries of long conversations, until `stopping` is aborted; null leaves it at outlines. */
  readonly summaries: { readonly model: BaseChatModel; readonly stopping: AbortSignal } | null;
  readonly tools: AgentTools;
  readonly gate: AgentGate;
  readonly checkpoints: AgentCheckpoints;
  readonly prompt: AgentPrompt;
  readonly limits: AgentLimits;
  /** What is remembered of whoever asks here. Must not reject. @default nothing is remembered of anybody */
  readonly recall?: Recall;
  /** Hears of each run of a graph and what it consists of. @default nobody */
  readonly tracer?: BaseCallbackHandler;
}

/**
 * What an account's owner said of themselves before, to be told where they ask now, in this thread; null where there is nothing.
 * Or that nothing they say is remembered: they have turned that off, or it isn't done here.
 */
export type Recalled = JsonObject | 'turned_off' | 'not_here' | null;
type Recall = (account: Account, threadId: string) => Promise<Recalled>;

export interface AgentModels {
  readonly main: BaseChatModel;
  /** The model that chooses a request's tool types; null lets every request use all. */
  readonly router: BaseChatModel | null;
}

export interface AgentTools {
  /**
   * What this person's run is offered; without a person, what is open to anybody. At the start it waits for the servers that
   * are needed to be tried: all of them, unless it's said. `threadId`: the conversation, for graphs whose tools depend on it.
   */
  readonly offer: (
    person?: Actor,
    where?: { readonly isNeeded?: (server: string) => boolean; readonly threadId?: string },
  ) => Promise<ToolOffer>;
  readonly call: CallTool;
  /** Reads further in a tool's result that was too large for the conversation; null where nothing is kept. */
  readonly readKept: ReadKept | null;
  /** Reads an image of a tool's result, for a model that sees; null where it doesn't. */
  readonly readImage: ReadImage | null;
  /** Who shares their own results with everybody in a thread. */
  readonly shares: Pick<ResultShares, 'sharing' | 'noteWithheld'>;
}

/** Reads an image that is kept beside its call's record; null when there is none. */
export type ReadImage = (
  threadId: string,
  kept: { readonly name: string; readonly size: number },
) => Promise<Buffer | null>;

/** Reads characters `from` to `from + length` of a thread's kept result; null when there is none. */
export type ReadKept = (
  threadId: string,
  kept: { readonly name: string },
  from: number,
  length: number,
) => Promise<string | null>;

export interface AgentGate {
  /** Whether each call of one answer, in its order, needs approval now: the policy or its session asks, and no grant covers it. */
  readonly planApprovals: (from: {
    readonly threadId: string;
    readonly runId: string;
    readonly requester: Actor;
  }) => (call: ProposedCall) => Promise<boolean>;
  /** Why this call would end before anybody is asked about it, as a sentence; null where it wouldn't. */
  readonly refusal: (
    from: { readonly threadId: string; readonly runId: string; readonly requester: Actor },
    call: ProposedCall,
  ) => string | null;
  /**
   * The records of these calls in a thread, in order; null for those without one. `fence` is the run's, for calls that its
   * worker has sent.
   */
  readonly getCalls: (
    threadId: string,
    callIds: readonly string[],
    fence?: RunContext['fence'],
  ) => Promise<readonly (CallRecord | null)[]>;
}

export interface AgentCheckpoints {
  readonly saver: BaseCheckpointSaver;
  /**
   * Whether commits under a thread's lease carry its checkpoints, so that a run need not write each by itself.
   * @default false
   */
  readonly areCarried?: boolean;
  /** Makes the saver refuse writes under a lower fencing token from now on. */
  readonly claim: (threadId: string, token: number) => Promise<void>;
}

/** What the operator declares of each model of a team. */
export interface TeamModel {
  /** The operator's instructions for it, besides those for every conversation; may be empty. */
  readonly prompt: string;
  /** Its own model; null: that of all. */
  readonly model: BaseChatModel | null;
}

/** One agent of a team, as the operator declares it. */
export interface TeamAgent extends TeamModel {
  readonly name: string;
  /** What it does, and what it's for, for the master's model. */
  readonly description: string;
  readonly capabilities: readonly string[];
  readonly useCases: readonly string[];
  /** The only tools that it has, as globs of `server.tool`. */
  readonly tools: readonly string[];
  /** How long a stretch of its work may take, in milliseconds; null: as long as it takes. */
  readonly timeoutMs: number | null;
  /** How often its task is begun again when it failed for a reason that passes. */
  readonly retries: number;
  /** The tool by which it gets its task, where it's another program: `server` and `name`; null for one of ours. */
  readonly via: Pick<ToolDefinition, 'server' | 'name'> | null;
}

/** The work of agents that are other programs. */
export interface ForeignWork {
  /**
   * A task, and what those brought that it needs; null where there is no such task any more. `isOwn`: some of that is for
   * its requester alone.
   */
  readonly readTask: (task: Task) => Promise<{
    readonly task: TeamTask;
    readonly needed: readonly AgentOutput[];
    readonly isOwn: boolean;
  } | null>;
  /** What its call brought, which has succeeded. */
  readonly readAnswer: (call: CallRecord) => ForeignAnswer;
}

/** A team, as its graph needs it. */
export interface AgentTeam {
  readonly agents: readonly TeamAgent[];
  /** Who plans, and who words the answer. */
  readonly master: TeamModel;
  readonly composer: TeamModel;
  /** What became of the tasks of a plan for this message; `isOwn`: some of it is for who wrote it alone. */
  readonly outputs: (
    message: { readonly threadId: string; readonly itemId: string },
    plan: TeamPlan,
  ) => Promise<{ readonly outputs: readonly AgentOutput[]; readonly isOwn: boolean }>;
}

/** The mail that a conversation is about. */
export interface ThreadMail {
  /** The server of the mailbox that it came to. */
  readonly server: string;
  /** The mail's id there. */
  readonly messageId: string;
  /** That of the conversation which the mail is in, there. */
  readonly conversationId: string;
  /** The server by which meetings are looked up and added. */
  readonly calendar: string;
  /** Whose mailbox it is: only their runs deal with it. */
  readonly owner: Actor;
}

/** What became of the earlier mails of a conversation that were left for one that is answered. */
interface EarlierMails {
  readonly marked: number;
  readonly stay: number;
}

/** What the graph of mailboxes needs to know. */
export interface AgentInbox {
  /** The mail that a thread is about; null where there is none, or its mailbox is gone. */
  readonly mailOf: (threadId: string) => Promise<ThreadMail | null>;
  /** What is known of how the owner of a thread's mailbox wants mail answered. Must not reject. */
  readonly recall: Recall;
  /** Hears what people decided of the graph's calls, perhaps more than once. Must not reject. */
  readonly decided: (calls: readonly CallRecord[]) => Promise<void>;
  /**
   * Hears that this mail of a thread is marked as read, and to whom replies to it were sent, perhaps more than once. Gives how many
   * of the earlier mails that were left for it are marked as read with it, and how many stay. Must not reject.
   */
  readonly marked: (
    threadId: string,
    messageId: string,
    how: { readonly repliedTo: readonly string[] },
  ) => Promise<EarlierMails>;
  /**
   * Hears that the work in a thread has ended and left its mail unread, perhaps more than once. Gives how many earlier mails, which
   * were left for it, stay with it. Must not reject.
   */
  readonly left: (threadId: string) => Promise<number>;
}

interface AgentPrompt {
  readonly clock: Clock;
  /** The IANA zone for "tomorrow" when the person's isn't known. */
  readonly timeZone: string;
  /** The operator's instructions for every conversation; may be empty. */
  readonly instructions: string;
}

interface AgentLimits {
  /** The most supersteps of a run before it is stopped. */
  readonly maxSteps: number;
  /** The most tools that one step of the model is offered, with the built-in ones. */
  readonly maxTools: number;
  /** The most calls that the model may make in one answer; the others are refused. */
  readonly maxCalls: number;
  /** The most tokens of one request to the model, with its answer. */
  readonly contextTokens: number;
}
