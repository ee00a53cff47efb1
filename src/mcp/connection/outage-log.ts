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

interface Spell {
  readonly since: number;
  /** When the server was connected again; null while it isn't. */
  connectedAt: number | null;
  wasConnected: boolean;
  /** When the outage was last logged as a warning. */
  saidAt: number;
  /** The reasons logged so far. */
  readonly said: Set<string>;
}

export interface OutageLog {
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
  let spell: Spell | null = null;

  /** Ends the outage if the server has been connected for long enough. */
  function forgetSpellAt(now: number): void {
    if (spell !== null && spell.connectedAt !== null && now - spell.connectedAt >= CALM_MS) spell = null;
  }

  return {
    down(reason) {
      const now = clock();
      const kind = reason.replace(DIGITS, '#');
      forgetSpellAt(now);
      spell ??= { since: now, connectedAt: null, wasConnected: false, saidAt: now, said: new Set() };
      spell.connectedAt = null;
      if (now - spell.saidAt >= REMINDER_MS) spell.said.clear();
      if (spell.said.has(kind)) return logger.debug({ server, reason }, 'server is still down');
      const isFirst = now === spell.since && spell.said.size === 0;
      spell.said.add(kind);
      spell.saidAt = now;
      logger.warn({ server, reason }, isFirst ? 'server is down' : 'server is still down');
    },
    connected(tools) {
      const now = clock();
      forgetSpellAt(now);
      if (spell === null) return logger.info({ server, tools }, 'server connected');
      const words = `server connected again after ${roughly(now - spell.since)}`;
      // A connection that doesn't last is only logged as down.
      const isFirst = !spell.wasConnected;
      [spell.connectedAt, spell.wasConnected] = [now, true];
      logger[isFirst ? 'info' : 'debug']({ server, tools }, words);
    },
    answered() {
      spell = null;
    },
  };
}

function roughly(ms: number): string {
  const unit = ms < 2 * MINUTE ? SECOND : ms < 2 * HOUR ? MINUTE : HOUR;
  return formatDuration(Math.max(1, Math.round(ms / unit)) * unit);
}
