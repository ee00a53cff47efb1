import type { WebClient } from '@slack/web-api';
import type { Gate } from '../../gate/index.ts';
import type { ApproverRef, Evaluate } from '../../gate/types.ts';
import type { Clock } from '../../lib/clock.ts';
import type { ReviewTools, ServerStatus } from '../../mcp/ports.ts';
import type { PersonalConnections } from '../../oauth/ports.ts';
import type { ExamplesFor } from '../../presentation/example-prompts.ts';
import type { Runs } from '../../runs/index.ts';
import type { ToolDefinition } from '../../tools/ports.ts';
import type { Homes } from '../home/publisher.ts';
import type { Directory } from '../people/directory.ts';
import type { BotIdentity } from '../people/types.ts';
import type { Views } from '../views/call-views.ts';
import type { PermissionsView } from '../views/types.ts';

export type PolicyCall = Parameters<Evaluate>[0];

export interface HandlerPorts {
  readonly client: WebClient;
  readonly gate: Gate;
  readonly runs: Runs;
  readonly views: Views;
  readonly homes: Homes;
  readonly directory: Directory;
  readonly clock: Clock;
  /** What somebody has allowed in advance, and who decides in whose place. */
  readonly permissions: (actorId: string) => Promise<PermissionsView>;
  readonly reviews: ReviewTools;
  /** Whether somebody is an admin: named by the operator, or one of the workspace. */
  readonly isAdmin: (actorId: string) => Promise<boolean>;
  /** The policy's rules in words; with a call, which of them applies to it, and why. */
  readonly policy: (call: PolicyCall | null, nameOf: (ref: ApproverRef) => string) => readonly string[];
  /** Everybody whom the policy names. */
  readonly policyPeople: readonly ApproverRef[];
  readonly servers: () => readonly ServerStatus[];
  /** Tries the servers that are down now, without waiting for their turn. */
  readonly reconnect: () => Promise<void>;
  /** People's own connections to servers. */
  readonly connections: PersonalConnections;
  readonly tools: () => Promise<readonly ToolDefinition[]>;
  readonly examples: ExamplesFor;
  /** Where a call is decided on the web, for one person's eyes; null where signing in there is not set up. */
  readonly decideUrl: ((callKey: string) => string) | null;
  readonly bot: BotIdentity;
  /** Shows the call's card and what hangs on it as they are on record now. */
  readonly refresh: (callKey: string) => Promise<void>;
  /** A message is gone: if it was ours and people need it still, it is posted again. */
  readonly messageDeleted: (channel: string, ts: string) => Promise<void>;
  readonly log: {
    error(details: object, message: string): void;
    warn(details: object, message: string): void;
    info(details: object, message: string): void;
  };
}
