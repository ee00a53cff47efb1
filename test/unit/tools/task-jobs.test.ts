import { beforeEach, describe, expect, it } from 'vitest';
import { createGatedCaller } from '../../../src/tools/gated-caller.ts';
import type { SendResult, TaskAsk, TaskState } from '../../../src/tools/ports.ts';
import { failure, ofOwnAccount } from '../../helpers/fake-hub.ts';
import { beginning, type OpenGate, openGate, proposed } from '../../helpers/gate.ts';

let fixture: OpenGate;
/** What the server answers to the questions about its task, in turn; the last one from then on. */
let answers: Partial<Record<TaskAsk['ask'], SendResult[]>>;

const working: TaskState = { id: 't1', status: 'working', message: null, pollMs: null, canCancel: true };
const task = (state: Partial<TaskState> = {}): SendResult => ({
  kind: 'task',
  task: { ...working, ...state },
});

beforeEach(() => {
  fixture = openGate();
  answers = {};
});

function answer(ask: TaskAsk['ask']): SendResult {
  const [next, ...later] = answers[ask] ?? [];
  if (later.length > 0) answers[ask] = later;
  return next ?? { kind: 'ended', outcome: failure(`cannot say ${ask}`), retry: null };
}

async function call() {
  const caller = createGatedCaller({
    maxConcurrentCalls: 8,
    gate: fixture.gate,
    send: async ({ task: asked }) => (asked ? answer(asked.ask) : task()),
    clock: fixture.ports.clock,
    wait: async () => undefined,
  });
  const input = beginning(await fixture.fence(), proposed('c1', { name: 'list_events' }));
  return caller({ ...input, signal: new AbortController().signal, onProgress: () => undefined });
}

describe('a task that the requester’s own account is told of', () => {
  it.each(['failed', 'cancelled'] as const)('has an end that is theirs: %s', async (status) => {
    answers = { state: [task({ status, message: 'salary of Ana', ownAccount: true })] };
    const record = await call();
    expect(record).toMatchObject({ state: 'failed', outcome: { ownAccount: true } });
  });

  it('is unclear without the words of the server', async () => {
    answers = { state: [ofOwnAccount('salary of Ana')] };
    expect(await call()).toMatchObject({
      state: 'in_doubt',
      outcome: { message: 'calendar does not say how far job t1 is.' },
    });
  });
});
