import type { Client, McpSubscription } from '@modelcontextprotocol/client';
import { backoff } from '../../lib/backoff.ts';
import { errorMessage } from '../../lib/errors.ts';
import type { Logger } from '../../lib/logger.ts';
import type { Schedule } from '../../lib/schedule.ts';

/** Backoff for reopening a stream that ended. */
const PAUSES = { firstMs: 1_000, longestMs: 60_000 };
/** A stream that lasted this long, in milliseconds, resets the backoff: proxies cut silent streams. */
const CALM_MS = 10_000;

interface ChangeWatchOptions {
  readonly server: string;
  readonly logger: Logger;
  readonly schedule: Schedule;
  /** How long the server has to acknowledge the subscription, in milliseconds. */
  readonly timeoutMs: number;
  /** Called when changes may have been missed up to now. */
  readonly onMissed: () => void;
  readonly clock?: () => number;
}

export interface ChangeWatch {
  /** Whether a change announced now would be received; also true for a server that announces none. */
  isHearing(): boolean;
  end(): void;
}

/**
 * Keeps open the stream on which a server of revision 2026-07-28 announces changes of its tools. The SDK
 * opens it once, with the connection, and never again. Older revisions announce changes on the connection
 * itself.
 */
export function watchToolListChanges(client: Client, options: ChangeWatchOptions): ChangeWatch {
  const { server, logger, schedule, onMissed, clock = Date.now } = options;
  const isOffered =
    client.getProtocolEra() === 'modern' && client.getServerCapabilities()?.tools?.listChanged === true;
  let isHearing = !isOffered;
  let isOver = false;
  let isLogged = false;
  let attempts = 0;
  let cancel = () => {};

  function follow(subscription: McpSubscription): void {
    if (subscription.honoredFilter.toolsListChanged !== true) {
      void subscription.close();
      retryLater('The server does not agree to announce them.');
      return;
    }
    isHearing = true;
    isLogged = false;
    const since = clock();
    void subscription.closed.then(() => {
      isHearing = false;
      if (clock() - since >= CALM_MS) attempts = 0;
      retryLater(null);
    });
  }

  function retryLater(problem: string | null): void {
    if (isOver) return;
    if (problem !== null && !isLogged) {
      isLogged = true;
      logger.warn({ server, reason: problem }, 'tool list changes are not announced');
    }
    attempts += 1;
    cancel = schedule(() => void listen(), backoff(attempts, PAUSES));
  }

  async function listen(): Promise<void> {
    try {
      follow(await client.listen({ toolsListChanged: true }, { timeout: options.timeoutMs }));
    } catch (error) {
      retryLater(errorMessage(error));
    }
    if (!isOver) onMissed();
  }

  if (isOffered && client.autoOpenedSubscription) follow(client.autoOpenedSubscription);
  else if (isOffered) retryLater('The stream for them could not be opened.');

  return {
    isHearing: () => isHearing,
    end() {
      isOver = true;
      cancel();
    },
  };
}
