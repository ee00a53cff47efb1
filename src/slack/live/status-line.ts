import type { WebClient } from '@slack/web-api';
import { errorMessage } from '../../lib/errors.ts';
import type { ThreadRecord } from '../../runs/index.ts';
import { classifyFailure } from '../client/api-errors.ts';
import { parseSlackThreadId } from '../ids.ts';

/** How often a status is repeated, in milliseconds: Slack drops it after 2 minutes. */
const REFRESH_MS = 90_000;
/**
 * The shortest time between progress updates, in milliseconds: people read no faster, and Slack counts every
 * call.
 */
const PACE_MS = 1_500;

interface Status {
  wanted: string;
  /** The last status sent to Slack; null while that isn't known. */
  sent: string | null;
  /** A call to Slack is in flight; the next one waits for it, so that the newest status wins. */
  sending: boolean;
  /** Until then, in milliseconds since the epoch, updates that can wait are held back. */
  quietUntil: number;
  /** The next update, unless a newer one replaces it. */
  soon: NodeJS.Timeout | undefined;
  timer: NodeJS.Timeout;
}

interface StatusPorts {
  readonly client: WebClient;
  readonly log: { debug(details: object, message: string): void };
}

/** The status line under a thread, which shows what the agent is doing; one call at a time per thread. */
export function createStatusLine({ client, log }: StatusPorts) {
  const statuses = new Map<string, Status>();

  async function send(thread: ThreadRecord, status: Status): Promise<void> {
    const place = parseSlackThreadId(thread.threadId);
    if (!place || status.sending) return;
    const { channel, threadTs } = place;
    status.sending = true;
    while (status.sent !== status.wanted) {
      const text = status.wanted;
      status.sent = text;
      try {
        await client.assistant.threads.setStatus({ channel_id: channel, thread_ts: threadTs, status: text });
      } catch (error) {
        const failure = classifyFailure(error);
        if (failure.name === 'ratelimited' && 'waitMs' in failure) {
          status.quietUntil = Date.now() + failure.waitMs;
        }
        log.debug({ error: errorMessage(error) }, 'failed to set a status');
      }
    }
    status.sending = false;
    if (status.wanted !== '') return;
    clearInterval(status.timer);
    statuses.delete(thread.threadId);
  }

  function begin(thread: ThreadRecord): Status {
    const refresh = () => {
      status.sent = null;
      void send(thread, status);
    };
    const status: Status = {
      wanted: '',
      sent: null,
      sending: false,
      quietUntil: 0,
      soon: undefined,
      timer: setInterval(refresh, REFRESH_MS),
    };
    status.timer.unref();
    statuses.set(thread.threadId, status);
    return status;
  }

  function set(thread: ThreadRecord, text: string): void {
    const status = statuses.get(thread.threadId) ?? begin(thread);
    clearTimeout(status.soon);
    status.wanted = text;
    void send(thread, status);
  }

  return {
    /** Shows `text`, or clears the status when it is empty. Failures are ignored. */
    set,
    /** As `set`, for frequent changes: some are skipped, and the last one is shown. */
    setSoon(thread: ThreadRecord, text: string): void {
      const status = statuses.get(thread.threadId) ?? begin(thread);
      clearTimeout(status.soon);
      const show = () => {
        status.quietUntil = Date.now() + PACE_MS;
        set(thread, text);
      };
      const waitMs = status.quietUntil - Date.now();
      if (waitMs <= 0) show();
      else status.soon = setTimeout(show, waitMs).unref();
    },
    stop(): void {
      for (const { timer, soon } of statuses.values()) {
        clearInterval(timer);
        clearTimeout(soon);
      }
    },
  };
}
