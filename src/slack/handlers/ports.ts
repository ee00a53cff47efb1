import type { WebClient } from '@slack/web-api';
import type { Gate } from '../../gate/index.ts';
import type { Clock } from '../../gate/ports.ts';
import type { ServerStatus, ToolDefinition } from '../../mcp/types.ts';
import type { Runs } from '../../runs/index.ts';
import type { Directory } from '../directory.ts';
import type { Views } from '../views.ts';

export interface HandlerPorts {
  readonly client: WebClient;
  readonly gate: Gate;
  readonly runs: Runs;
  readonly views: Views;
  readonly directory: Directory;
  readonly clock: Clock;
  readonly servers: () => readonly ServerStatus[];
  readonly tools: () => Promise<readonly ToolDefinition[]>;
  /** The bot's own user, known once Slack has accepted the token. */
  readonly bot: () => { readonly userId: string; readonly name: string };
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
