import { type CallRecord, type Outcome, recordKey, type ToolSnapshot } from '../../src/gate/types.ts';
import { hold } from '../../src/http/mcp/hold.ts';
import { createOpenAnswers } from '../../src/http/mcp/open-answers.ts';
import type { JsonObject } from '../../src/lib/json.ts';
import { CallWaits, HeldCalls, type ProgramLimits } from '../../src/programs/index.ts';
import { openThread } from '../../src/runs/mailbox.ts';
import type { ToolDefinition } from '../../src/tools/ports.ts';
import { openGate } from './gate.ts';
import { ana, THREAD } from './people.ts';

/** How long people have to decide, in milliseconds. */
export const LIFETIME_MS = 4 * 86_400_000;

interface HeldCallsOptions {
  readonly tool: ToolSnapshot;
  readonly arguments: JsonObject;
  /** How long a call is held while its program is told of progress, in milliseconds. @default 1 */
  readonly holdMs?: number;
}

/** How a call is answered: `progressToken` where its client wants to hear of progress. */
interface AnswerOptions {
  readonly by?: ReturnType<typeof callerOf>;
  readonly progressToken?: number;
  readonly signal?: AbortSignal;
}

/** No limits of what programs may call. */
export const UNLIMITED: ProgramLimits = {
  findAccount: ({ requester }) => ({ kind: 'person', owner: requester.id, channel: null }),
  beginCall: async () => ({ giveBack: () => undefined }),
};

/** The calls of programs on a gate in memory, whose clock stands still. */
export function openHeldCalls({ tool, arguments: args, holdMs = 1 }: HeldCallsOptions) {
  const { gate, store, time, fence } = openGate({ requestLifetimeMs: LIFETIME_MS });
  const clock = () => time.now;
  const waits = new CallWaits();
  let count = 0;
  const newProcess = () =>
    new HeldCalls({
      gate,
      store,
      clock,
      waits,
      limits: UNLIMITED,
      ids: () => `c${++count}`,
      runs: { openThread: (thread) => openThread(thread, clock) },
      findPlace: async () => ({
        requester: ana,
        threadId: (name) => `${THREAD}-${name}`,
        surface: { kind: 'test' },
      }),
      tools: async () => [toDefinition(tool)],
      matches: () => true,
    });
  let heldCalls = newProcess();
  const caller = callerOf('key:env', holdMs);
  const submit = (by = caller) =>
    heldCalls.submit(by, { session: 's', agentName: null, tool, arguments: args });
  const progress: unknown[] = [];
  /** Answers it; the answer has been sent once `send` is called. */
  async function answer({ by = caller, progressToken, signal }: AnswerOptions = {}) {
    const held = await submit(by);
    let send = async (): Promise<void> => undefined;
    const result = await hold(
      {
        heldCalls,
        clock,
        kept: { text: async () => null, bytes: async () => null },
        whereabouts: async () => ({ waitingFor: 'Ana', url: null }),
        stopping: new AbortController().signal,
        openAnswer: createOpenAnswers().open(by.program.id),
        onSent: (then) => {
          send = then;
        },
      },
      by,
      held,
      {
        mcpReq: {
          id: 1,
          signal: signal ?? new AbortController().signal,
          notify: async ({ params }) => void progress.push(params),
          ...(progressToken !== undefined && { _meta: { progressToken } }),
        },
      },
    );
    return { key: recordKey(held.call), words: JSON.stringify(result.content), send };
  }
  return {
    gate,
    store,
    time,
    clock,
    waits,
    caller,
    /** What its client was told of progress. */
    progress,
    submit,
    answer,
    heldCalls: () => heldCalls,
    decide: (call: CallRecord, type: 'approve' | 'reject') =>
      gate.decisions.decide([{ callKey: recordKey(call), digest: call.digest, type }], ana),
    /** One of our workers runs it. */
    async run(call: CallRecord, outcome: Outcome) {
      const { callId, kind } = call;
      const proposed = { callId, kind, tool, modelName: tool.modelName, arguments: args };
      const begin = await gate.journal.begin({ ...call, call: proposed, fence: await fence() });
      await gate.journal.finish(begin.call, outcome);
    },
    /** Another process on the same store. */
    restart() {
      heldCalls = newProcess();
    },
  };
}
export type OpenHeldCalls = ReturnType<typeof openHeldCalls>;

/** A program with a key. */
export function callerOf(id: string, holdMs = 1) {
  return {
    program: { id, name: 'Builder' },
    settings: { title: 'Builder', person: ana.id, channel: null, holdMs, tools: [] },
    isStillIn: async () => true,
  };
}

function toDefinition(tool: ToolSnapshot): ToolDefinition {
  return {
    ...tool,
    toolType: tool.server,
    outputSchema: null,
    readOnly: tool.readOnly ?? false,
    asListed: {},
  };
}
