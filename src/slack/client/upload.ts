import { AppError } from '../../lib/errors.ts';

/** How long the upload of one file may take, in milliseconds. */
const UPLOAD_MS = 60_000;

/** Slack did not take what a file is made of; the file is not posted. */
export class UploadError extends AppError {
  /** Of Slack's answer; null when there was none. */
  readonly status: number | null;
  /** How long Slack wants to be left alone, in milliseconds; null where it does not say. */
  readonly retryAfterMs: number | null;

  constructor(answer: Response | null, cause?: unknown) {
    const status = answer?.status ?? null;
    super({
      code: status === null ? 'upload_unanswered' : `upload_http_${status}`,
      userMessage: 'Slack did not take a file that a tool answered with; it was not posted.',
      cause,
    });
    this.status = status;
    this.retryAfterMs = secondsIn(answer?.headers.get('retry-after') ?? '');
  }
}

/**
 * Sends what a file is made of to the address that Slack gave for it.
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
