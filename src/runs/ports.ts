import type { Actor, CallRecord, Progress, ProposedCall } from '../gate/types.ts';
import type { Fence } from '../storage/lease/types.ts';
import type { MailboxItem } from './collections.ts';

/** What brings a run about: a message, the end of the request it waits on, or a restart. */
export type RunInput =
  | { readonly kind: 'message'; readonly itemId: string; readonly text: string }
  | { readonly kind: 'resume'; readonly interruptId: string }
  | { readonly kind: 'continue' };

export interface RunContext {
  readonly threadId: string;
  readonly runId: string;
  readonly requester: Actor;
  readonly fence: Fence;
  readonly signal: AbortSignal;
  readonly emit: (event: LiveEvent) => void;
}

/** What the graph waits for: the calls of one assistant message that people must decide or answer. */
export interface Interrupt {
  readonly interruptId: string;
  readonly calls: readonly ProposedCall[];
}

export interface AgentState {
  readonly interrupt: Interrupt | null;
  /** The graph has steps left to do, and waits for nobody. */
  readonly unfinished: boolean;
  /** The final answer of the last finished run; null when it ended without one. */
  readonly response: string | null;
  /** Whether the message of this mailbox item has entered the conversation. */
  readonly knows: (itemId: string) => boolean;
}

/** One graph, as the worker sees it: it proposes and collects, and never acts by itself. */
export interface Agent {
  /** Runs until the next pause or the end; resolves with what came of it, or null when {@link inspect} must tell. */
  run(input: RunInput, context: RunContext): Promise<AgentState | null>;
  /** @param requester whose run it is, for what is offered to them alone; null when nobody's is under way. */
  inspect(threadId: string, requester: Actor | null): Promise<AgentState>;
  /** Ends a run that cannot go on: every open `call_id` gets its ToolMessage, the thread stays usable. */
  abandon(threadId: string, reason: string, fence: Fence): Promise<void>;
  /** The thread was taken over from a worker that may not know yet: nothing of its is written any more. */
  claim(threadId: string, fence: Fence): Promise<void>;
}

/** The graphs that this process can run. */
export interface Agents {
  /** The agent of a thread's graph; null where this process does not have that graph. */
  for(thread: { readonly graph: string }): Agent | null;
}

/** Sends one decided call through the gate; ends when it has an outcome, or waits for a person. */
export type Dispatch = (call: CallRecord, context: RunContext) => Promise<void>;

/** Told while it happens, in this process, and kept nowhere: status lines, tokens, progress. */
export type LiveEvent =
  | { readonly type: 'status'; readonly text: string }
  | { readonly type: 'token'; readonly text: string }
  /** The text streamed so far was not the answer: calls follow. */
  | { readonly type: 'interim' }
  | {
      readonly type: 'tool_progress';
      readonly callId: string;
      /** The tool's, for people. */
      readonly title?: string;
      readonly progress: Progress;
    };

/** What happened to a message; the writes that tell of it land with it. */
export type RunEvent =
  | { readonly type: 'started'; readonly item: MailboxItem }
  | { readonly type: 'held'; readonly item: MailboxItem; readonly requestId: string }
  | { readonly type: 'answered'; readonly item: MailboxItem }
  | { readonly type: 'failed'; readonly item: MailboxItem }
  | { readonly type: 'cancelled'; readonly item: MailboxItem };

/** Tells workers, here or elsewhere, that a thread has something to do. Losing one loses nothing. */
export interface WakeUps {
  wake(threadId: string): void;
  subscribe(handler: (threadId: string) => void): void;
}
