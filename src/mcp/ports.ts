import type { Actor } from '../gate/types.ts';
import type { ToolDefinition } from '../tools/ports.ts';

export interface ServerStatus {
  readonly name: string;
  readonly transport: 'stdio' | 'http' | 'in_process';
  /**
   * `connecting`: at the first attempt, and at the first one after a connection was lost; what failed then is `down`.
   * `sign_in_required`: everybody connects to it for themselves. `setup_required`: nobody can yet, because settings
   * are missing. `idle`: nobody has used it for a while; a call connects it, and `toolCount` is of its last list.
   */
  readonly state: 'connecting' | 'up' | 'idle' | 'down' | 'sign_in_required' | 'setup_required';
  /** For people: why it is down, or what is missing. */
  readonly error: string | null;
  readonly toolCount: number;
}

/** The tools of all connected servers. */
export interface ToolHub {
  /** Connects every configured server; one that fails is `down`, and is tried again later. */
  start(): Promise<void>;
  stop(): Promise<void>;
  /**
   * The tools that a person is offered, names unique: those of the servers that are up and, of those that everybody
   * signs in to, what is listed for them. Who has not signed in, and nobody in particular, gets outlines of what
   * anybody saw there: names and kinds of arguments, in no words of the server's.
   */
  tools(person?: Actor): Promise<readonly ToolDefinition[]>;
  status(): readonly ServerStatus[];
}

/** A tool that waits for a review. */
export interface HeldTool {
  readonly name: string;
  /** Of the definition that waits. */
  readonly hash: string;
  /** Nothing of this name was ever reviewed. */
  readonly isNew: boolean;
  /** Which it is of several definitions of the tool that wait, such as `1 of 2`; left out where it is the only one. */
  readonly variant?: string;
  /** What is different, line by line, or all of a new one; with what nobody would see written out. */
  readonly changes: readonly string[];
}

/** What waits for a review at one server. */
export interface HeldTools {
  readonly server: string;
  readonly tools: readonly HeldTool[];
}

/** What admins do about tools that wait for a review. */
export interface ReviewTools {
  held(): Promise<readonly HeldTools[]>;
  /**
   * Accepts definitions that wait, by their hashes, so that nothing is accepted that was not shown; returns the
   * names of their tools.
   * @throws AppError `nothing_to_review` when none of them waits any more.
   */
  accept(server: string, hashes: readonly string[], by: Actor): Promise<readonly string[]>;
}
