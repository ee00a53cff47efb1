import type { WebClient } from '@slack/web-api';
import { errorMessage } from '../../lib/errors.ts';
import type { ThreadRecord } from '../../runs/index.ts';
import { classifyFailure } from '../client/api-errors.ts';
import { parseSlackThreadId } from '../ids.ts';

/** Slack forgets a status after 2 minutes, so it is said again before, in milliseconds. */
const REFRESH_MS = 90_000;
/** How often progress is said at most, in milliseconds: people read no faster, and Slack counts every call. */
const PACE_MS = 1_500;

interface Status {
  wanted: string;
  /** What Slack has been told last; null while that is not known. */
  told: string | null;
  /** A call to Slack is under way: the next waits for it, so that the last word is the newest. */
  telling: boolean;
  /** Until then nothing is said that can wait, in milliseconds since the epoch. */
  quietUntil: number;
  /** What is said next unless something newer comes before. */
  soon: NodeJS.Timeout | undefined;
  timer: NodeJS.Timeout;
}

export interface StatusPorts {
  readonly client: WebClient;
  readonly log: { debug(details: object, message: string): void };
}

/** The line under a thread that says what the agent is doing; one call at a time for each thread. */
export function createStatusLine({ client, log }: StatusPorts) {
  const statuses = new Map<string, Status>();

  async function tell(thread: ThreadRecord, status: Status): Promise<void> {
    const place = parseSlackThreadId(thread.threadId);
    if (!place || status.telling) return;
    const { channel, threadTs } = place;
    status.telling = true;
    while (status.told !== status.wanted) {
      const text = status.wanted;
      status.told = text;
      try {
        await client.assistant.threads.setStatus({ channel_id: channel, thread_ts: threadTs, status: text });
      } catch (error) {
        const failure = classifyFailure(error);
        if (failure.name === 'ratelimited' && 'waitMs' in failure) {
          status.quietUntil = Date.now() + failure.waitMs;
        }
        log.debug({ error: errorMessage(error) }, 'a status was not taken by Slack');
      }
    }
    status.telling = false;
    if (status.wanted !== '') return;
    clearInterval(status.timer);
    statuses.delete(thread.threadId);
  }

  function begin(thread: ThreadRecord): Status {
    const refresh = () => {
      status.told = null;
      void tell(thread, status);
    };
    const status: Status = {
      wanted: '',
      told: null,
      telling: false,
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
    void tell(thread, status);
  }

  return {
    /** Shows `text`, or nothing when it is empty. What Slack does not take is left out. */
    set,
    /** As `set`, for what changes all the time: some of it is left out, and what came last is shown. */
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
