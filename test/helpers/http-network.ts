import { randomBytes, randomUUID } from 'node:crypto';
import { onTestFinished } from 'vitest';
import { createPlanner } from '../../src/agents/index.ts';
import { createAuditLog } from '../../src/gate/index.ts';
import type { CallRecord, Outcome } from '../../src/gate/types.ts';
import { createApiKeys } from '../../src/http/api/keys.ts';
import { Metrics } from '../../src/http/metrics/metrics.ts';
import { createHttp, type HttpOptions, type HttpPorts } from '../../src/http/server.ts';
import { createThreadFeed } from '../../src/http/threads/feed.ts';
import { createHttpSurface } from '../../src/http/threads/surface.ts';
import { createNotebooks } from '../../src/notebook/index.ts';
import {
  AgentCalls,
  CallWaits,
  createFindCaller,
  createProgramSessions,
  HeldCalls,
} from '../../src/programs/index.ts';
import type { SendResult } from '../../src/tools/ports.ts';
import { auditKeys } from './audit-keys.ts';
import { createFakeHub, ended, type FakeTool, success } from './fake-hub.ts';
import { UNLIMITED } from './held-calls.ts';
import { type CoreOptions, openNetworkOn } from './network.ts';
import { type Reply, ScriptedModel } from './scripted-model.ts';
import { openTestStorage } from './storage.ts';

/** A tool of the calendar: the policy asks for it unless its name begins with `read_`. */
export type TestTool = Omit<FakeTool, 'server'>;

export interface HttpNetworkOptions
  extends HttpOptions,
    Pick<CoreOptions, 'limits' | 'policy' | 'jobs' | 'requestLifetimeMs' | 'clock'>,
    Partial<Pick<HttpPorts, 'checks' | 'mounts' | 'trustedProxies'>> {
  readonly replies: readonly Reply[];
  readonly tools?: readonly TestTool[];
}

/** Nobody signs in to the tools of these tests. */
const NO_SIGN_INS: HttpPorts['signIns'] = {
  preview: async () => ({ ok: false, problem: 'unknown_link', server: null, origin: null }),
  begin: async () => ({ ok: false, problem: 'unknown_link', server: null, origin: null }),
  finish: async () => ({ ok: false, problem: 'unknown_link', server: null, origin: null }),
  clientMetadata: () => null,
  isSecure: () => false,
  linkLifetimeMs: 600_000,
};

/** A result of a tool, in words. */
export const said = (text: string): SendResult => ended(success(text));

/** The network behind real HTTP, on the storage of the suite. */
export async function openHttpNetwork({ replies, tools = [], ...options }: HttpNetworkOptions) {
  const storage = await openTestStorage();
  const { store, checkpoints } = storage;
  const clock = options.clock ?? Date.now;
  const feed = createThreadFeed({ store, clock, ids: randomUUID });
  const hub = createFakeHub(...tools.map((tool) => ({ server: 'calendar', ...tool })));
  const network = openNetworkOn(
    { store, checkpoints, close: storage.close },
    {
      model: new ScriptedModel(replies),
      hub,
      policy: options.policy ?? { default: 'ask', rules: [{ tools: '*.read_*', action: 'allow' }] },
      requestLifetimeMs: options.requestLifetimeMs ?? null,
      clock,
      ...(options.limits && { limits: options.limits }),
      jobs: options.jobs,
      surfaces: [createHttpSurface(feed, null)],
      graphs: (agentPorts) => ({ planner: createPlanner(agentPorts) }),
    },
  );
  const { gate, runs, log, validateArguments } = network;
  runs.start();

  const environmentKey = 'key-from-the-environment';
  const secrets = () => randomBytes(32).toString('base64url');
  const keys = createApiKeys({ store, clock, secrets, environmentKey });
  const programs = {
    store,
    gate,
    runs,
    clock,
    ids: randomUUID,
    findPlace: async () => null,
    waits: new CallWaits(),
    limits: UNLIMITED,
    receipts: () => null,
    keep: async (_call: CallRecord, outcome: Outcome) => outcome,
    tools: async () => [],
    matches: () => false,
  };
  const ports: HttpPorts = {
    store,
    gate,
    runs,
    keys,
    trustedProxies: options.trustedProxies ?? [],
    feed,
    clock,
    ids: randomUUID,
    validateArguments,
    log,
    checks: options.checks ?? {},
    metrics: new Metrics(clock),
    vitals: async () => ({
      callsInFlight: runs.inflightCalls(),
      callsWaitedFor: 0,
      threads: runs.threads(),
      servers: [],
      isSlackConnected: true,
      queues: null,
      limits: null,
    }),
    limits: network.limits,
    documents: { unusable: 'none', open: () => Promise.reject(new Error('no documents are open')) },
    signIns: NO_SIGN_INS,
    mounts: options.mounts ?? [],
    web: null,
    admin: null,
    wayBack: async () => null,
    authorization: null,
    // Programs that ask the gate have tests of their own, on the whole app.
    agentCalls: new AgentCalls(programs),
    findCaller: createFindCaller({}),
    programSessions: createProgramSessions(store),
    notebooks: createNotebooks({
      ...{ store, gate, runs, bytes: async () => null, prompts: async () => [] },
      isInChannel: () => false,
      audit: createAuditLog({ store, clock, auditKeys }),
    }),
    mcp: {
      heldCalls: new HeldCalls(programs),
      kept: { text: async () => null, bytes: async () => null },
      whereabouts: async () => ({ waitingFor: null, url: null }),
      onToolsChange: () => {},
      version: '1.0.0',
    },
  };
  const http = createHttp(ports, { pollMs: 50, ...options });
  const listening = await http.listen({ host: '127.0.0.1', port: 0 });

  onTestFinished(async () => {
    http.drain();
    await listening.close();
  });

  return {
    ...network,
    url: `http://127.0.0.1:${listening.port}`,
    key: environmentKey,
    keys,
    ports,
    http,
  };
}
export type HttpNetwork = Awaited<ReturnType<typeof openHttpNetwork>>;
