/** The texts of what connects the inbox to its mail servers. */

export const CANNOT_MARK = (server: string) =>
  `${server} can’t mark mails as read now, so nothing was done. Try again in a moment.`;

export const MAY_NOT_MARK = (server: string) =>
  `Nothing was done: here, mails of ${server} may not be marked as read. An admin can change that.`;

/** Of the path at which it comes. */
export const pushSummary = (server: string) => `That there is something new, from the service of ${server}`;
