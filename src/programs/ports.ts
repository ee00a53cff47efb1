import type { Actor, CallRecord, Program } from '../gate/types.ts';
import type { SurfaceAddress } from '../runs/index.ts';

/** What the operator says of a program that asks the gate. */
interface ProgramSettings {
  /** What people call it. */
  readonly title: string;
  /** The Slack user who answers for it: its calls are theirs. */
  readonly person: string;
  /** The channel that its cards are posted in; null: the person's direct messages. */
  readonly channel: string | null;
  /** How long a call of it is held while it is told of progress, in milliseconds. */
  readonly holdMs: number;
  /** The tools that it may use, as globs of `server.tool`. */
  readonly tools: readonly string[];
}

/** The programs that the operator knows, by the names of their API keys. */
export type ProgramsSettings = Readonly<Record<string, ProgramSettings>>;

/** What the operator says of the programs that people connect by signing in. */
export type PersonalProgramsSettings = Pick<ProgramSettings, 'channel' | 'holdMs' | 'tools'>;

/** A program that a person has let in, to call tools as them. */
export interface ConnectedProgram {
  readonly id: string;
  /** As it calls itself, with the place that it's at. */
  readonly name: string;
  /** Milliseconds since the epoch. */
  readonly connectedAt: number;
}

/** The programs that people have let in. `person` is a Slack user. */
export interface ConnectedPrograms {
  /** Latest first. */
  list(person: string): Promise<readonly ConnectedProgram[]>;
  /** Takes one of theirs away: from then on it calls nothing. Does nothing if it isn't there, or another's. */
  end(person: string, id: string): Promise<void>;
}

/** How an API key stands; `unknown`: none of that name was made. */
export type KeyState = 'in_force' | 'revoked' | 'unknown';

/** A place for a program's calls on a surface. */
export interface CallPlace {
  /** Whose calls they are. */
  readonly requester: Actor;
  /** The id of the thread of one call. `name` holds no colon. */
  readonly threadId: (name: string) => string;
  readonly surface: SurfaceAddress;
}

/** Finds where calls of a person are shown; null while the surface isn't connected. */
export type FindPlace = (settings: Pick<ProgramSettings, 'person' | 'channel'>) => Promise<CallPlace | null>;

/** A program that has said who it is. */
export interface Caller {
  readonly program: Pick<Program, 'id' | 'name'>;
  readonly settings: ProgramSettings;
  /** Whether it may still hear of its calls, for one that waits for hours. */
  readonly isStillIn: () => Promise<boolean>;
}

/**
 * For whom a call waits, by name, and where people see it; null where it waits for nobody, or is shown nowhere. `reader`: who
 * is told, and sees no card in somebody else's direct messages; absent: its requester.
 */
export type Whereabouts = (
  call: CallRecord,
  reader?: Actor,
) => Promise<{ readonly waitingFor: string | null; readonly url: string | null }>;

/** A call with the name under which the same call finds it again. */
export interface Held {
  readonly key: string;
  readonly call: CallRecord;
  /** The session that asks, which may be another one of the program than the session that made the call. */
  readonly session: string;
  /** Whether this is the end of an earlier call, given to the same call because nothing shows that it was heard. */
  readonly hadEnded: boolean;
}
