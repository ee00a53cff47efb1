/** Most attachments that are listed of a mail; any of them can be read by its id. */
const MOST_LISTED = 20;

/** The first attachments of a mail, and how many more there are: a sender can attach thousands. */
export function limitAttachments<Attachment>(all: readonly Attachment[]) {
  const attachments = all.slice(0, MOST_LISTED);
  return { attachments, attachments_left_out: all.length - attachments.length };
}
