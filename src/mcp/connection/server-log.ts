import { type Client, LOG_LEVEL_META_KEY, type LoggingLevel } from '@modelcontextprotocol/client';
import { errorMessage } from '../../lib/errors.ts';
import { truncateDepth } from '../../lib/json.ts';
import type { Logger } from '../../lib/logger.ts';
import { escapeInvisible } from '../../lib/unicode.ts';
import type { ServerConfig } from '../config/schema.ts';
import { createSecretMask, type Mask } from '../config/secret-mask.ts';

/** Most lines logged in one burst; the rest is only counted. */
const MOST_LINES = 100;
const IN_MS = 10_000;
/** Longest line that is logged, in characters. */
const LONGEST = 2_000;

const OURS: Readonly<Record<LoggingLevel, keyof Logger>> = {
  debug: 'debug',
  info: 'info',
  notice: 'info',
  warning: 'warn',
  error: 'error',
  critical: 'error',
  alert: 'error',
  emergency: 'error',
};

/** Forwards a server's log messages to our log, under the server's name. They never reach a conversation. */
export function forwardServerLog(
  client: Client,
  {
    server,
    config,
    logger,
    clock = Date.now,
  }: { server: string; config: ServerConfig; logger: Logger; clock?: () => number },
): void {
  const mask = createSecretMask(config);
  let since = clock();
  let lines = 0;
  client.setNotificationHandler('notifications/message', ({ params }) => {
    if (clock() - since >= IN_MS) {
      if (lines > MOST_LINES) {
        logger.warn({ server, leftOut: lines - MOST_LINES }, 'server logs too much; lines were left out');
      }
      [since, lines] = [clock(), 0];
    }
    lines += 1;
    if (lines > MOST_LINES) return;
    const name = params.logger === undefined ? {} : { of: clipped(params.logger, mask) };
    logger[OURS[params.level]](
      { server, ...name, level: params.level, says: clipped(params.data, mask) },
      'server logs',
    );
  });
}

/** Sets a server's minimum log level (older revisions). If that fails, the server keeps its own. */
export async function setLogLevel(
  client: Client,
  level: LoggingLevel,
  {
    server,
    config,
    logger,
    timeoutMs,
  }: { server: string; config: ServerConfig; logger: Logger; timeoutMs: number },
): Promise<void> {
  if (client.getProtocolEra() === 'modern' || client.getServerCapabilities()?.logging === undefined) return;
  try {
    await client.setLoggingLevel(level, { timeout: timeoutMs });
  } catch (error) {
    logger.debug(
      { server, error: createSecretMask(config)(errorMessage(error)) },
      'failed to set the log level of a server',
    );
  }
}

/** The log level in a call's metadata (newest revision). These servers log per call only. */
export function logLevelMeta(client: Client, level: LoggingLevel | 'off'): Record<string, unknown> {
  if (level === 'off' || client.getProtocolEra() !== 'modern') return {};
  return { [LOG_LEVEL_META_KEY]: level };
}

/** What a server wrote, as a log may hold it: masked, with nothing invisible, and cut. */
export function clipped(data: unknown, mask: Mask): string {
  const text = mask(typeof data === 'string' ? data : (JSON.stringify(truncateDepth(data)) ?? ''));
  const shown = escapeInvisible(text.slice(0, LONGEST));
  return text.length > LONGEST ? `${shown}… (${text.length} characters)` : shown;
}
