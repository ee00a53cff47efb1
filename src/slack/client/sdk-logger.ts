import { format } from 'node:util';
import { type Logger, LogLevel } from '@slack/bolt';

export interface SlackLog {
  error(details: object, message: string): void;
  warn(details: object, message: string): void;
  info(details: object, message: string): void;
  debug(details: object, message: string): void;
}

/** Our log as a logger for Slack's packages; their info is our debug. */
export function sdkLogger(log: SlackLog): Logger {
  return {
    debug: () => undefined,
    info: (...parts: unknown[]) => log.debug({}, format(...parts)),
    warn: (...parts: unknown[]) => log.warn({}, format(...parts)),
    error: (...parts: unknown[]) => log.error({}, format(...parts)),
    setLevel: () => undefined,
    getLevel: () => LogLevel.INFO,
    setName: () => undefined,
  };
}
