import { randomBytes, randomUUID } from 'node:crypto';
import { createApiKeys } from '../../src/http/api/keys.ts';
import { createHttp, type HttpOptions, type HttpPorts } from '../../src/http/server.ts';
import { createThreadFeed } from '../../src/http/threads/feed.ts';
import { createHttpSurface } from '../../src/http/threads/surface.ts';
import type { JsonObject } from '../../src/lib/json.ts';
import { createSurfaceListener } from '../../src/runs/index.ts';
import type { CallOptions, SendResult, ToolDefinition } from '../../src/tools/ports.ts';
import { type CoreParts, createCore } from './core.ts';
import { type Reply, ScriptedModel } from './scripted-model.ts';
import { openTestStorage } from './storage.ts';

/** A tool of the test's own server: the policy asks for it unless its name begins with `read_`. */
export interface TestTool {
  readonly name: string;
  readonly inputSchema?: JsonObject;
  readonly run: (args: JsonObject, options: CallOptions) => Promise<SendResult> | SendResult;
}

export interface NetworkOptions extends HttpOptions {
  readonly replies: readonly Reply[];
  readonly tools?: readonly TestTool[];
  readonly policy?: CoreParts['policy'];
  readonly requestLifetimeMs?: number;
  readonly clock?: () => number;
  readonly checks?: HttpPorts['checks'];
  readonly mounts?: HttpPorts['mounts'];
}

/** Nobody signs in to the tools of these tests. */
const NO_SIGN_INS: HttpPorts['signIns'] = {
  preview: async () => ({ ok: false, problem: 'unknown_link', server: null, origin: null }),
  begin: async () => ({ ok: false, problem: 'unknown_link', server: null, origin: null }),
  finish: async () => ({ ok: false, problem: 'unknown_link', server: null, origin: null }),
  clientMetadata: () => null,
  isSecure: () => false,
};

/** A result of a tool, in words. */
export function said(text: string): SendResult {
  return {
    kind: 'ended',
    outcome: { status: 'succeeded', content: [{ type: 'text', text }], structured: null },
  };
}

/** The core behind real HTTP, with a scripted model and tools in memory. */
export async function openNetwork({ replies, tools = [], ...options }: NetworkOptions) {
  const storage = await openTestStorage();
  const { store } = storage;
  const clock = options.clock ?? Date.now;
  const logged: object[] = [];
  const note = (details: object, message: string) => void logged.push({ ...details, message });
  const log = { debug: note, info: note, warn: note, error: note };
  const model = new ScriptedModel(replies);
  const feed = createThreadFeed({ store, clock, ids: randomUUID });
  const surfaces = [createHttpSurface(feed, null)];
  const sent: { name: string; arguments: JsonObject }[] = [];

  const { gate, runs, validateArguments } = createCore({
    store,
    clock,
    policy: options.policy ?? { default: 'ask', rules: [{ tools: '*.read_*', action: 'allow' }] },
    requestLifetimeMs: options.requestLifetimeMs ?? null,
    async send(call, callOptions) {
      sent.push({ name: call.name, arguments: call.arguments });
      const tool = tools.find(({ name }) => name === call.name);
      return tool
        ? tool.run(call.arguments, callOptions)
        : { kind: 'ended', outcome: { status: 'failed', message: 'no such tool', content: [] } };
    },
    agent: {
      models: { main: model, router: null },
      checkpoints: { saver: storage.checkpointer, prune: async () => {}, claim: async () => {} },
      tools: async () => tools.map(definitionOf),
      timeZone: 'UTC',
      maxSteps: 50,
    },
    listeners: [createSurfaceListener(surfaces)],
    surfaces,
    log,
  });
  runs.start();

  const environmentKey = 'key-from-the-environment';
  const secrets = () => randomBytes(32).toString('base64url');
  const keys = createApiKeys({ store, clock, secrets, environmentKey });
  const ports: HttpPorts = {
    store,
    gate,
    runs,
    keys,
    feed,
    clock,
    ids: randomUUID,
    validateArguments,
    log,
    checks: options.checks ?? {},
    signIns: NO_SIGN_INS,
    mounts: options.mounts ?? [],
    web: null,
    wayBack: async () => null,
  };
  const http = createHttp(ports, { pollMs: 50, ...options });
  const listening = await http.listen({ host: '127.0.0.1', port: 0 });

  return {
    url: `http://127.0.0.1:${listening.port}`,
    key: environmentKey,
    store,
    gate,
    runs,
    keys,
    ports,
    http,
    model,
    /** Calls that left the process, in order. */
    sent,
    logged,
    async close(): Promise<void> {
      http.drain();
      await listening.close();
      await runs.stop();
      await storage.close();
    },
  };
}
export type Network = Awaited<ReturnType<typeof openNetwork>>;

function definitionOf({ name, inputSchema = { type: 'object' } }: TestTool): ToolDefinition {
  return {
    server: 'calendar',
    name,
    modelName: name,
    title: name.replaceAll('_', ' '),
    description: '',
    inputSchema,
    definitionHash: `hash of ${name}`,
    asListed: {},
    destructive: false,
    toolType: 'calendar',
    outputSchema: null,
    readOnly: false,
  };
}
