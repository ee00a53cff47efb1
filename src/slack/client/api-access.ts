import type { WebAPICallResult, WebClient } from '@slack/web-api';
import { createPeriodic } from '../../lib/periodic.ts';
import { accessProblem } from '../texts/client.ts';
import { classifyFailure, MEND_MS } from './api-errors.ts';
import { type CallLimits, LimitedClient } from './limited-client.ts';
import type { SlackLog } from './sdk-logger.ts';
import type { SlackClientOptions } from './slack-client.ts';

/** Whether Slack accepts the app's bot token, from its answers to calls and its events. */
export class ApiAccess {
  readonly #log: SlackLog;
  #problem: string | null = null;

  constructor(log: SlackLog) {
    this.#log = log;
  }

  /** Why Slack refuses the app, and what to do, in sentences for operators; null while it doesn't. */
  problem(): string | null {
    return this.#problem;
  }

  /** Notes that Slack refuses the app; `error` is Slack's name for the reason, or the event that said so. */
  refused(error: string): void {
    const problem = accessProblem(error);
    if (this.#problem === problem) return;
    this.#problem = problem;
    this.#log.error({ error }, problem);
  }

  accepted(): void {
    if (this.#problem === null) return;
    this.#problem = null;
    this.#log.info({}, 'Slack accepts the app again');
  }
}

/** A client whose every call says whether Slack accepts the app. */
class WatchedClient extends LimitedClient {
  readonly #access: ApiAccess;

  constructor(token: string, options: SlackClientOptions, limits: CallLimits, access: ApiAccess) {
    super(token, options, limits);
    this.#access = access;
  }

  override async apiCall(...call: Parameters<WebClient['apiCall']>): Promise<WebAPICallResult> {
    try {
      const result = await super.apiCall(...call);
      this.#access.accepted();
      return result;
    } catch (error) {
      const failure = classifyFailure(error);
      if (failure.kind === 'locked_out') this.#access.refused(failure.name);
      throw error;
    }
  }
}

/**
 * The Web API client, and what it knows of the app's access. `recheck` asks Slack once a minute while it
 * refuses the app: nothing else may be calling it.
 */
export function createApiClient(token: string, options: SlackClientOptions, limits: CallLimits) {
  const access = new ApiAccess(options.log);
  const client: WebClient = new WatchedClient(token, options, limits, access);
  const recheck = createPeriodic({
    name: 'access check',
    everyMs: MEND_MS,
    run: async () => {
      if (access.problem() !== null) await client.auth.test();
    },
  });
  return { client, access, recheck };
}
