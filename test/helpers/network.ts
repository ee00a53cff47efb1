import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BaseMessage, isAIMessage, isToolMessage } from '@langchain/core/messages';
import { expect, onTestFinished } from 'vitest';
import type { AgentCheckpoints, AgentPorts } from '../../src/agents/ports.ts';
import type { Actor } from '../../src/gate/call/actor.ts';
import type { DecisionInput, DoubtAnswer } from '../../src/gate/call/decision.ts';
import { callKey } from '../../src/gate/call/digest.ts';
import type { GateEvent } from '../../src/gate/call/events.ts';
import { finalState, isOpenDoubt } from '../../src/gate/call/lifecycle.ts';
import { placeDigest } from '../../src/gate/call/order.ts';
import type { CallRecord, Plan } from '../../src/gate/call/record.ts';
import { policySchema } from '../../src/gate/policy/schema.ts';
import { calls, requests } from '../../src/gate/store/collections.ts';
import type { MailboxItem, SurfaceAddress } from '../../src/runs/collections.ts';
import { createSurfaceListener, type Surface } from '../../src/runs/index.ts';
import type { Agent, LiveEvent, RunEvent } from '../../src/runs/ports.ts';
import { carryCheckpoints } from '../../src/storage/checkpoints/carry.ts';
import { openSqliteFile, type SqliteFileOptions } from '../../src/storage/sqlite/file.ts';
import { storeInFile } from '../../src/storage/sqlite/store.ts';
import type { Store } from '../../src/storage/store.ts';
import { type CoreParts, createCore } from './core.ts';
import { createFakeHub, type FakeHub } from './fake-hub.ts';
import { ana, THREAD } from './people.ts';
import { type CutAt, createPower, type Power, PoweredSaver, poweredStore } from './power.ts';
import { ScriptedModel } from './scripted-model.ts';
import { quietSurface } from './surface.ts';

export const SLACK: SurfaceAddress = {
  kind: 'slack',
  team: 'T1',
  channel: 'C1',
  threadTs: '1.0',
  isDm: false,
};
export const HTTP: SurfaceAddress = { kind: 'http', keyName: 'key', name: 'x' };

/** Reads are allowed, dropping is denied, the rest is asked about. */
const POLICY = policySchema.parse({
  rules: [
    { name: 'reads', tools: ['*.list_*', '*.read_*'], action: 'allow' },
    { name: 'no dropping', tools: '*.drop_*', action: 'deny', reason: 'calendars stay' },
  ],
});

/** Where a network keeps its record. */
interface NetworkStorage {
  readonly store: Store;
  readonly checkpoints: AgentCheckpoints;
  /** @default one that is never cut */
  readonly power?: Power;
  readonly close: () => Promise<void>;
}

export interface CoreOptions {
  readonly model?: ScriptedModel;
  readonly routerModel?: ScriptedModel;
  /** @default a calendar; see `createFakeHub` */
  readonly hub?: FakeHub;
  readonly policy?: CoreParts['policy'];
  readonly clock?: () => number;
  readonly requestLifetimeMs?: number | null;
  readonly findNews?: CoreParts['findNews'];
  readonly maxSteps?: number;
  /** @default 128 */
  readonly maxTools?: number;
  /** @default 32 */
  readonly maxCalls?: number;
  /** @default 8 */
  readonly maxConcurrentCalls?: number;
  /** Whether other owners of leases are known to be gone; true by default. */
  readonly othersAreGone?: boolean;
  readonly wakeUps?: CoreParts['wakeUps'];
  readonly nudges?: CoreParts['nudges'];
  readonly slots?: CoreParts['slots'];
  readonly limits?: CoreParts['limits'];
  readonly onBegun?: CoreParts['onBegun'];
  readonly jobs?: CoreParts['jobs'];
  readonly pauses?: CoreParts['pauses'];
  readonly maxInflight?: number;
  /** @default Slack and HTTP, which show nothing but note what they are told */
  readonly surfaces?: readonly Surface[];
  /** Changes the ports of the graph: to let one of them fail. */
  readonly agentPorts?: (ports: AgentPorts) => AgentPorts;
  /** Graphs beside the assistant. */
  readonly graphs?: (ports: AgentPorts) => Readonly<Record<string, Agent>>;
}

export interface NetworkOptions extends CoreOptions {
  /** The database file of an earlier network; a new one by default. */
  readonly path?: string;
  readonly cutAt?: CutAt;
  /** How its file gets on the disk. */
  readonly disk?: SqliteFileOptions;
}

interface Message {
  readonly itemId?: string;
  readonly actor?: Actor;
  readonly threadId?: string;
  readonly surface?: SurfaceAddress;
  readonly graph?: string;
  readonly words?: string;
}

let owners = 0;

/**
 * The core of the product, all of it real but the model and the servers, on a SQLite file and with a power supply that
 * can be cut; ended with the test.
 */
export function openNetwork({ path: earlier, cutAt, disk: fileOptions, ...options }: NetworkOptions = {}) {
  const folder = earlier === undefined ? mkdtempSync(join(tmpdir(), 'countersign-network-')) : null;
  const path = earlier ?? join(folder ?? '', 'network.db');
  const power = createPower(cutAt);
  const file = openSqliteFile(path, fileOptions);
  const disk = storeInFile(file);
  const checkpointer = new PoweredSaver(file, power);
  const carried = carryCheckpoints(poweredStore(disk, power), checkpointer);
  const storage: NetworkStorage = {
    power,
    ...carried,
    async close() {
      await disk.close();
      if (folder !== null) rmSync(folder, { recursive: true, force: true });
    },
  };
  return { ...openNetworkOn(storage, options), path, disk, checkpointer };
}
export type Network = ReturnType<typeof openNetwork>;

/** A network that is opened, and works. */
export function startNetwork(options?: NetworkOptions): Network {
  const network = openNetwork(options);
  network.runs.start();
  return network;
}

/** The core of the product on any storage; ended with the test. */
export function openNetworkOn(storage: NetworkStorage, options: CoreOptions) {
  const { store, checkpoints, power = createPower() } = storage;
  const hub = options.hub ?? createFakeHub();
  const model = options.model ?? new ScriptedModel();
  const clock = options.clock ?? Date.now;
  let count = 0;
  owners += 1;
  const owner = `network ${owners}`;
  const ids = () => {
    count += 1;
    return `${owner}:${count}`;
  };

  const events: GateEvent[] = [];
  const runEvents: RunEvent[] = [];
  const live: LiveEvent[] = [];
  const errors: unknown[] = [];
  const logged: object[] = [];
  const note = (details: object, message: string) => void logged.push({ ...details, message });
  const log = {
    debug: note,
    info: note,
    warn: note,
    error(details: object, message: string) {
      note(details, message);
      errors.push('err' in details ? details.err : details);
    },
  };

  const recording: Partial<Surface> = {
    notifyRun: (_thread, event) => void runEvents.push(event),
    observe: (_thread, _item, event) => void live.push(event),
  };
  const surfaces = options.surfaces ?? [
    quietSurface({ kind: 'slack', ...recording }),
    quietSurface({ kind: 'http', newMessage: 'supersede', ...recording }),
  ];
  const core = createCore({
    store,
    clock,
    ids,
    policy: options.policy ?? POLICY,
    requestLifetimeMs: options.requestLifetimeMs ?? null,
    send: async (call, sendOptions) => power.read(() => hub.send(call, sendOptions)),
    agent: {
      models: { main: model, router: options.routerModel ?? null },
      checkpoints,
      tools: hub.tools,
      maxSteps: options.maxSteps ?? 25,
      maxTools: options.maxTools ?? 128,
      maxCalls: options.maxCalls ?? 32,
      maxConcurrentCalls: options.maxConcurrentCalls ?? 8,
    },
    findNews: options.findNews,
    agentPorts: options.agentPorts,
    graphs: options.graphs,
    wakeUps: options.wakeUps,
    nudges: options.nudges,
    jobs: options.jobs,
    pauses: options.pauses,
    ...(options.slots && { slots: options.slots }),
    ...(options.limits && { limits: options.limits }),
    ...(options.onBegun && { onBegun: options.onBegun }),
    ...(options.maxInflight && { maxInflight: options.maxInflight }),
    listeners: [{ notify: (event) => void events.push(event) }, createSurfaceListener(surfaces)],
    surfaces,
    holder: { owner, isGone: (other) => other !== owner && (options.othersAreGone ?? true) },
    log,
  });
  const { gate, runs } = core;

  let closed: Promise<void> | null = null;
  const network = {
    ...core,
    power,
    store,
    hub,
    model,
    events,
    runEvents,
    live,
    errors,
    logged,
    log,

    /** Receives a message without waiting for what comes of it; returns its id. */
    async send(text: string, message: Message = {}): Promise<string> {
      const itemId = message.itemId ?? ids();
      await runs.receive({
        threadId: message.threadId ?? THREAD,
        surface: message.surface ?? SLACK,
        ...(message.graph !== undefined && { graph: message.graph }),
        itemId,
        actor: message.actor ?? ana,
        text,
        ...(message.words !== undefined && { words: message.words }),
        at: clock(),
      });
      return itemId;
    },

    /** Receives a message and works until there is nothing left to do; returns its record. */
    async say(text: string, message: Message = {}): Promise<MailboxItem> {
      const itemId = await network.send(text, message);
      await runs.idle();
      return network.item(itemId);
    },

    async item(itemId: string): Promise<MailboxItem> {
      const item = await runs.item(itemId);
      if (!item) throw new Error(`there is no item ${itemId}`);
      return item;
    },

    keyOf: (callId: string, threadId = THREAD): string => callKey(threadId, callId),

    async call(callId: string, threadId = THREAD): Promise<CallRecord> {
      const call = await gate.calls.get(callKey(threadId, callId));
      if (!call) throw new Error(`there is no call ${callId}`);
      return call;
    },

    /** The later steps of the plan that this call is a step of. */
    async planned(callId: string): Promise<Plan['later']> {
      const { requestId } = await this.call(callId);
      return (await gate.requests.get(requestId ?? ''))?.plan?.later ?? [];
    },

    async isPending(callId: string): Promise<boolean> {
      return (await gate.calls.get(callKey(THREAD, callId)))?.state === 'pending';
    },

    /** Decides one call as it is shown, and works until there is nothing left to do. */
    async decide(callId: string, input: Partial<DecisionInput> = {}, actor: Actor = ana): Promise<void> {
      const call = await network.call(callId);
      const shown = { callKey: callKey(THREAD, callId), digest: call.digest, place: placeDigest(call) };
      const decision = { ...shown, type: 'approve' as const, ...input };
      await gate.decisions.decide([decision], actor);
      await runs.idle();
    },

    /** A person's word on a call in doubt, as it is shown; works until there is nothing left to do. */
    async settle(callId: string, word: DoubtAnswer, actor: Actor = ana): Promise<void> {
      const { digest } = await network.call(callId);
      await gate.decisions.settleDoubt(callKey(THREAD, callId), actor, { digest, answer: word });
      await runs.idle();
    },

    async isInDoubt(callId: string): Promise<boolean> {
      const call = await gate.calls.get(callKey(THREAD, callId));
      return call !== null && isOpenDoubt(call);
    },

    /** The conversation as it is kept. */
    async messages(threadId = THREAD): Promise<readonly BaseMessage[]> {
      const tuple = await checkpoints.saver.getTuple({ configurable: { thread_id: threadId } });
      const messages: unknown = tuple?.checkpoint.channel_values.messages ?? [];
      return Array.isArray(messages) ? messages : [];
    },

    /** What the conversation says of a call. */
    async resultOf(callId: string): Promise<string> {
      const results = (await network.messages()).filter(
        (it) => isToolMessage(it) && it.tool_call_id === callId,
      );
      expect(results).toHaveLength(1);
      return results[0]?.text ?? '';
    },

    /** What must hold of a thread on which nothing is left to do. */
    async expectWhole(threadId = THREAD): Promise<void> {
      expect(await runs.openItems(threadId)).toEqual([]);
      expect((await store.query(requests, 'openByThread', { prefix: [threadId] }, 10)).items).toEqual([]);
      const records = (await store.query(calls, 'byThread', { prefix: [threadId] }, 100)).items;
      for (const { value } of records)
        expect([value.callId, finalState(value)]).not.toEqual([value.callId, null]);
      const messages = await network.messages(threadId);
      const proposed = messages.filter((it) => isAIMessage(it)).flatMap((it) => it.tool_calls ?? []);
      const answered = messages.filter((it) => isToolMessage(it)).map((it) => it.tool_call_id);
      expect(answered.toSorted()).toEqual(proposed.map(({ id }) => id ?? '').toSorted());
    },

    /** The process ends, between two instructions. */
    kill(): void {
      power.cutNow();
      void runs.stop();
    },

    close(): Promise<void> {
      closed ??= end();
      return closed;
    },
  };
  async function end(): Promise<void> {
    if (power.isOn()) await runs.stop();
    await storage.close();
  }
  onTestFinished(network.close);
  return network;
}
