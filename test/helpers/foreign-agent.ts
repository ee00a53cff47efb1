import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';

/** A task as an agent of somebody else got it. */
interface ReceivedTask {
  readonly headers: IncomingMessage['headers'];
  readonly body: unknown;
}

/** An agent of somebody else at an address of this machine, ended with the test. `answer` writes its answer. */
export async function startForeignAgent(answer: (response: ServerResponse) => void) {
  const received: ReceivedTask[] = [];
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      received.push({ headers: request.headers, body: JSON.parse(body || 'null') });
      answer(response);
    });
  }).listen(0, '127.0.0.1');
  const close = () => {
    server.close();
    setImmediate(() => server.closeAllConnections());
  };
  onTestFinished(close);
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  return { url: `http://127.0.0.1:${port}/task`, received, close };
}

/** Answers with this, as JSON unless it's text. */
export function answering(body: unknown, status = 200): (response: ServerResponse) => void {
  return (response) => {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  };
}

/** An AgentOutput that has all that a program of somebody else may say. */
export const DONE = {
  agent_id: 't1',
  agent_name: 'researcher',
  task_description: 'Find the price',
  task_done: true,
  data: { answer: 'It costs 12 euros.', rows: [1, 2] },
  partial_data: {},
  error: null,
  confidence_score: 0.8,
  depends_on: [],
  resource_usage: { time_taken_ms: 12 },
  metadata: { sources: [{ type: 'document', source: 'prices.pdf', page: 3 }] },
};
