import { formatDuration } from '../../lib/duration.ts';
import type { Logger } from '../../lib/logger.ts';

/** Interval of reminders while a server stays down, in milliseconds. */
const REMINDER_MS = 3_600_000;
/** Digits are mostly process ids, ports and times, so they're ignored when reasons are compared. */
const DIGITS = /\d+/g;
const SECOND = 1_000;
const MINUTE = 60_000;
const HOUR = 3_600_000;
/** A connection must last this long, in milliseconds, to end an outage. */
const CALM_MS = 60_000;

interface Outage {
  readonly since: number;
  /** When the server was connected again; null while it isn't. */
  connectedAt: number | null;
  wasConnected: boolean;
  /** When the outage was last logged as a warning. */
  loggedAt: number;
  /** The reasons logged so far. */
  readonly loggedReasons: Set<string>;
}

interface OutageLog {
  /** An attempt failed or the connection was lost. */
  down(reason: string): void;
  connected(tools: number): void;
  /** The server responds and requires a sign-in. */
  answered(): void;
}

/**
 * Logs that a server is down once per outage and per new reason. Further attempts are logged at `debug`, with
 * a warning each hour as a reminder. A server that ends as soon as it's connected has one outage, not many.
 */
export function createOutageLog({
  server,
  logger,
  clock = Date.now,
}: {
  readonly server: string;
  readonly logger: Logger;
  readonly clock?: () => number;
}): OutageLog {
  let outage: Outage | null = null;

  /** Ends the outage if the server has been connected for long enough. */
  function endAfterCalm(now: number): void {
    if (outage !== null && outage.connectedAt !== null && now - outage.connectedAt >= CALM_MS) outage = null;
  }

  return {
    down(reason) {
      const now = clock();
      const kind = reason.replace(DIGITS, '#');
      endAfterCalm(now);
      outage ??= {
        since: now,
        connectedAt: null,
        wasConnected: false,
        loggedAt: now,
        loggedReasons: new Set(),
      };
      outage.connectedAt = null;
      if (now - outage.loggedAt >= REMINDER_MS) outage.loggedReasons.clear();
      if (outage.loggedReasons.has(kind)) return logger.debug({ server, reason }, 'server is still down');
      const isFirst = now === outage.since && outage.loggedReasons.size === 0;
      outage.loggedReasons.add(kind);
      outage.loggedAt = now;
      logger.warn({ server, reason }, isFirst ? 'server is down' : 'server is still down');
    },
    connected(tools) {
      const now = clock();
      endAfterCalm(now);
      if (outage === null) return logger.info({ server, tools }, 'server connected');
      const message = `server connected again after ${roughly(now - outage.since)}`;
      // A connection that doesn't last is only logged as down.
      const isFirst = !outage.wasConnected;
      [outage.connectedAt, outage.wasConnected] = [now, true];
      logger[isFirst ? 'info' : 'debug']({ server, tools }, message);
    },
    answered() {
      outage = null;
    },
  };
}

function roughly(ms: number): string {
  const unit = ms < 2 * MINUTE ? SECOND : ms < 2 * HOUR ? MINUTE : HOUR;
  return formatDuration(Math.max(1, Math.round(ms / unit)) * unit);
}
