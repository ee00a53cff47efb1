import { format } from 'node:util';
import { type Logger, LogLevel } from '@slack/bolt';

export interface SlackLog {
  error(details: object, message: string): void;
  warn(details: object, message: string): void;
  info(details: object, message: string): void;
  debug(details: object, message: string): void;
}

/** Our log, as Slack's packages write to one; what is news to them is a detail to us. */
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
