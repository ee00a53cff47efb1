import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import { z } from 'zod';

const requestSchema = z.object({
  model: z.string(),
  input: z.array(z.string()),
  encoding_format: z.literal('float'),
  dimensions: z.number().optional(),
});
type AskedVectors = z.infer<typeof requestSchema>;

/** Words that mean the same stand on one line, and mean nothing else. */
const TOPICS = [
  ['train', 'railway', 'rail'],
  ['hotel', 'lodging', 'overnight'],
  ['salary', 'pay', 'wages'],
  ['holiday', 'leave', 'vacation'],
];

/** The vector of a text: a dimension for each topic that its words are of, and one for what is of none. */
export function topicVector(text: string): number[] {
  const vector = [...TOPICS.map(() => 0), 0.1];
  for (const word of text.toLowerCase().match(/\p{L}+/gu) ?? []) {
    const at = TOPICS.findIndex((topic) => topic.some((one) => word.startsWith(one)));
    vector[at === -1 ? TOPICS.length : at] = 1;
  }
  return vector;
}

/** Answers as the API does. */
export function vectorAnswer({ input, model }: AskedVectors, vector = topicVector): object {
  const data = input.map((text, index) => ({ object: 'embedding', index, embedding: vector(text) }));
  return { object: 'list', model, data };
}

type Answer = (
  asked: AskedVectors,
  response: ServerResponse,
  request: IncomingMessage,
) => object | null | Promise<object | null>;

/**
 * A server on loopback that answers `/v1/embeddings`, by default with {@link topicVector}. What `answer` returns is sent as JSON; null
 * where it has answered itself.
 */
export async function startVectorServer(answer: Answer = (asked) => vectorAnswer(asked)) {
  const asked: AskedVectors[] = [];
  const headers: IncomingMessage['headers'][] = [];
  let now = answer;
  const server = createServer(async (request, response) => {
    const body = requestSchema.parse(await json(request));
    asked.push(body);
    headers.push(request.headers);
    const said = await now(body, response, request);
    if (said === null) return;
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(said));
  });
  server.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const stop = () => {
    server.closeAllConnections();
    server.close();
  };
  onTestFinished(stop);
  const { port } = z.object({ port: z.number() }).parse(server.address());
  return {
    url: `http://127.0.0.1:${port}/v1`,
    asked,
    headers,
    /** All texts that vectors were asked of, in order. */
    texts: () => asked.flatMap(({ input }) => input),
    answerWith: (other: Answer) => {
      now = other;
    },
    stop,
  };
}

/** Answers with an error, as the API does. */
export function refuse(response: ServerResponse, status: number, message: string): null {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ error: { message } }));
  return null;
}
