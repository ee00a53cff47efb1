import { createParser } from 'eventsource-parser';
import { z } from 'zod';
import { WireAnswer } from './answer.ts';
import { withoutReasoning } from './reasoning.ts';
import { completionSchema, errorIn, readHttpStatus, type WireCompletion } from './schemas.ts';

type Fetch = (url: string | URL | Request, init?: RequestInit) => Promise<Response>;

/** The code of the error in place of an answer that can't be read. */
export const NO_COMPLETION = 'no_completion';

const requestSchema = z.object({ stream: z.boolean().default(false) });
const jsonSchema = z.string().transform((text, context): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    context.addIssue({ code: 'custom', message: 'no JSON' });
    return z.NEVER;
  }
});
const bodySchema = jsonSchema.pipe(completionSchema);

/**
 * A `fetch` for the OpenAI SDK that rewrites the answers of compatible servers as OpenAI would send them, before
 * LangChain drops what it doesn't expect. It streams, and reads no further than it is read. Everything but
 * successful chat completions passes as it is. See docs/decisions/0037-answers-are-normalised-on-the-wire.md.
 */
export function normalizeAnswers(fetch: Fetch = globalThis.fetch): Fetch {
  return async (url, init) => {
    const response = await fetch(url, init);
    const { pathname } = new URL(url instanceof Request ? url.url : url);
    if (!response.ok || !response.body || !pathname.endsWith('/chat/completions')) return response;
    const type = response.headers.get('content-type') ?? '';
    const isStreamWanted = asksForStream(init?.body, type);
    // Servers name other types for streams too, but not these two.
    if (isStreamWanted && !/json|html/.test(type)) {
      const events = normalizeEvents(response.body);
      return streamResponse(response, toBody(events));
    }
    const body = bodySchema.safeParse(await response.text()).data;
    const error = body === undefined ? { code: NO_COMPLETION, message: 'no JSON' } : errorIn(body);
    if (body === undefined || error !== null) {
      return Response.json(
        { error },
        { status: readHttpStatus(error) ?? 502, headers: retryAfter(response) },
      );
    }
    const answer = new WireAnswer();
    const text = answer.add(body);
    if (isStreamWanted)
      return streamResponse(response, textEvent(body, text) + lastEvents(body, answer, true));
    return Response.json(wholeCompletion(body, text, answer));
  };
}

/** Whether a request asks for a stream. The conversation in it is only parsed where the answer doesn't look like one. */
function asksForStream(body: unknown, type: string): boolean {
  if (type.startsWith('text/event-stream') && typeof body === 'string' && body.includes('"stream":true'))
    return true;
  return jsonSchema.pipe(requestSchema).safeParse(body).data?.stream ?? false;
}

/** Minimum length of a key that is masked; a shorter one is no secret, and a word of every error. */
const KEY_CHARACTERS = 8;

/** A `fetch` whose errors don't repeat the key: some servers and proxies quote it, and errors are logged. */
export function withoutKey(apiKey: string, fetch: Fetch): Fetch {
  if (apiKey.length < KEY_CHARACTERS) return fetch;
  return async (url, init) => {
    const response = await fetch(url, init);
    if (response.ok || !response.body) return response;
    const { status, statusText, headers } = response;
    const text = (await response.text()).replaceAll(apiKey, () => '$OPENAI_API_KEY');
    return new Response(text, { status, statusText, headers });
  };
}

/** The events of a stream, normalised; an answer that broke off ends as `incomplete`, so that its text isn't lost. */
async function* normalizeEvents(body: ReadableStream<Uint8Array<ArrayBuffer>>): AsyncGenerator<string> {
  const answer = new WireAnswer();
  let last: WireCompletion = { error: null };
  let isWhole = false;
  try {
    for await (const data of readEvents(body)) {
      isWhole = isLast(data);
      if (isWhole) break;
      const chunk = bodySchema.parse(data);
      const error = errorIn(chunk);
      if (error !== null) {
        if (answer.isBegun) break;
        yield toEvent({ error });
        return;
      }
      const text = answer.add(chunk);
      last = { ...last, ...chunk };
      if (text !== '') yield textEvent(chunk, text);
    }
  } catch (error) {
    if (!answer.isBegun) throw error;
  }
  if (answer.isBegun) yield lastEvents(last, answer, isWhole);
}

function isLast(data: string): boolean {
  return data.trim() === '[DONE]';
}

/**
 * The data of each event, to the last. Not by streams that pipe into each other: each costs as much as all that is done
 * here.
 */
async function* readEvents(body: ReadableStream<Uint8Array<ArrayBuffer>>): AsyncGenerator<string> {
  const found: string[] = [];
  const parser = createParser({ onEvent: ({ data }) => void found.push(data) });
  const decoder = new TextDecoder();
  const reader = body.getReader();
  let isOver = false;
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      parser.feed(decoder.decode(read.value, { stream: true }));
      for (const data of found.splice(0)) {
        isOver ||= isLast(data);
        yield data;
      }
    }
    isOver = true;
    // Some servers don't end their last event with an empty line.
    parser.feed(`${decoder.decode()}\n\n`);
    yield* found.splice(0);
  } finally {
    void (isOver ? readToEnd(reader) : reader.cancel().catch(() => undefined));
  }
}

/** How long is waited for the end of an answer after its last event, in milliseconds. */
const END_MS = 1_000;

/** Reads what is left, which is nothing most of the time: the connection can then be used again. */
async function readToEnd(reader: ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>>): Promise<void> {
  const timer = setTimeout(() => void reader.cancel().catch(() => undefined), END_MS).unref();
  try {
    while (!(await reader.read()).done) {}
  } catch {
    // It's whole without its end.
  } finally {
    clearTimeout(timer);
  }
}

/** The event of a text; nothing where there's none. */
function textEvent(chunk: WireCompletion, text: string): string {
  return text === '' ? '' : toEvent(completion(chunk, { content: text }));
}

function lastEvents(last: WireCompletion, answer: WireAnswer, isWhole: boolean): string {
  const { text, calls, ending } = answer.end(isWhole);
  const message = { content: text, ...(calls.length > 0 && { tool_calls: calls }) };
  const usage = last.usage ? toEvent({ ...last, choices: [] }) : '';
  return `${toEvent(completion(last, message, ending))}${usage}data: [DONE]\n\n`;
}

/** An event; the usage has one of its own, as LangChain would add up what it finds in several. */
function completion(chunk: WireCompletion, message: object, ending: string | null = null): object {
  const delta = { role: 'assistant', ...message };
  return { ...chunk, usage: undefined, choices: [{ index: 0, delta, finish_reason: ending }] };
}

function wholeCompletion(body: WireCompletion, begin: string, answer: WireAnswer): object {
  const { text, calls, ending } = answer.end(true);
  const content = withoutReasoning(begin + text);
  const message = { role: 'assistant', content, ...(calls.length > 0 && { tool_calls: calls }) };
  return { ...body, choices: [{ index: 0, message, finish_reason: ending }] };
}

function toEvent(data: object): string {
  return `data: ${JSON.stringify(data)}\n\n`;
}

function streamResponse({ status }: Response, body: BodyInit): Response {
  return new Response(body, { status, headers: { 'content-type': 'text/event-stream' } });
}

function retryAfter({ headers }: Response): Record<string, string> {
  const after = headers.get('retry-after');
  return after === null ? {} : { 'retry-after': after };
}

/** A body of these texts, of which the next is made once it is read. */
function toBody(texts: AsyncGenerator<string>): ReadableStream<Uint8Array<ArrayBuffer>> {
  const encoder = new TextEncoder();
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await texts.next();
      if (done) controller.close();
      else controller.enqueue(encoder.encode(value));
    },
    cancel: async () => void (await texts.return(undefined)),
  });
}
