/** The texts of what connects the inbox to its mail servers. */

export const CANNOT_MARK = (server: string) =>
  `${server} can’t mark mails as read now, so nothing was done. Try again in a moment.`;
