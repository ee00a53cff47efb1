import type {
  Actor,
  CallRecord,
  GateEvent,
  LaterSteps,
  Plan,
  Progress,
  ProposedCall,
  Task,
} from '../gate/types.ts';
import type { JsonObject } from '../lib/json.ts';
import type { Span } from '../lib/telemetry/tracing.ts';
import type { Fence } from '../storage/lease/types.ts';
import type { Stored } from '../storage/store.ts';
import type { Account, TokenUse } from '../tools/ports.ts';
import type { MailboxItem, ThreadRecord } from './collections.ts';

/** What starts or resumes a run: a message, the end of its request, or a restart. */
export type RunInput =
  | {
      readonly kind: 'message';
      readonly itemId: string;
      readonly text: string;
      /** What comes beside the text, as data: nothing that the sender said. */
      readonly data?: JsonObject;
      /** The conversation that it's said beside, for a thread that has none of its own yet. */
      readonly besides?: Besides;
    }
  | { readonly kind: 'resume'; readonly interruptId: string }
  | { readonly kind: 'continue' };

/** A thread whose conversation another one begins with, and what was said beside it and hasn't joined it yet. */
interface Besides {
  readonly threadId: string;
  readonly ended: readonly Side[];
}

/** A thread that answers a message beside another, and the message's id in it. */
export interface Side {
  readonly threadId: string;
  readonly itemId: string;
}

/** The run that a graph or a call works for. */
export interface RunContext {
  readonly threadId: string;
  readonly runId: string;
  readonly requester: Actor;
  readonly account: Account;
  /**
   * The task of a team's plan that it works on.
   * @default none
   */
  readonly task?: Task;
  /** The tokens of the model that the account may use. */
  readonly tokens: {
    /** Throws AppError `limit_reached`, for people, if none are left today. */
    readonly assertLeft: () => Promise<void>;
    /** @default model main */
    readonly spend: (tokens: TokenUse, model?: 'main' | 'router') => void;
  };
  readonly fence: Fence;
  /** Throws FencedError if another worker may have the thread: asked right before a call is sent. */
  readonly confirmLease: () => Promise<void>;
  readonly signal: AbortSignal;
  readonly emit: (event: LiveEvent) => void;
  /**
   * Waits for something outside, such as a tool or the model, without holding a worker slot meanwhile. A graph
   * waits for one such thing at a time.
   */
  readonly whileWaiting: <T>(wait: () => Promise<T>) => Promise<T>;
  /** The run's own place in its trace. */
  readonly trace: Span;
}

/** What the graph waits for: the calls of one assistant message that people must decide or answer. */
interface Interrupt {
  readonly interruptId: string;
  readonly calls: readonly ProposedCall[];
  /** All calls of that message that aren't done, in its order. */
  readonly answer: readonly ProposedCall[];
  /** The beginning of what the model wrote beside them; null if it wrote nothing. */
  readonly said: string | null;
  /**
   * The plan whose steps they are, in order.
   * @default null
   */
  readonly plan?: Plan | null;
  /**
   * What became of the later steps of the run's earlier plans, with these calls.
   * @default []
   */
  readonly continues?: readonly LaterSteps[];
}

/** One task of a team's plan. */
export interface TeamTask {
  /** Its name in the plan, by which others need it. */
  readonly taskId: string;
  /** Which agent of the team works on it, by its name in the configuration. */
  readonly agent: string;
  /** What is to be done, in words for the agent and for people. */
  readonly task: string;
  /** What the request names that the task is about, such as dates, people and measures. */
  readonly entities: JsonObject;
  /** The tasks that must have ended before it begins. */
  readonly needs: readonly string[];
  /** How often it's begun again when it failed for a reason that passes. */
  readonly retries: number;
  /**
   * Whether the agent is another program, whose own output is the task's.
   * @default false
   */
  readonly isForeign?: boolean | undefined;
}

/** What a team does about one message: tasks, which begin as soon as those that they need have ended. */
export interface TeamPlan {
  /** What is wanted, and how it's gone about, in one or two sentences. */
  readonly analysis: string;
  readonly tasks: readonly TeamTask[];
}

/**
 * What became of a task, for those that need it and for the answer: the form in which agents of other makers give theirs,
 * too.
 */
export interface AgentOutput {
  readonly agent_id: string;
  readonly agent_name: string;
  /** The task, and what people who decided wanted instead of a part of it, or besides. */
  readonly task_description: string;
  /** Whether all of it was done. */
  readonly task_done: boolean;
  /** Everything, where it was done. */
  readonly data: JsonObject;
  /** As far as it came, where it wasn't. */
  readonly partial_data: JsonObject;
  /** Why it wasn't done, as a word or sentence; null where it was. */
  readonly error: string | null;
  /** What people who decided wanted instead, or besides, in a sentence each. */
  readonly changed: readonly string[];
  /** The calls that weren't done, each with why. */
  readonly not_done: readonly JsonObject[];
  /** Between 0 and 1; null where the agent says nothing of it. */
  readonly confidence_score: number | null;
  readonly depends_on: readonly string[];
  readonly resource_usage: { readonly time_taken_ms: number; readonly api_calls_made: number };
  readonly metadata: { readonly sources: readonly OutputSource[] };
}

/** The answer of an agent that is another program, in words; or what is wrong with it. */
export type ForeignAnswer =
  | { readonly words: string; readonly problem: null }
  | { readonly words: null; readonly problem: string };

/** Where something in an output is from. */
export interface OutputSource {
  /** What it is, such as a file's name. */
  readonly source: string;
  /** Where in it: a page, a section, lines. */
  readonly place?: string;
  readonly url?: string;
}

/** How often a server was read from, without asking anybody. */
export interface ReadFrom {
  readonly server: string;
  /** What each call read one of, such as `file`, as its tool's name says; null where that isn't known. */
  readonly what: string | null;
  readonly calls: number;
  readonly callIds: readonly string[];
}

/** Where a thread's graph stands. */
export interface AgentState {
  readonly interrupt: Interrupt | null;
  /**
   * The plan whose tasks the graph waits for.
   * @default null
   */
  readonly team?: { readonly interruptId: string; readonly plan: TeamPlan } | null;
  /** The graph has steps left, and waits for nobody. */
  readonly unfinished: boolean;
  /** The final answer of the last finished run; null if it ended without one. */
  readonly response: string | null;
  /** What the last run has read so far, by server. */
  readonly read: readonly ReadFrom[];
  /** What became of the later steps of the last run's plans. */
  readonly plans: readonly LaterSteps[];
  /** Whether this mailbox item's message is in the conversation. */
  readonly knows: (itemId: string) => boolean;
}

/** One graph, as the worker sees it: it proposes calls and collects outcomes, and never acts itself. */
export interface Agent {
  /**
   * Runs until the next pause or the end. Returns the new state, or null if only {@link inspect} knows it.
   */
  run(input: RunInput, context: RunContext): Promise<AgentState | null>;
  /**
   * Reads the state of a thread's graph, under its lease.
   * @param requester whose run it is, for tools offered to them alone; null if no run is active.
   */
  inspect(threadId: string, requester: Actor | null, fence: Fence): Promise<AgentState>;
  /**
   * Abandons a run that can't continue: every open `call_id` gets its ToolMessage, and the thread stays
   * usable.
   */
  abandon(threadId: string, reason: string, fence: Fence): Promise<void>;
  /** Adds to a thread that rests what was said beside it. Once more changes nothing. */
  join(threadId: string, side: Side, fence: Fence): Promise<void>;
  /** Claims a thread from a worker that may not know yet: nothing it writes counts any more. */
  claim(threadId: string, fence: Fence): Promise<void>;
}

/** The agents that a conversation can be with, the first unless another is chosen. */
export const AGENT_NAMES = ['assistant', 'planner', 'team'] as const;
export type AgentName = (typeof AGENT_NAMES)[number];

/** The graphs that this process can run, by the names that threads record. */
export type Agents = ReadonlyMap<string, Agent>;

/** Sends one decided call through the gate; ends when it has an outcome, or waits for a person. */
export type Dispatch = (call: CallRecord, context: RunContext) => Promise<void>;

/** Reads what the calls are about, for their cards, as far as a few seconds allow; gives the calls, with why some can't be made. */
export type LookUp = (
  calls: readonly ProposedCall[],
  context: RunContext,
) => Promise<readonly ProposedCall[]>;

/** An event while a run works, in this process only and never stored: status lines, tokens, progress. */
export type LiveEvent =
  | { readonly type: 'status'; readonly text: string }
  /** Nothing runs any more, perhaps because people have to decide first. */
  | { readonly type: 'idle'; readonly waitsForPeople: boolean }
  | { readonly type: 'token'; readonly text: string }
  /** The text streamed so far wasn't the answer: calls follow. */
  | { readonly type: 'interim' }
  /** A call that needs nobody runs, or has ended. */
  | {
      readonly type: 'step';
      readonly stepId: string;
      /** What it does, for people. */
      readonly text: string;
      readonly state: 'running' | 'done' | 'failed';
    }
  | {
      readonly type: 'tool_progress';
      readonly callId: string;
      /** The tool's title, for people. */
      readonly title?: string;
      readonly progress: Progress;
    };

/** What happened to a message; the writes that announce it are in its commit. */
export type RunEvent =
  | { readonly type: 'started'; readonly item: MailboxItem }
  | { readonly type: 'held'; readonly item: MailboxItem }
  /** `output`: of a message that gave an agent of a team its task, what became of that. */
  | { readonly type: 'answered'; readonly item: MailboxItem; readonly output?: AgentOutput }
  | { readonly type: 'failed'; readonly item: MailboxItem }
  | { readonly type: 'cancelled'; readonly item: MailboxItem }
  /** Tasks of the team that works on it have begun. Of the end of each, its own message tells. */
  | {
      readonly type: 'tasks';
      readonly item: MailboxItem;
      /** The plan, with the first of them. */
      readonly plan: TeamPlan | null;
      readonly begun: readonly TeamTask[];
      /** Those that never begin: what they need brought nothing. */
      readonly notBegun: readonly TeamTask[];
    };

/** A message that was received; the commit that has it marked its thread. */
export interface Received {
  readonly type: 'received';
  readonly thread: ThreadRecord;
  readonly item: Stored<MailboxItem>;
  /** Whether it began the thread, so that there is nothing else in it. */
  readonly isFirst: boolean;
}

/** What a commit changed in a thread. */
export type ThreadChange = GateEvent | Received;

/** Wakes workers when a thread has work to do. Losing a wake-up loses nothing. */
export interface WakeUps {
  /**
   * Wakes this process if it works on threads, and else one that does. `change`: all that was committed, for a worker
   * that knows the rest.
   */
  wake(threadId: string, change?: ThreadChange): void;
  /** Wakes one of the processes that work on threads, preferably another: this one has no place for it. */
  offer(threadId: string): void;
  subscribe(handler: WakeHandler): void;
}

export type WakeHandler = (threadId: string, change?: ThreadChange) => void;
