import { App, type AuthorizeResult, type Receiver } from '@slack/bolt';
import { ErrorCode } from '@slack/web-api';
import { z } from 'zod';
import { ConfigError } from '../../lib/errors.ts';
import { START, tokenProblem } from '../texts/client.ts';
import { createApiClient } from './api-access.ts';
import { type Downloaded, type DownloadOptions, download } from './download.ts';
import type { CallLimits } from './limited-client.ts';
import { type HttpReceiver, httpReceiver, type ReceiverOptions } from './receiver.ts';
import { type SlackLog, sdkLogger } from './sdk-logger.ts';
import { SocketReceiver } from './socket-receiver.ts';

/** The timeout of one call to Slack, in milliseconds. */
const API_TIMEOUT_MS = 10_000;

export interface BoltOptions {
  readonly botToken: string;
  readonly mode:
    | { readonly kind: 'socket'; readonly appToken: string }
    | { readonly kind: 'http'; readonly signingSecret: string }
    /** Only shows things; another process listens. */
    | { readonly kind: 'none' };
  /** The address of Slack's API; null for Slack's own. */
  readonly apiUrl: string | null;
  readonly limits: CallLimits;
  readonly log: SlackLog;
}

/** A receiver that receives nothing: without one, Bolt would listen by itself. */
const DEAF: Receiver = {
  init: () => undefined,
  start: async () => undefined,
  stop: async () => undefined,
};

/**
 * Slack's client, and the Bolt app with its receiver. Nothing is sent or received before the app is started.
 * @param account the app's own user and bot; throws before they're known
 */
export function createBolt(
  { botToken, mode, apiUrl, limits, log }: BoltOptions,
  {
    account,
    ...receiving
  }: Omit<ReceiverOptions, 'log'> & { readonly account: () => Pick<AuthorizeResult, 'botUserId' | 'botId'> },
) {
  let socket: SocketReceiver | null = null;
  let http: HttpReceiver | null = null;
  if (mode.kind === 'socket') {
    socket = new SocketReceiver({ ...receiving, appToken: mode.appToken, apiUrl, log });
  } else if (mode.kind === 'http') {
    http = httpReceiver({ ...receiving, signingSecret: mode.signingSecret, log });
  }
  const app = new App({
    // With a token, Bolt would ask Slack by a client of its own who that is. Each event gets its own object: Bolt adds to it.
    authorize: async () => ({ botToken, ...account() }),
    receiver: socket ?? http ?? DEAF,
    // What people said before would be looked up for each event; nothing here asks for it.
    convoStore: false,
    deferInitialization: true,
    logger: sdkLogger(log),
  });
  const client = createApiClient(botToken, { apiUrl, timeoutMs: API_TIMEOUT_MS, log }, limits);
  return {
    ...client,
    app,
    socket,
    http,
    download: (file: Downloaded, options: DownloadOptions) =>
      download(file, { token: botToken, apiUrl, ...options }),
  };
}

const slackErrorSchema = z.object({
  code: z.string(),
  data: z.object({ error: z.string() }).optional(),
});

/** The reason why Slack didn't let us start, naming the variable to check: that of the token it was asked with. */
export function startError(error: unknown, token: Parameters<typeof tokenProblem>[1]): unknown {
  const parsed = slackErrorSchema.safeParse(error);
  if (!parsed.success) return error;
  const refusal = parsed.data.data?.error;
  if (parsed.data.code === ErrorCode.PlatformError && refusal !== undefined) {
    const { what, mend } = tokenProblem(refusal, token);
    return new ConfigError(`${what} ${mend}`, error);
  }
  return new ConfigError(START.unreachable, error);
}
