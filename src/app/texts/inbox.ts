/** The texts of what connects the inbox to its mail servers. */

import type { ParseProblem } from '../../knowledge/ports.ts';

export const CANNOT_MARK = (server: string) =>
  `${server} can’t mark mails as read now, so nothing was done. Try again in a moment.`;

export const MAY_NOT_MARK = (server: string) =>
  `Nothing was done: here, mails of ${server} may not be marked as read. An admin can change that.`;

/** Of the path at which it comes. */
export const pushSummary = (server: string) => `That there is something new, from the service of ${server}`;

/** Why an attachment isn't read, completing "it …". */
export const DOCUMENT_PROBLEMS: Readonly<Record<ParseProblem, string>> = {
  broken: 'is broken, or not what its name says',
  encrypted: 'is protected by a password',
  no_text: 'has no text that can be read, as a scan',
  too_large: 'is too large',
  too_much: 'unpacks to too much',
  too_many_pages: 'has too many pages',
  too_slow: 'takes too long to be read',
};
