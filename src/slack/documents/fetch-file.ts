import type { WebClient } from '@slack/web-api';
import { classifyFailure, readPlatformError } from '../client/api-errors.ts';
import type { Download, Downloaded, DownloadOptions, DownloadProblem } from '../client/download.ts';
import { type FileProblem, MOST_BYTES, nameFile, problemWith, slackFileSchema } from './slack-file.ts';

/** Why a file couldn't be fetched. `no_scope`: the app was installed without `files:read`; `no_room`: it has more bytes than may be. */
export type FetchProblem =
  | FileProblem
  | DownloadProblem
  | 'no_scope'
  | 'no_room'
  | 'web_refused'
  | 'web_nothing';

export type Fetched =
  | { readonly ok: true; readonly name: string; readonly link: string | null; readonly content: Buffer }
  | { readonly ok: false; readonly problem: FetchProblem };

interface FetchFile {
  /** Fetches a file from Slack, by its id, unless Slack says that it has more bytes than this. Never rejects. */
  fetch(fileId: string, maxBytes: number, signal: AbortSignal): Promise<Fetched>;
  /** Whether people can change its content in Slack. Rejects where Slack can't say. */
  isEditable(fileId: string): Promise<boolean>;
  /** Whether Slack says that it was deleted; null where it can't say now. Never rejects. */
  isDeleted(fileId: string): Promise<boolean | null>;
}

interface FetchPorts {
  readonly client: Pick<WebClient, 'files'>;
  /** Downloads at most so many bytes from an address of Slack's. */
  readonly download: (file: Downloaded, options: DownloadOptions) => Promise<Download>;
  /** Which of these scopes the app was installed without. */
  readonly missingScopes: (needed: readonly string[]) => readonly string[];
}

/** Asks Slack what the file is now, since a message says that of when it was written, or nothing, and downloads it. */
export function createFetchFile({ client, download, missingScopes }: FetchPorts): FetchFile {
  const ask = async (fileId: string) =>
    slackFileSchema.parse((await client.files.info({ file: fileId })).file);
  return {
    async fetch(fileId, maxBytes, signal) {
      if (missingScopes(['files:read']).length > 0) return { ok: false, problem: 'no_scope' };
      try {
        const file = await ask(fileId);
        const problem = problemWith(file);
        if (problem !== null) return { ok: false, problem };
        if ((file.size ?? 0) > maxBytes) return { ok: false, problem: 'no_room' };
        const url = file.url_private_download || file.url_private || '';
        const fetched = await download({ url, size: file.size ?? null }, { maxBytes: MOST_BYTES, signal });
        if (!fetched.ok) return fetched;
        return { ok: true, name: nameFile(file), link: file.permalink ?? null, content: fetched.content };
      } catch (error) {
        return { ok: false, problem: toProblem(error) };
      }
    },
    async isEditable(fileId) {
      try {
        return (await ask(fileId)).editable === true;
      } catch (error) {
        // What Slack doesn't show can't be learned anew, and what it can't show now is told again.
        if (toProblem(error) === 'passing') throw error;
        return false;
      }
    },
    async isDeleted(fileId) {
      try {
        return (await ask(fileId)).mode === 'tombstone';
      } catch (error) {
        // `file_not_found` is also of what the app may not see (docs.slack.dev/reference/methods/files.info).
        if (readPlatformError(error) === 'file_deleted') return true;
        return toProblem(error) === 'passing' ? null : false;
      }
    },
  };
}

function toProblem(error: unknown): FetchProblem {
  const failure = classifyFailure(error);
  if ('waitMs' in failure) return 'passing';
  if (failure.name === 'missing_scope') return 'no_scope';
  return failure.name === 'file_not_found' || failure.name === 'file_deleted' ? 'gone' : 'no_access';
}
