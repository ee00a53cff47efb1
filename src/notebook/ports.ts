import type { Actor } from '../gate/types.ts';

/** A file of a notebook: the page itself, or what a result has beside its text, such as a plot. */
export interface NotebookFile {
  /** Unique in its notebook; the page refers to files by it. */
  readonly name: string;
  readonly title: string;
  readonly content: Buffer;
}

/** A conversation as a page of a lab notebook. */
export interface Notebook {
  readonly title: string;
  /** Markdown. */
  readonly page: NotebookFile;
  readonly files: readonly NotebookFile[];
  /** What differs from the audit, as sentences; none where all is as it says. */
  readonly problems: readonly string[];
}

export interface Notebooks {
  /**
   * Writes a conversation's notebook, one at a time in this process, and records in the audit who had it written, once per
   * page. Null where there is no such conversation. Whether they may read it is for the caller to say.
   *
   * @param options.by who wants it.
   * @param options.reader who alone reads it: the results that are theirs alone are in it. Null: others read it, too.
   * @throws AppError `notebook_too_long`, or `notebook_changing` while the conversation goes on faster than it's read.
   */
  write(
    threadId: string,
    options: { readonly by: Actor; readonly reader: Actor | null },
  ): Promise<Notebook | null>;
  /**
   * Reads a file by its name on the page that others than one person read; null where there is none.
   * @throws AppError `notebook_too_long`
   */
  file(threadId: string, name: string): Promise<NotebookFile | null>;
  /** Whether somebody wrote something in a conversation, or did something in it that wasn't refused to them. */
  tookPart(threadId: string, person: Actor): Promise<boolean>;
  /** Whether everything that was written and asked for in a conversation is this person's. */
  isOwn(threadId: string, person: Actor): Promise<boolean>;
}
