import { expect, it } from 'vitest';
import { recordKey, type ToolSnapshot } from '../../../src/gate/types.ts';
import { hold } from '../../../src/http/mcp/hold.ts';
import { createOpenAnswers } from '../../../src/http/mcp/open-answers.ts';
import { CallWaits, HeldCalls } from '../../../src/programs/index.ts';
import { openThread } from '../../../src/runs/mailbox.ts';
import { createEvent, openGate } from '../../helpers/gate.ts';
import { ana, THREAD } from '../../helpers/people.ts';

/** A program whose call is denied at once. */
function open() {
  const { gate, store, time } = openGate();
  const clock = () => time.now;
  let count = 0;
  const heldCalls = new HeldCalls({
    gate,
    store,
    clock,
    waits: new CallWaits(),
    ids: () => `c${++count}`,
    runs: { openThread: (thread) => openThread(thread, clock) },
    findPlace: async () => ({
      requester: ana,
      threadId: (name) => `${THREAD}-${name}`,
      surface: { kind: 'test' },
    }),
    tools: async () => [],
    matches: () => true,
  });
  const caller = {
    program: { id: 'key:env', name: 'Builder' },
    settings: { title: 'Builder', person: ana.id, channel: null, holdMs: 1, tools: [] },
    isStillIn: async () => true,
  };
  const tool: ToolSnapshot = { ...createEvent, name: 'drop_event', modelName: 'drop_event' };
  const submit = () =>
    heldCalls.submit(caller, { session: 's', agentName: null, tool, arguments: { title: 'x' } });
  /** Answers it; the answer has been sent once `send` is called. */
  async function answer() {
    const held = await submit();
    let send = async (): Promise<void> => undefined;
    const result = await hold(
      {
        heldCalls,
        clock,
        kept: { text: async () => null, bytes: async () => null },
        whereabouts: async () => ({ waitingFor: null, url: null }),
        stopping: new AbortController().signal,
        openAnswer: createOpenAnswers().open('key:env'),
        onSent: (then) => {
          send = then;
        },
      },
      caller,
      held,
      { mcpReq: { id: 1, signal: new AbortController().signal, notify: async () => undefined } },
    );
    return { key: recordKey(held.call), result, send };
  }
  return answer;
}

it('whoever missed the end of a call gets it by the same call; whoever was sent it makes another one', async () => {
  const answer = open();
  const missed = await answer();
  expect(missed.result).toMatchObject({
    isError: true,
    content: [{ text: expect.stringContaining('calendars stay') }],
  });
  const again = await answer();
  expect(again.key).toBe(missed.key);
  await again.send();
  expect((await answer()).key).not.toBe(missed.key);
});

it('the same call at once after the answer is another one, also before it is on record that it was sent', async () => {
  const answer = open();
  const first = await answer();
  const second = answer();
  await first.send();
  expect((await second).key).not.toBe(first.key);
});
