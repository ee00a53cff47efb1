import { onTestFinished } from 'vitest';
import { z } from 'zod';
import { callKey } from '../../src/gate/call/digest.ts';
import type { GateEvent } from '../../src/gate/call/events.ts';
import type { CallRecord, ProposedCall, ToolSnapshot } from '../../src/gate/call/record.ts';
import { RefusalError } from '../../src/gate/call/refusal.ts';
import { createGate } from '../../src/gate/index.ts';
import { compilePolicy } from '../../src/gate/policy/evaluate.ts';
import { policySchema } from '../../src/gate/policy/schema.ts';
import type { GateOptions } from '../../src/gate/ports.ts';
import type { JsonObject } from '../../src/lib/json.ts';
import { createArgumentValidator } from '../../src/mcp/arguments/validator.ts';
import type { Fence } from '../../src/storage/lease/types.ts';
import { openSqliteStore } from '../../src/storage/sqlite/store.ts';
import { collection, put, type Store } from '../../src/storage/store.ts';
import { auditKeys } from './audit-keys.ts';
import { ana, membersOnly, THREAD } from './people.ts';

const fences = collection({ name: 'fences', schema: z.object({ owner: z.string() }), indexes: {} });

export const createEvent: ToolSnapshot = {
  server: 'calendar',
  name: 'create_event',
  modelName: 'create_event',
  title: 'Create event',
  description: '',
  inputSchema: {
    type: 'object',
    properties: { title: { type: 'string' } },
    required: ['title'],
    additionalProperties: false,
  },
  definitionHash: 'v1',
  destructive: false,
};

/** A gate on a store in memory that ends with the test, with a clock that stands still. */
export function openGate(changes: Partial<GateOptions> = {}) {
  const store: Store = changes.store ?? openSqliteStore({ path: ':memory:' });
  if (changes.store === undefined) onTestFinished(() => store.close());
  const time = { now: 1_000_000 };
  const events: GateEvent[] = [];
  const ports: GateOptions = {
    store,
    clock: () => time.now,
    auditKeys,
    evaluate: compilePolicy(
      policySchema.parse({
        rules: [
          { name: 'reads', tools: '*.list_*', action: 'allow' },
          { name: 'no dropping', tools: '*.drop_*', action: 'deny', reason: 'calendars stay' },
        ],
      }),
    ),
    validateArguments: createArgumentValidator(),
    people: membersOnly,
    listeners: [{ notify: (event) => void events.push(event) }],
    requestLifetimeMs: 60_000,
    ...changes,
  };
  const gate = createGate(ports);
  return {
    gate,
    /** For another gate on the same record, as after a restart with other settings. */
    ports,
    store,
    time,
    events,
    /** Takes the thread over, as a worker that takes its lease does. */
    async fence(): Promise<Fence> {
      const taken = await store.commit({ put: [put(fences, THREAD, { owner: 'w' })] });
      if (!taken.committed) throw new Error('not taken');
      return {
        token: taken.version,
        expectation: { collection: 'fences', id: THREAD, version: taken.version },
      };
    },
    async call(callId: string): Promise<CallRecord> {
      const call = await gate.calls.get(callKey(THREAD, callId));
      if (!call) throw new Error(`there is no call ${callId}`);
      return call;
    },
  };
}
export type OpenGate = ReturnType<typeof openGate>;

export function proposed(
  callId: string,
  tool: Partial<ToolSnapshot> | null = {},
  args: JsonObject = { title: 'Standup' },
): ProposedCall {
  const snapshot = tool && { ...createEvent, modelName: tool.name ?? 'create_event', ...tool };
  return {
    callId,
    kind: 'tool',
    tool: snapshot,
    modelName: snapshot?.modelName ?? 'gone_tool',
    arguments: args,
  };
}

export const question: ToolSnapshot = {
  ...createEvent,
  server: 'countersign',
  name: 'ask_user',
  modelName: 'ask_user',
  inputSchema: { type: 'object' },
};

/** What a request of these calls is opened with. */
export function opening(fence: Fence, ...calls: readonly ProposedCall[]) {
  return { threadId: THREAD, runId: 'r1', interruptId: 'i1', requester: ana, calls, fence };
}

/** What a call is begun with. */
export function beginning(fence: Fence, call: ProposedCall) {
  return { threadId: THREAD, runId: 'r1', requester: ana, call, fence };
}

/** The refusal in which the work ends; rejects when it does not. */
export async function refusalOf(work: Promise<unknown>): Promise<RefusalError> {
  const error: unknown = await work.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (error instanceof RefusalError) return error;
  throw new Error('it was not refused', { cause: error });
}

/** The code and the words of the refusal in which the work ends. */
export async function refusal(work: Promise<unknown>): Promise<string> {
  const { refusal: code, userMessage } = await refusalOf(work);
  return `${code}: ${userMessage}`;
}
