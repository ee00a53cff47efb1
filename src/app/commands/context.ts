import { styleText } from 'node:util';
import { AppError } from '../../lib/errors.ts';

/** What a command has of the process that runs it. */
export interface CommandContext {
  /** The environment, with what `.env` adds to it. */
  readonly variables: Readonly<Record<string, string | undefined>>;
  /** Prints a line of the answer. */
  readonly print: (line: string) => void;
  /** Prints a line beside the answer, which may go into a file. */
  readonly tell: (line: string) => void;
}

/** Something in the command line is wrong; nothing was done. */
export class UsageError extends AppError {
  constructor(problem: string) {
    super({ code: 'bad_usage', userMessage: problem });
  }
}

type Style = Parameters<typeof styleText>[0];

/** Styles a text of stdout, where that is a terminal with colours; `NO_COLOR` and `FORCE_COLOR` count. */
export function paint(style: Style, text: string): string {
  return styleText(style, text, { stream: process.stdout });
}
