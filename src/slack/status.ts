import type { WebClient } from '@slack/web-api';
import { messageOf } from '../errors.ts';
import type { ThreadRecord } from '../runs/records.ts';

/** Slack forgets a status after 2 minutes, so it is said again before, in milliseconds. */
const REFRESH_MS = 90_000;

interface Status {
  wanted: string;
  /** What Slack has been told last; null while that is not known. */
  told: string | null;
  /** A call to Slack is under way: the next waits for it, so that the last word is the newest. */
  telling: boolean;
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
    if (thread.surface.kind !== 'slack' || status.telling) return;
    const { channel, threadTs } = thread.surface;
    status.telling = true;
    while (status.told !== status.wanted) {
      const text = status.wanted;
      status.told = text;
      try {
        await client.assistant.threads.setStatus({ channel_id: channel, thread_ts: threadTs, status: text });
      } catch (error) {
        log.debug({ error: messageOf(error) }, 'a status was not taken by Slack');
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
      timer: setInterval(refresh, REFRESH_MS),
    };
    status.timer.unref();
    statuses.set(thread.threadId, status);
    return status;
  }

  return {
    /** Shows `text`, or nothing when it is empty. What Slack does not take is left out. */
    set(thread: ThreadRecord, text: string): void {
      const status = statuses.get(thread.threadId) ?? begin(thread);
      status.wanted = text;
      void tell(thread, status);
    },
    stop(): void {
      for (const { timer } of statuses.values()) clearInterval(timer);
    },
  };
}
