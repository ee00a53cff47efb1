import { styleText } from 'node:util';
import { z } from 'zod';

/** A line of the log, as pino writes it. */
const lineSchema = z.looseObject({
  level: z.number(),
  time: z.number(),
  msg: z.string().default(''),
  err: z.looseObject({ message: z.string().optional(), stack: z.string().optional() }).optional(),
});

/** pino's numbers of its levels. @see https://getpino.io/#/docs/api?id=loggerlevels-object */
const DEBUG = 20;
const WARN = 40;
const ERROR = 50;
/** The program prints a line of its own when a server's state changes, and that also says what to do. */
const SERVER_STATE = /^server (?:is (?:still )?down|connected|requires a sign-in)/;
/** Longest detail that is shown, in characters. */
const LONGEST = 300;

/** Where the log goes at a terminal: each event as a plain line. Stacks are shown from `debug` on. */
export function createTerminalLog(
  level: string,
  out: NodeJS.WritableStream = process.stdout,
): { write(line: string): void } {
  const showsStacks = level === 'debug' || level === 'trace';
  return {
    write(line) {
      const { level: severity, time, msg, err, ...more } = lineSchema.parse(JSON.parse(line));
      if (severity > DEBUG && SERVER_STATE.test(msg)) return;
      const details = Object.entries(more).filter(([name]) => name !== 'pid' && name !== 'hostname');
      const values = details.map(([name, value]) => `${name}: ${describeValue(value)}`).join(', ');
      const cause = (showsStacks ? err?.stack : firstLine(err?.message ?? '')) ?? '';
      const text = [
        msg,
        ...(values === '' ? [] : [` (${values})`]),
        ...(cause === '' || msg.includes(cause) ? [] : [`: ${cause}`]),
      ];
      out.write(`${describeTime(time)} ${describeSeverity(severity, out)}${text.join('')}\n`);
    },
  };
}

function describeValue(value: unknown): string {
  const text = firstLine(typeof value === 'string' ? value : JSON.stringify(value));
  return text.length > LONGEST ? `${text.slice(0, LONGEST - 1).toWellFormed()}…` : text;
}

function firstLine(text: string): string {
  return text.split('\n')[0] ?? '';
}

/** The time of day, where this machine is. */
function describeTime(time: number): string {
  return new Date(time).toLocaleTimeString('en-GB');
}

function describeSeverity(severity: number, stream: NodeJS.WritableStream): string {
  if (severity >= ERROR) return styleText('red', 'error: ', { stream });
  return severity >= WARN ? styleText('yellow', 'warning: ', { stream }) : '';
}
