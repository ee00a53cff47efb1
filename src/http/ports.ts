import type { Gate } from '../gate/index.ts';
import type { Actor, PersonIdentity, ValidateArguments } from '../gate/types.ts';
import type { Clock, Ids } from '../lib/clock.ts';
import type { Logger } from '../lib/logger.ts';
import type { SignInOrigin, SignInPages } from '../oauth/ports.ts';
import type { DecisionSheet } from '../presentation/decision-sheet.ts';
import type { Runs } from '../runs/index.ts';
import type { Store } from '../storage/store.ts';
import type { ApiKeys } from './api/keys.ts';
import type { ThreadFeed } from './threads/feed.ts';
import type { SignIn } from './web/session/sessions.ts';

/** Whether a part of the house can do its work; `detail` is for operators and holds no secret. */
export type Check = () => CheckResult | Promise<CheckResult>;
export interface CheckResult {
  readonly ok: boolean;
  readonly detail: string;
}

/** A route that another module answers, with its own way to know who asks. */
export interface Mount {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly handle: (request: Request) => Promise<Response>;
}

/** What every process says of itself, whoever it works for. */
export interface HealthPorts {
  readonly store: Store;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Logger;
  /** What `/readyz` asks besides the store and the drain, by name. */
  readonly checks: Readonly<Record<string, Check>>;
}

/** What the pages for people need. */
export interface WebPorts {
  readonly signIn: SignIn;
  /** Where browsers reach this program, without a slash at the end. */
  readonly publicUrl: () => string;
  /** Whether two actors are one person. */
  readonly samePerson: PersonIdentity['samePerson'];
  /** A Slack user as the gate knows them. */
  readonly actor: (user: string) => Promise<Actor>;
  /** What people see of a call; null when there is none. */
  readonly sheet: (callKey: string) => Promise<DecisionSheet | null>;
}

export interface HttpPorts extends HealthPorts {
  readonly gate: Gate;
  readonly runs: Runs;
  readonly keys: ApiKeys;
  readonly feed: ThreadFeed;
  readonly validateArguments: ValidateArguments;
  readonly mounts: readonly Mount[];
  /** How people sign in to servers. */
  readonly signIns: SignInPages;
  /** Null where people cannot sign in. */
  readonly web: WebPorts | null;
  readonly wayBack: WayBack;
}

/** The address in Slack of what somebody came from; null where they did not come from there. */
export type WayBack = (from: SignInOrigin) => Promise<string | null>;
