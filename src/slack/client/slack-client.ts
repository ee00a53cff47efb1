import {
  type WebAPICallResult,
  WebAPIHTTPError,
  WebAPIPlatformError,
  WebAPIRateLimitedError,
  WebAPIRequestError,
  WebClient,
} from '@slack/web-api';
import { z } from 'zod';
import { errorMessage } from '../../lib/errors.ts';
import { createPostForm, type PostForm } from './post-form.ts';
import { type SlackLog, sdkLogger } from './sdk-logger.ts';

export interface SlackClientOptions {
  /** The address of Slack's API; null for Slack's own. */
  readonly apiUrl: string | null;
  /** The timeout of one call, in milliseconds. */
  readonly timeoutMs: number;
  readonly log: SlackLog;
  /** How forms are sent. @default over HTTP */
  readonly post?: PostForm;
}

const metadataSchema = z.object({
  next_cursor: z.string().exactOptional(),
  warnings: z.array(z.string()).exactOptional(),
  messages: z.array(z.string()).exactOptional(),
});
const response_metadata = metadataSchema.default({}).catch({});
const resultSchema = z.discriminatedUnion('ok', [
  z.looseObject({ ok: z.literal(true), error: z.string().exactOptional(), response_metadata }),
  z.looseObject({ ok: z.literal(false), error: z.string(), response_metadata }),
]);

/**
 * Slack's client with the methods, arguments and errors of `WebClient`, at a fraction of its CPU: `WebClient` redacts and
 * serialises each body and answer for debug logs, and goes through `fetch`
 * (docs/decisions/0054-calls-to-slack-go-over-undici.md). Each call is sent once. Arguments are text, numbers, booleans, or
 * what JSON can say; files are sent by `upload.ts`. Errors hold no header and no page: they may hold the token.
 * @throws WebAPIPlatformError where Slack says no
 * @throws WebAPIRateLimitedError where Slack says how long to wait
 * @throws WebAPIHTTPError for any other status than 200
 * @throws WebAPIRequestError where there's no answer, or one that isn't Slack's
 */
export class SlackClient extends WebClient {
  readonly #timeoutMs: number;
  readonly #log: SlackLog;
  readonly #post: PostForm;
  readonly #base: URL;
  readonly #headers: Readonly<Record<string, string>>;

  constructor(token: string, { apiUrl, timeoutMs, log, post = createPostForm() }: SlackClientOptions) {
    super(token, { logger: sdkLogger(log), ...(apiUrl === null ? {} : { slackApiUrl: apiUrl }) });
    this.#timeoutMs = timeoutMs;
    this.#log = log;
    this.#post = post;
    this.#base = new URL(this.slackApiUrl);
    this.#headers = {
      authorization: `Bearer ${token}`,
      accept: 'application/json',
      'user-agent': 'countersign',
    };
  }

  override async apiCall(method: string, args: Record<string, unknown> = {}): Promise<WebAPICallResult> {
    const { status, headers, text } = await this.#send(method, args);
    if (status === 429) throw limitedError(headers['retry-after']);
    if (status !== 200) throw new WebAPIHTTPError(status, '', {});
    const result = readResult(text);
    const { warnings = [], messages = [] } = result.response_metadata;
    const remarks = [...warnings, ...messages];
    if (remarks.length > 0) this.#log.warn({ method, remarks }, 'Slack remarks on a call');
    if (!result.ok) throw new WebAPIPlatformError(result);
    const scopes = headers['x-oauth-scopes'];
    if (typeof scopes !== 'string') return result;
    return {
      ...result,
      response_metadata: { ...result.response_metadata, scopes: scopes.trim().split(/\s*,\s*/) },
    };
  }

  async #send(method: string, args: Record<string, unknown>): ReturnType<PostForm> {
    try {
      return await this.#post({
        origin: this.#base.origin,
        path: this.#base.pathname + method,
        headers: this.#headers,
        form: toForm(args),
        timeoutMs: this.#timeoutMs,
      });
    } catch (error) {
      throw new WebAPIRequestError(error instanceof Error ? error : new Error(errorMessage(error)));
    }
  }
}

/** What isn't text is JSON. Arguments without a value aren't sent. */
function toForm(args: Record<string, unknown>): Record<string, string> {
  const form: Record<string, string> = {};
  for (const [name, value] of Object.entries(args)) {
    if (value !== undefined && value !== null)
      form[name] = typeof value === 'string' ? value : JSON.stringify(value);
  }
  return form;
}

/** A 429 that doesn't say for how long, such as a proxy's, is like any other failure. */
function limitedError(retryAfter: string | readonly string[] | undefined): Error {
  const isSeconds = typeof retryAfter === 'string' && /^\d{1,6}$/.test(retryAfter);
  return isSeconds ? new WebAPIRateLimitedError(Number(retryAfter)) : new WebAPIHTTPError(429, '', {});
}

/** Slack's answer. Throws WebAPIRequestError for what isn't one, such as a proxy's page; the error doesn't repeat it. */
function readResult(text: string) {
  try {
    return resultSchema.parse(JSON.parse(text));
  } catch {
    throw new WebAPIRequestError(new Error('the answer is not one of Slack’s'));
  }
}
