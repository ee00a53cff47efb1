import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { AgentCard, type Message, type Part, Role, type Task, TaskState } from '@a2a-js/sdk';
import {
  AgentEvent,
  type AgentExecutor,
  DefaultRequestHandler,
  type ExecutionEventBus,
  InMemoryTaskStore,
} from '@a2a-js/sdk/server';
import { agentCardHandler, jsonRpcHandler, restHandler, UserBuilder } from '@a2a-js/sdk/server/express';
import express from 'express';
import { onTestFinished } from 'vitest';

export { TaskState };

/** Text of a message or an artifact. */
export function textPart(value: string): Part {
  return { content: { $case: 'text', value }, metadata: undefined, filename: '', mediaType: 'text/plain' };
}

export function dataPart(value: unknown): Part {
  const mediaType = 'application/json';
  return { content: { $case: 'data', value }, metadata: undefined, filename: '', mediaType };
}

/** What an agent does with its task; it ends when `cancelled` resolves, at the latest. */
interface A2aTask {
  /** Answers without a task. */
  readonly answer: (...parts: Part[]) => void;
  /** Says how far it is, with words. */
  readonly state: (state: TaskState, words?: string) => void;
  readonly bring: (...parts: Part[]) => void;
  readonly cancelled: Promise<void>;
}

interface AgentOptions {
  readonly work: (task: A2aTask) => void | Promise<void>;
  readonly binding?: 'JSONRPC' | 'HTTP+JSON';
  readonly version?: '1.0' | '0.3';
  readonly takes?: readonly string[];
}

/** An agent that speaks A2A, by the protocol's own server over HTTP, ended with the test. */
export async function startA2aAgent({
  work,
  binding = 'JSONRPC',
  version = '1.0',
  takes = ['text/plain', 'application/json'],
}: AgentOptions) {
  const app = express();
  const server = createServer(app).listen(0, '127.0.0.1');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server, 'listening');
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;
  const card = AgentCard.fromJSON({
    name: 'Prices',
    version: '1',
    capabilities: {},
    defaultInputModes: takes,
    defaultOutputModes: ['text/plain'],
    supportedInterfaces: [{ url: `${url}/a2a`, protocolBinding: binding, protocolVersion: version }],
  });
  const executor = new TestExecutor(work);
  const requestHandler = new DefaultRequestHandler(card, new InMemoryTaskStore(), executor);
  const legacyCompat = { enabled: version === '0.3' };
  const options = { requestHandler, userBuilder: UserBuilder.noAuthentication, legacyCompat };
  const seen: { readonly path: string; readonly headers: Record<string, unknown> }[] = [];
  app.use((request, _response, next) => {
    seen.push({ path: request.path, headers: request.headers });
    next();
  });
  app.use(
    '/.well-known/agent-card.json',
    agentCardHandler({ agentCardProvider: requestHandler, legacyCompat }),
  );
  app.use('/a2a', binding === 'JSONRPC' ? jsonRpcHandler(options) : restHandler(options));
  return { url, seen, received: executor.received, cancelled: executor.cancelled };
}

class TestExecutor implements AgentExecutor {
  readonly received: Message[] = [];
  readonly cancelled: string[] = [];
  readonly #work: AgentOptions['work'];
  readonly #stops = new Map<string, () => void>();

  constructor(work: AgentOptions['work']) {
    this.#work = work;
  }

  execute: AgentExecutor['execute'] = async ({ userMessage, taskId: id, contextId }, bus) => {
    this.received.push(userMessage);
    const stop = Promise.withResolvers<void>();
    this.#stops.set(id, stop.resolve);
    const ids = { taskId: id, contextId };
    const say = (parts: Part[]): Message => ({
      messageId: randomUUID(),
      parts,
      role: Role.ROLE_AGENT,
      ...{ ...ids, metadata: undefined, extensions: [], referenceTaskIds: [] },
    });
    const begin = onlyOnce(() => {
      const status = { state: TaskState.TASK_STATE_SUBMITTED, message: undefined, timestamp: undefined };
      const task: Task = { id, contextId, status, artifacts: [], history: [], metadata: undefined };
      bus.publish(AgentEvent.task(task));
    });
    await this.#work({
      answer: (...parts) => bus.publish(AgentEvent.message(say(parts))),
      state: (state, words) => {
        begin();
        const message = words === undefined ? undefined : say([textPart(words)]);
        const status = { state, message, timestamp: undefined };
        bus.publish(AgentEvent.statusUpdate({ ...ids, status, metadata: undefined }));
      },
      bring: (...parts) => {
        begin();
        const artifact = {
          artifactId: randomUUID(),
          parts,
          ...{ name: '', description: '', metadata: undefined, extensions: [] },
        };
        const update = { ...ids, artifact, append: false, lastChunk: true, metadata: undefined };
        bus.publish(AgentEvent.artifactUpdate(update));
      },
      cancelled: stop.promise,
    });
    bus.finished();
  };

  cancelTask: AgentExecutor['cancelTask'] = async (id: string, bus: ExecutionEventBus) => {
    this.cancelled.push(id);
    this.#stops.get(id)?.();
    const status = { state: TaskState.TASK_STATE_CANCELED, message: undefined, timestamp: undefined };
    bus.publish(AgentEvent.statusUpdate({ taskId: id, contextId: '', status, metadata: undefined }));
  };
}

function onlyOnce(run: () => void): () => void {
  let isDone = false;
  return () => {
    if (!isDone) run();
    isDone = true;
  };
}
