import type { Actor, CallRecord, PersonIdentity } from '../../gate/types.ts';
import type { SignInOrigin } from '../../oauth/ports.ts';
import type { DecisionSheet, PlanSheet } from '../../presentation/decision-sheet.ts';
import type { SignIn } from './session/sessions.ts';

/** What the pages for people need. */
export interface WebPorts {
  readonly signIn: SignIn;
  /** Whether a sign-in by a link is enough for a call of a rule with `decide_on: web`: where people can't sign in with Slack. */
  readonly isLinkEnough: boolean;
  /** Where browsers reach this program, without a slash at the end. */
  readonly publicUrl: () => string;
  /** Whether two actors are one person. */
  readonly samePerson: PersonIdentity['samePerson'];
  /** A Slack user as the gate knows them. */
  readonly actor: (user: string) => Promise<Actor>;
  /** Has this called whenever something has happened at the gate of this process. Returns how to stop that. */
  readonly onChange: (listener: () => void) => () => void;
  /** What this reader sees of a call; null when there is none. */
  readonly sheet: (callKey: string, reader: Actor) => Promise<DecisionSheet | null>;
  /** The same of several calls that were read already, in order. */
  readonly sheets: (calls: readonly CallRecord[], reader: Actor) => Promise<readonly DecisionSheet[]>;
  /** What this reader sees of a plan, whose steps they may all see; null for a request that is none. */
  readonly plan: (requestId: string, reader: Actor) => Promise<PlanSheet | null>;
  /** What heads each of these calls for this reader, by its key: its sentence, and which step of a plan it is. */
  readonly headlines: (calls: readonly CallRecord[], reader: Actor) => Promise<ReadonlyMap<string, string>>;
  /** Where a thread is, as people know it; null where that isn't known. */
  readonly place: (threadId: string) => Promise<string | null>;
}

/** The address in Slack of what somebody came from; null where they did not come from there. */
export type WayBack = (from: SignInOrigin) => Promise<string | null>;
