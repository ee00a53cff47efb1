import type { WebClient } from '@slack/web-api';
import { classifyFailure } from '../client/api-errors.ts';
import type { SlackThread } from '../ids.ts';

/**
 * The status of a thread: the agent works, people are waited for, or neither. `words` say what it is doing,
 * `title` names a session that begins.
 */
export type ThreadStatus =
  | { readonly state: 'processing'; readonly words: string; readonly title: string }
  | { readonly state: 'suspended' | 'active' };

export interface SessionPorts {
  readonly client: WebClient;
  readonly log: { debug(details: object, message: string): void };
}

/** How long a workspace without agent sessions isn't asked again, in milliseconds. */
const LACKING_MS = 3_600_000;
/** The errors of a workspace or app that has no agent sessions; others are about one thread. */
const LACKING = new Set([
  'unknown_method',
  'method_deprecated',
  'feature_disabled',
  'not_allowed',
  'not_allowed_token_type',
  'access_denied',
  'team_access_not_granted',
]);
/**
 * How often `processing` is repeated while it lasts, in milliseconds. Slack ends a session's by itself after a
 * time that isn't published (people report an hour), and a thread's status after 2 minutes:
 * https://docs.slack.dev/reference/methods/assistant.threads.setStatus
 */
const REPEAT_MS = { sessions: 1_200_000, threads: 90_000 };

/**
 * Sets the status of a thread: by its agent session, with Stop while it is processing
 * (https://docs.slack.dev/ai/agent-sessions), or by `assistant.threads.setStatus`, with words, where the
 * workspace lacks sessions.
 */
export class SessionApi {
  readonly #ports: SessionPorts;
  /** Until then, in milliseconds since the epoch, the workspace is known to lack sessions. */
  #lackingUntil = 0;

  constructor(ports: SessionPorts) {
    this.#ports = ports;
  }

  /** The method that sets a status now. */
  method(): 'agents.sessions.setStatus' | 'assistant.threads.setStatus' {
    return this.#hasSessions() ? 'agents.sessions.setStatus' : 'assistant.threads.setStatus';
  }

  /** How often `processing` is repeated while it lasts, in milliseconds. */
  repeatMs(): number {
    return this.#hasSessions() ? REPEAT_MS.sessions : REPEAT_MS.threads;
  }

  /** Whether a change from `sent` (null: unknown) would be seen. */
  differ(wanted: ThreadStatus, sent: ThreadStatus | null): boolean {
    if (this.#hasSessions()) return wanted.state !== sent?.state;
    return statusText(wanted) !== (sent === null ? '' : statusText(sent));
  }

  /**
   * Whether a message of the app ends a thread's status: its words, but not a session's state
   * (https://docs.slack.dev/reference/methods/assistant.threads.setStatus).
   */
  endsByMessages(): boolean {
    return !this.#hasSessions();
  }

  /** Sets the status. Rejects with Slack's error. */
  async set(place: SlackThread, status: ThreadStatus): Promise<void> {
    const { client, log } = this.#ports;
    const thread = { channel_id: place.channel, thread_ts: place.threadTs };
    if (this.#hasSessions()) {
      const title = status.state === 'processing' && status.title !== '' ? { title: status.title } : {};
      try {
        await client.agents.sessions.setStatus({ ...thread, status: status.state, ...title });
        return;
      } catch (error) {
        const { name } = classifyFailure(error);
        if (!LACKING.has(name)) throw error;
        this.#lackingUntil = Date.now() + LACKING_MS;
        log.debug({ error: name }, 'this workspace has no agent sessions');
      }
    }
    await client.assistant.threads.setStatus({ ...thread, status: statusText(status) });
  }

  #hasSessions(): boolean {
    return Date.now() >= this.#lackingUntil;
  }
}

function statusText(status: ThreadStatus): string {
  return status.state === 'processing' ? status.words : '';
}
