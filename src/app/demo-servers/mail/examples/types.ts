import type { NewMail } from '../store.ts';

/** When the examples name times, in words: a day's name and date. */
export interface ExampleDays {
  /** The second working day from today. */
  readonly soon: string;
  /** The one after that. */
  readonly later: string;
}

/** A mail that is there to try a mailbox on. */
export interface ExampleMail {
  readonly from: string;
  /** @default Ana alone */
  readonly to?: readonly string[];
  readonly cc?: readonly string[];
  readonly replyTo?: string;
  readonly subject: string;
  readonly text?: string;
  readonly html?: string;
  readonly hoursAgo: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** By which others name it. */
  readonly mailId?: string;
  /** The one that it answers. */
  readonly inReplyTo?: string;
  readonly attachments?: readonly { readonly filename: string; readonly content: string }[];
  /** @default inbox */
  readonly folder?: NewMail['folder'];
}
