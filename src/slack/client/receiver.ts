import { type App, isValidSlackRequest, type Receiver, type ReceiverEvent } from '@slack/bolt';
import { isJsonObject } from '../../lib/json.ts';
import { isForInstallation } from './installation.ts';
import type { SlackLog } from './sdk-logger.ts';

/**
 * Handles an event before acknowledging it. Bolt acknowledges first, so a crash right after loses the event.
 * Both receivers wait for the event's listeners, which only make it durable. Clicks and commands are
 * acknowledged by their own listeners, as Bolt does.
 */
export async function processDurably(
  app: App,
  body: Record<string, unknown>,
  retry: { num: number | undefined; reason: string | undefined },
  ack: ReceiverEvent['ack'],
  { unclaimed, installation, log }: ReceiverOptions,
): Promise<void> {
  if (!isForInstallation(body, installation())) {
    log.warn({ type: body.type }, 'Slack payload for another installation of the app ignored');
    return ack();
  }
  const isEvent = body.type === 'event_callback';
  let acknowledged = false;
  const acknowledge: ReceiverEvent['ack'] = async (response) => {
    acknowledged = true;
    await ack(response);
  };
  await app.processEvent({
    body,
    ack: isEvent ? async () => undefined : acknowledge,
    ...(retry.num === undefined ? {} : { retryNum: retry.num }),
    ...(retry.reason === undefined ? {} : { retryReason: retry.reason }),
  });
  if (isEvent) await ack();
  else if (!acknowledged) await unclaimed(body, acknowledge);
}

/** Answers a click, form or command without a handler, such as one from another version's card. */
export type AnswerUnknown = (body: Record<string, unknown>, ack: ReceiverEvent['ack']) => Promise<void>;

export interface ReceiverOptions {
  readonly unclaimed: AnswerUnknown;
  /** The id of our installation. Throws while it isn't known, so that events come again. */
  readonly installation: () => string;
  readonly log: SlackLog;
}

export interface HttpReceiver extends Receiver {
  /** Answers Slack's `POST /slack/events` (events, clicks and commands) after checking the signature. */
  handle(request: Request): Promise<Response>;
}

/** The receiver for HTTP, where the response is the acknowledgement. */
export function httpReceiver(
  options: ReceiverOptions & {
    readonly signingSecret: string;
    /** The time to answer in before a 503 makes Slack retry, in milliseconds; Slack gives up after 3 s. */
    readonly answerWithinMs?: number;
  },
): HttpReceiver {
  let app: App | null = null;
  return {
    init(boltApp) {
      app = boltApp;
    },
    start: async () => undefined,
    stop: async () => undefined,
    async handle(request) {
      const raw = await request.text();
      const valid = isValidSlackRequest({
        signingSecret: options.signingSecret,
        body: raw,
        headers: {
          'x-slack-signature': request.headers.get('x-slack-signature') ?? '',
          'x-slack-request-timestamp': Number(request.headers.get('x-slack-request-timestamp') ?? Number.NaN),
        },
      });
      if (!valid) return new Response('not signed by Slack', { status: 401 });
      const body = parseBody(raw, request.headers.get('content-type') ?? '');
      if (body === null || app === null) return new Response('not a Slack request', { status: 400 });
      if (body.type === 'url_verification') return Response.json({ challenge: body.challenge });
      return answer(app, body, request.headers, options);
    },
  };
}

function answer(
  app: App,
  body: Record<string, unknown>,
  headers: Headers,
  options: ReceiverOptions & { readonly answerWithinMs?: number },
): Promise<Response> {
  const { log, answerWithinMs = 2_900 } = options;
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(new Response(null, { status: 503 })), answerWithinMs);
    const settle = (response: Response) => {
      clearTimeout(timer);
      resolve(response);
    };
    const num = headers.get('x-slack-retry-num');
    const reason = headers.get('x-slack-retry-reason') ?? undefined;
    const ack: ReceiverEvent['ack'] = async (response: unknown) => settle(ackResponse(response));
    const retry = { num: num === null ? undefined : Number(num), reason };
    processDurably(app, body, retry, ack, options).catch((error: unknown) => {
      log.error({ err: error, type: body.type }, 'Slack request failed; an event comes again');
      settle(new Response(null, { status: 500 }));
    });
  });
}

function ackResponse(response: unknown): Response {
  if (response === undefined || response === '') return new Response(null, { status: 200 });
  return typeof response === 'string' ? new Response(response) : Response.json(response);
}

/** Events are JSON; clicks are a form whose `payload` is JSON; commands are a plain form. */
function parseBody(raw: string, contentType: string): Record<string, unknown> | null {
  try {
    if (contentType.startsWith('application/x-www-form-urlencoded')) {
      const form = new URLSearchParams(raw);
      const payload = form.get('payload');
      if (payload === null) return Object.fromEntries(form);
      const parsed: unknown = JSON.parse(payload);
      return isJsonObject(parsed) ? parsed : null;
    }
    const parsed: unknown = JSON.parse(raw);
    return isJsonObject(parsed) ? parsed : null;
  } catch {
    return null;
  }
}
