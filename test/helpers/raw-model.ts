import { createServer, type ServerResponse } from 'node:http';
import { z } from 'zod';
import { createModel } from '../../src/agents/models/openai.ts';
import { listen } from '../fixtures/mcp/harness.ts';

/** One answer of the model as bytes: what the server writes, piece by piece. */
export interface RawAnswer {
  /** @default 200 */
  readonly status?: number;
  /** @default text/event-stream */
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly pieces: readonly (string | Uint8Array)[];
  /** Breaks the connection after the pieces, instead of ending the response. */
  readonly cut?: boolean;
  /** Neither ends nor breaks off after the pieces. */
  readonly hangs?: boolean;
}

const requestSchema = z.object({
  tool_choice: z.string().optional(),
  messages: z.array(
    z.object({
      role: z.string(),
      content: z
        .union([z.string(), z.null()])
        .optional()
        .transform((content) => content ?? ''),
    }),
  ),
});
export type RawRequest = z.infer<typeof requestSchema>;

/**
 * A provider that sends these answers over real HTTP, one after another and then the last one again, in
 * whatever shape they are. Stops with the test.
 */
export async function startRawModel(answers: readonly (RawAnswer | ((asked: RawRequest) => RawAnswer))[]) {
  const requests: RawRequest[] = [];
  const server = createServer(async (request, response) => {
    const body: Buffer[] = [];
    for await (const chunk of request) body.push(chunk);
    const asked = requestSchema.parse(JSON.parse(Buffer.concat(body).toString()));
    const next = answers[Math.min(requests.length, answers.length - 1)];
    requests.push(asked);
    if (next) await sendRaw(response, typeof next === 'function' ? next(asked) : next);
  });
  const port = await listen(server);
  const model = createModel({
    apiKey: 'sk-test',
    baseUrl: `http://127.0.0.1:${port}/v1`,
    model: 'some-model',
    timeoutMs: 10_000,
  });
  return { model, requests };
}

/** Writes an answer, piece by piece. */
export async function sendRaw(
  response: ServerResponse,
  { status, type, headers, pieces, cut, hangs }: RawAnswer,
): Promise<void> {
  response.writeHead(status ?? 200, { 'content-type': type ?? 'text/event-stream', ...headers });
  for (const piece of pieces) {
    await new Promise<void>((written) => response.write(piece, () => written()));
    // The next piece leaves in a packet of its own.
    await new Promise(setImmediate);
  }
  if (cut) response.destroy();
  else if (!hangs) response.end();
}

/** A stream's events, as OpenAI writes them. */
export function events(...data: readonly (object | string)[]): string {
  return data.map((it) => `data: ${typeof it === 'string' ? it : JSON.stringify(it)}\n\n`).join('');
}

/** One event of a stream: a delta, and why the answer ends. */
export function delta(of: object, finish: string | null = null): object {
  return {
    id: 'c1',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'some-model',
    choices: [{ index: 0, delta: of, finish_reason: finish }],
  };
}

/** A whole stream of these deltas, which ends as it should. */
export function stream(deltas: readonly object[], finish = 'stop'): RawAnswer {
  const begun = deltas.map((of) => delta(of));
  return { pieces: [...begun.map((it) => events(it)), events(delta({}, finish), '[DONE]')] };
}

/** A whole stream of text. */
export function says(text: string): RawAnswer {
  return stream([{ role: 'assistant', content: text }]);
}

/** A whole stream of these calls. */
export function calls(...toolCalls: readonly object[]): RawAnswer {
  return stream([{ role: 'assistant', tool_calls: toolCalls }], 'tool_calls');
}

/** A body that is no stream. */
export function json(body: object, status = 200): RawAnswer {
  return { status, type: 'application/json', pieces: [JSON.stringify(body)] };
}
