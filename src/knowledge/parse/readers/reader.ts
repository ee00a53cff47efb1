import type { ParsedDocument, ParseProblem } from '../../ports.ts';

interface ReadOptions {
  readonly maxPages: number;
  readonly onProgress: (done: number, all: number) => void;
}

/** Reads one kind of file. Throws whatever its library throws when the file is broken, or an {@link Unreadable}. */
export type Reader = (content: Buffer, options: ReadOptions) => ParsedDocument | Promise<ParsedDocument>;

/** A file that can't be read, and why, if it's not that it is broken. */
export class Unreadable extends Error {
  override readonly name = 'Unreadable';
  readonly problem: ParseProblem;

  constructor(problem: ParseProblem) {
    super(problem);
    this.problem = problem;
  }
}
