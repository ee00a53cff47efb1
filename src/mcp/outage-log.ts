import { lengthInWords } from '../gate/policy-duration.ts';
import type { Logger } from './types.ts';

/** While a server stays down, this is said again so often, in milliseconds. */
const REMINDER_MS = 3_600_000;
/** Digits are process ids, ports and times as often as not: they make no other reason. */
const DIGITS = /\d+/g;
const SECOND = 1_000;
const MINUTE = 60_000;
const HOUR = 3_600_000;

interface Spell {
  readonly since: number;
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
 * logged at `debug`, with a reminder each hour.
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
  return {
    down(reason) {
      const now = clock();
      const kind = reason.replace(DIGITS, '#');
      spell ??= { since: now, saidAt: now, said: new Set() };
      if (now - spell.saidAt >= REMINDER_MS) spell.said.clear();
      if (spell.said.has(kind)) return logger.debug({ server, reason }, 'server is still down');
      const isFirst = now === spell.since && spell.said.size === 0;
      spell.said.add(kind);
      spell.saidAt = now;
      logger.warn({ server, reason }, isFirst ? 'server is down' : 'server is still down');
    },
    connected(tools) {
      const again = spell === null ? '' : ` again after ${roughly(clock() - spell.since)}`;
      spell = null;
      logger.info({ server, tools }, `server connected${again}`);
    },
    answered() {
      spell = null;
    },
  };
}

function roughly(ms: number): string {
  const unit = ms < 2 * MINUTE ? SECOND : ms < 2 * HOUR ? MINUTE : HOUR;
  return lengthInWords(Math.max(1, Math.round(ms / unit)) * unit);
}
