import { z } from 'zod';
import { type Envelope, envelopeSchema } from '../../src/http/threads/schemas/answers.ts';

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
}

interface ClientOptions {
  readonly url: string;
  readonly key: string | null;
}

/** Sends JSON, and gives back whatever came. */
export async function post(
  { url, key }: ClientOptions,
  path: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const response = await fetch(`${url}${path}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(key === null ? {} : { authorization: `Bearer ${key}` }),
      ...headers,
    },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  return { status: response.status, headers: response.headers, body: await response.json() };
}

/** The envelope of an answer, with its HTTP status; fails when it is not one, or has keys too many. */
export function envelopeOf({ status, body }: Answer): Envelope & { http: number } {
  return { ...envelopeSchema.strict().parse(body), http: status };
}

/** The calls that an envelope asks to confirm. */
export function callsOf(envelope: Envelope) {
  const action = envelope.pending_action;
  if (action?.kind !== 'confirmation') throw new Error(`nothing to confirm: ${JSON.stringify(envelope)}`);
  return action.tool_calls;
}

const errorAnswerSchema = z.strictObject({
  error: z.strictObject({ code: z.string(), message: z.string(), details: z.json().optional() }),
});

/** The error of an answer, with its HTTP status. */
export function errorOf({ status, body }: Answer) {
  return { ...errorAnswerSchema.parse(body).error, http: status };
}

export interface HeardEvent {
  readonly event: string;
  readonly data: unknown;
  readonly id: string | null;
}

/** Listens to a thread until `until` holds for what was heard, and then hangs up. */
export function listen(
  client: ClientOptions,
  threadId: string,
  until: (heard: readonly HeardEvent[]) => boolean,
  lastEventId?: string,
): Promise<readonly HeardEvent[]> {
  return listenTo(client, `/runs/${encodeURIComponent(threadId)}/events`, until, lastEventId);
}

/** Sends JSON, and listens to the stream that it's answered with until that is over, or `until` holds for what was heard. */
export async function postAndListen(
  { url, key }: ClientOptions,
  path: string,
  body: object,
  {
    until,
    headers = {},
  }: {
    readonly until?: (heard: readonly HeardEvent[]) => boolean;
    readonly headers?: Readonly<Record<string, string>>;
  } = {},
): Promise<readonly HeardEvent[]> {
  const response = await fetch(`${url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${key}`, ...headers },
    body: JSON.stringify(body),
  });
  return hear(response, until);
}

/** Listens to a stream of events until it's over, or `until` holds for what was heard. */
export async function listenTo(
  { url, key }: ClientOptions,
  path: string,
  until?: (heard: readonly HeardEvent[]) => boolean,
  lastEventId?: string,
): Promise<readonly HeardEvent[]> {
  const response = await fetch(`${url}${path}`, {
    headers: {
      authorization: `Bearer ${key}`,
      ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
    },
  });
  return hear(response, until);
}

async function hear(
  response: Response,
  until: (heard: readonly HeardEvent[]) => boolean = () => false,
): Promise<readonly HeardEvent[]> {
  if (!response.ok || !response.body) throw new Error(`${response.status}: ${await response.text()}`);
  const heard: HeardEvent[] = [];
  let rest = '';
  for await (const piece of response.body.pipeThrough(new TextDecoderStream())) {
    const frames = (rest + piece).split('\n\n');
    rest = frames.pop() ?? '';
    heard.push(...frames.filter((frame) => !frame.startsWith(':')).map(parseFrame));
    if (until(heard)) break;
  }
  return heard;
}

function parseFrame(frame: string): HeardEvent {
  const field = (name: string) =>
    frame
      .split('\n')
      .find((line) => line.startsWith(`${name}: `))
      ?.slice(name.length + 2) ?? null;
  return { event: field('event') ?? '', data: JSON.parse(field('data') ?? 'null'), id: field('id') };
}
