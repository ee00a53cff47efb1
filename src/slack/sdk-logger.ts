import { type Logger, LogLevel } from '@slack/bolt';

export interface SlackLog {
  error(details: object, message: string): void;
  warn(details: object, message: string): void;
  info(details: object, message: string): void;
  debug(details: object, message: string): void;
}

/** Our log, as Slack's packages write to one; what is news to them is a detail to us. */
export function sdkLogger(log: SlackLog): Logger {
  const words = (parts: readonly unknown[]) => parts.map(String).join(' ');
  return {
    debug: () => undefined,
    info: (...parts: unknown[]) => log.debug({}, words(parts)),
    warn: (...parts: unknown[]) => log.warn({}, words(parts)),
    error: (...parts: unknown[]) => log.error({}, words(parts)),
    setLevel: () => undefined,
    getLevel: () => LogLevel.INFO,
    setName: () => undefined,
  };
}
