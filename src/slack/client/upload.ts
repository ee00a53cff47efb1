import type { WebClient } from '@slack/web-api';
import { z } from 'zod';
import { AppError } from '../../lib/errors.ts';
import { UPLOAD_FAILED } from '../texts/client.ts';

/** How long the upload of one file may take, in milliseconds. */
const UPLOAD_MS = 60_000;

/** Slack didn't accept a file's content; the file isn't posted. */
export class UploadError extends AppError {
  /** The status of Slack's answer; null when there was none. */
  readonly status: number | null;
  /** Slack's Retry-After in milliseconds; null where it gives none. */
  readonly retryAfterMs: number | null;

  constructor(answer: Response | null, cause?: unknown) {
    const status = answer?.status ?? null;
    super({
      code: status === null ? 'upload_unanswered' : `upload_http_${status}`,
      userMessage: UPLOAD_FAILED,
      cause,
    });
    this.status = status;
    this.retryAfterMs = secondsIn(answer?.headers.get('retry-after') ?? '');
  }
}

const uploadSchema = z.object({ upload_url: z.url(), file_id: z.string() });

/** Asks Slack where a file's content goes, and for the id that the file then has. */
export async function requestUpload(
  client: WebClient,
  { name, content }: { readonly name: string; readonly content: Buffer },
): Promise<{ readonly id: string; readonly url: string }> {
  const given = await client.files.getUploadURLExternal({ filename: name, length: content.length });
  const { upload_url: url, file_id: id } = uploadSchema.parse(given);
  return { id, url };
}

/**
 * Uploads a file's content to the address that Slack gave for it.
 * @throws UploadError
 */
export async function upload(url: string, content: Buffer): Promise<void> {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/octet-stream' },
    body: new Uint8Array(content),
    signal: AbortSignal.timeout(UPLOAD_MS),
  }).catch((error: unknown) => {
    throw new UploadError(null, error);
  });
  if (!answer.ok) throw new UploadError(answer);
}

function secondsIn(header: string): number | null {
  return /^\d{1,6}$/.test(header) ? Number(header) * 1_000 : null;
}
