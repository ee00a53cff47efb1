import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BaseMessage, isAIMessage, isToolMessage } from '@langchain/core/messages';
import { expect } from 'vitest';
import type { AgentPorts } from '../../src/agents/ports.ts';
import type { Actor } from '../../src/gate/call/actor.ts';
import type { DecisionInput, DoubtAnswer } from '../../src/gate/call/decision.ts';
import { callKey } from '../../src/gate/call/digest.ts';
import type { GateEvent } from '../../src/gate/call/events.ts';
import { finalState, isOpenDoubt } from '../../src/gate/call/lifecycle.ts';
import type { CallRecord } from '../../src/gate/call/record.ts';
import { policySchema } from '../../src/gate/policy/schema.ts';
import { calls, requests } from '../../src/gate/store/collections.ts';
import type { MailboxItem, SurfaceAddress } from '../../src/runs/collections.ts';
import type { Surface } from '../../src/runs/index.ts';
import type { Agent, LiveEvent, RunEvent } from '../../src/runs/ports.ts';
import { openSqliteStore } from '../../src/storage/sqlite/store.ts';
import { createCore } from './core.ts';
import { createFakeHub, type FakeHub } from './fake-hub.ts';
import { ana, THREAD } from './people.ts';
import { type CutAt, createPower, PoweredSaver, poweredStore } from './power.ts';
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
export const POLICY = policySchema.parse({
  rules: [
    { name: 'reads', tools: ['*.list_*', '*.read_*'], action: 'allow' },
    { name: 'no dropping', tools: '*.drop_*', action: 'deny', reason: 'calendars stay' },
  ],
});

export interface NetworkOptions {
  /** The database file of an earlier network; a new one by default. */
  readonly path?: string;
  readonly model?: ScriptedModel;
  readonly routerModel?: ScriptedModel;
  readonly hub?: FakeHub;
  readonly policy?: typeof POLICY;
  readonly clock?: () => number;
  readonly requestLifetimeMs?: number | null;
  readonly maxSteps?: number;
  readonly cutAt?: CutAt;
  /** Whether other owners of leases are known to be gone; true by default. */
  readonly othersAreGone?: boolean;
  /** Changes the ports of the graph: to let one of them fail. */
  readonly agentPorts?: (ports: AgentPorts) => AgentPorts;
  /** Graphs beside the assistant. */
  readonly graphs?: (ports: AgentPorts) => Readonly<Record<string, Agent>>;
}

export interface Message {
  readonly itemId?: string;
  readonly actor?: Actor;
  readonly threadId?: string;
  readonly surface?: SurfaceAddress;
  readonly graph?: string;
}

let owners = 0;

/** The whole core of the product on one database file: all of it real but the model and the servers. */
export function openNetwork(options: NetworkOptions = {}) {
  const folder = options.path === undefined ? mkdtempSync(join(tmpdir(), 'countersign-network-')) : null;
  const path = options.path ?? join(folder ?? '', 'network.db');
  const power = createPower(options.cutAt);
  const disk = openSqliteStore({ path });
  const store = poweredStore(disk, power);
  const checkpointer = new PoweredSaver(path, power);
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

  const recording: Partial<Surface> = {
    notifyRun: (_thread, event) => void runEvents.push(event),
    observe: (_thread, _item, event) => void live.push(event),
  };
  const { gate, callTool, agent, runs, wakeUps } = createCore({
    store,
    clock,
    ids,
    policy: options.policy ?? POLICY,
    requestLifetimeMs: options.requestLifetimeMs ?? null,
    send: async (call, sendOptions) => power.read(() => hub.send(call, sendOptions)),
    agent: {
      models: { main: model, router: options.routerModel ?? null },
      checkpoints: {
        saver: checkpointer,
        prune: (threadId) => checkpointer.prune(threadId, 1),
        claim: (threadId, token) => checkpointer.claim(threadId, token),
      },
      tools: hub.tools,
      maxSteps: options.maxSteps ?? 25,
    },
    agentPorts: options.agentPorts,
    graphs: options.graphs,
    listeners: [{ notify: (event) => void events.push(event) }],
    surfaces: [
      quietSurface({ kind: 'slack', ...recording }),
      quietSurface({ kind: 'http', newMessage: 'supersede', ...recording }),
    ],
    holder: { owner, isGone: (other) => other !== owner && (options.othersAreGone ?? true) },
    log: { error: (details) => void errors.push('err' in details ? details.err : details) },
  });

  const network = {
    path,
    power,
    store,
    disk,
    checkpointer,
    hub,
    model,
    gate,
    runs,
    agent,
    callTool,
    wakeUps,
    events,
    runEvents,
    live,
    errors,

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

    async isPending(callId: string): Promise<boolean> {
      return (await gate.calls.get(callKey(THREAD, callId)))?.state === 'pending';
    },

    /** Decides one call as it is shown, and works until there is nothing left to do. */
    async decide(callId: string, input: Partial<DecisionInput> = {}, actor: Actor = ana): Promise<void> {
      const { digest } = await network.call(callId);
      const decision = { callKey: callKey(THREAD, callId), digest, type: 'approve' as const, ...input };
      await gate.decisions.decide([decision], actor);
      await runs.idle();
    },

    /** A person's word on a call in doubt, as it is shown; works until there is nothing left to do. */
    async settle(callId: string, word: DoubtAnswer, actor: Actor = ana): Promise<void> {
      const { digest } = await network.call(callId);
      await gate.decisions.settleDoubt(callKey(THREAD, callId), actor, { digest, word });
      await runs.idle();
    },

    async isInDoubt(callId: string): Promise<boolean> {
      const call = await gate.calls.get(callKey(THREAD, callId));
      return call !== null && isOpenDoubt(call);
    },

    /** The conversation as it is kept. */
    async messages(threadId = THREAD): Promise<readonly BaseMessage[]> {
      const tuple = await checkpointer.getTuple({ configurable: { thread_id: threadId } });
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

    async close(): Promise<void> {
      if (power.isOn()) await runs.stop();
      checkpointer.close();
      await disk.close();
      if (folder !== null) rmSync(folder, { recursive: true, force: true });
    },
  };
  return network;
}
export type Network = ReturnType<typeof openNetwork>;
