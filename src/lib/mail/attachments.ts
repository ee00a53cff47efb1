/** Most bytes of a file that is read: in one answer of Gmail's, by which they are a third more, there are at most 8 MB. */
export const MOST_ATTACHED_BYTES = 5_000_000;
/** The types of documents (iana.org/assignments/media-types), and the ends of their names. */
const DOCUMENTS = {
  'application/pdf': '.pdf',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': '.docx',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': '.xlsx',
  'application/vnd.openxmlformats-officedocument.presentationml.presentation': '.pptx',
} as const;

/** The end of a document's name, by its type, or else by its name, as programs that send mail don't know all types; null for others. */
export function documentEnd({ name, kind }: { readonly name: string; readonly kind: string }) {
  const all = Object.entries(DOCUMENTS);
  const found =
    all.find(([type]) => type === kind.toLowerCase()) ??
    all.find(([, end]) => name.toLowerCase().endsWith(end));
  return found?.[1] ?? null;
}

/** Most attachments that are listed of a mail; any of them can be read by its id. */
const MOST_LISTED = 20;

/** The first attachments of a mail, and how many more there are: a sender can attach thousands. */
export function limitAttachments<Attachment>(all: readonly Attachment[]) {
  const attachments = all.slice(0, MOST_LISTED);
  return { attachments, attachments_left_out: all.length - attachments.length };
}
