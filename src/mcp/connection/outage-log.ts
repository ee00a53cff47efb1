import { formatDuration } from '../../lib/duration.ts';
import type { Logger } from '../../lib/logger.ts';

/** While a server stays down, this is said again so often, in milliseconds. */
const REMINDER_MS = 3_600_000;
/** Digits are process ids, ports and times as often as not: they make no other reason. */
const DIGITS = /\d+/g;
const SECOND = 1_000;
const MINUTE = 60_000;
const HOUR = 3_600_000;
/** A connection that did not last so long ends no spell, in milliseconds. */
const CALM_MS = 60_000;

interface Spell {
  readonly since: number;
  /** When it was connected again; null while it is not. */
  connectedAt: number | null;
  wasConnected: boolean;
  /** When it was last said to whoever reads warnings. */
  saidAt: number;
  /** The reasons that were. */
  readonly said: Set<string>;
}

export interface OutageLog {
  /** An attempt has failed, or the connection was lost. */
  down(reason: string): void;
  connected(tools: number): void;
  /** The server is reached, and waits for somebody to sign in. */
  answered(): void;
}

/**
 * Says once for each spell, and for each new reason, that a server is down; what comes of each further attempt is
 * logged at `debug`, with a reminder each hour. A server that ends again as soon as it is connected has one spell.
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

  /** One that has been connected for a while since is over. */
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
      // Of one that does not last, it is said once, as that it is down.
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
