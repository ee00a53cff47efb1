import { z } from 'zod';
import { DOCUMENT_KINDS } from '../../knowledge/ports.ts';
import { toOneLine } from '../../lib/unicode.ts';

/** The largest file that is fetched, in bytes: the most that is learned. */
export const MOST_BYTES = 50 * 1024 * 1024;
/** The longest name of a document, in characters. */
const NAME_LENGTH = 200;

/**
 * A file as messages and `files.info` have it (docs.slack.dev/reference/objects/file-object). In channels that organisations
 * share, a message has its id alone, and `files.info` the rest (docs.slack.dev/reference/events/message/file_share).
 */
export const slackFileSchema = z.object({
  id: z.string(),
  name: z.string().nullish(),
  title: z.string().nullish(),
  filetype: z.string().nullish(),
  mode: z.string().nullish(),
  /** Whether it's kept so that people can change its content in Slack, as a snippet. */
  editable: z.boolean().nullish(),
  file_access: z.string().nullish(),
  is_external: z.boolean().nullish(),
  size: z.number().nullish(),
  permalink: z.string().nullish(),
  url_private: z.string().nullish(),
  url_private_download: z.string().nullish(),
});
export type SlackFile = z.infer<typeof slackFileSchema>;

/** Why a file of a message isn't fetched. */
export type FileProblem = 'kind' | 'external' | 'hidden' | 'gone' | 'too_large';

/** The ends of names that Slack's types of files have. */
const ENDS: Readonly<Record<string, keyof typeof DOCUMENT_KINDS>> = {
  pdf: '.pdf',
  docx: '.docx',
  xlsx: '.xlsx',
  pptx: '.pptx',
  csv: '.csv',
  html: '.html',
  markdown: '.md',
  text: '.txt',
};

/** The file's name, as a document's: by it one knows its kind, which Slack may know where the name doesn't say. */
export function nameFile({ id, name, title, filetype }: SlackFile): string {
  const given = toOneLine(name || title || id);
  const end = isKnownKind(given) ? '' : (ENDS[filetype ?? ''] ?? '');
  if (given.length + end.length <= NAME_LENGTH) return given + end;
  const last = end || /\.\w{1,8}$/.exec(given)?.[0] || '';
  return `${given.slice(0, NAME_LENGTH - last.length - 1).toWellFormed()}…${last}`;
}

function isKnownKind(name: string): boolean {
  const lower = name.toLowerCase();
  return Object.keys(DOCUMENT_KINDS).some((end) => lower.endsWith(end));
}

/** Why a file isn't fetched, as far as Slack says; null where it is to be. */
export function problemWith(file: SlackFile): FileProblem | null {
  if (file.mode === 'tombstone') return 'gone';
  if (file.mode === 'hidden_by_limit') return 'hidden';
  if (file.mode === 'external' || file.is_external === true) return 'external';
  // Only `files.info` says more.
  if (isUnknownYet(file)) return null;
  if (!isKnownKind(nameFile(file))) return 'kind';
  return (file.size ?? 0) > MOST_BYTES ? 'too_large' : null;
}

/** Whether a message says nothing of the file but its id. */
export function isUnknownYet({ file_access, mode }: SlackFile): boolean {
  return file_access === 'check_file_info' || mode === 'file_access';
}
