import { pino, stdSerializers } from 'pino';
import { createStackReader } from './stack-traces.ts';

/** A log for operators; a pino logger fits. */
export interface Logger {
  debug(details: object, message: string): void;
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
  error(details: object, message: string): void;
}

/** The program's log, where stacks of errors name the sources. `to` is standard output by default. */
export function createLog(level: string, to?: { write(line: string): void }) {
  const readable = createStackReader();
  const err = stdSerializers.wrapErrorSerializer((error) => ({ ...error, stack: readable(error.stack) }));
  return pino({ level, serializers: { err } }, to);
}
