import { beforeEach, describe, expect, it } from 'vitest';
import { createGatedCaller } from '../../src/tools/gated-caller.ts';
import { testHub } from '../fixtures/mcp/harness.ts';
import { type RawAnswers, rawTask, startRawTasks } from '../fixtures/servers/raw-tasks.ts';
import { beginning, type OpenGate, openGate, proposed } from '../helpers/gate.ts';

let fixture: OpenGate;

beforeEach(() => {
  fixture = openGate({
    evaluate: () => ({ action: 'allow', rule: 'all', reason: null, policyVersion: '1' }),
  });
});

/** The record of a call of a server that answers like this. */
async function call(answers: RawAnswers) {
  const { hub, send } = testHub({ raw: { url: await startRawTasks(answers) } });
  await hub.start();
  const [build] = await hub.tools();
  const caller = createGatedCaller({
    maxConcurrentCalls: 8,
    gate: fixture.gate,
    send,
    clock: fixture.ports.clock,
    wait: async () => undefined,
  });
  const input = beginning(await fixture.fence(), proposed('c1', build ?? null, {}));
  return caller({ ...input, signal: new AbortController().signal, onProgress: () => undefined });
}

const begun = { 'tools/call': () => ({ task: rawTask() }) };
const completed = { 'tasks/get': () => rawTask({ status: 'completed' }) };
const said = (text: string) => ({ content: [{ type: 'text', text }] });

describe('a call whose server answers with a task', () => {
  it.each([
    ['a status that there is not', { task: rawTask({ status: 'submitted' }) }],
    ['an id that is a number', { task: rawTask({ taskId: 7 }) }],
    ['no task but words', { task: null, ...said('built') }],
    ['nothing', { nothing: 1 }],
  ])('is unclear where that has %s', async (_, answer) => {
    expect(await call({ 'tools/call': () => answer })).toMatchObject({ state: 'in_doubt' });
  });

  it('ends with its result where that says nonsense about pauses', async () => {
    const task = rawTask({ pollInterval: -1, statusMessage: 7 });
    const record = await call({
      ...completed,
      'tools/call': () => ({ task }),
      'tasks/result': () => said('built'),
    });
    expect(record).toMatchObject({ state: 'succeeded', outcome: { content: [{ text: 'built' }] } });
  });

  it('is unclear where its result is none', async () => {
    const record = await call({ ...begun, ...completed, 'tasks/result': () => ({ nothing: 1 }) });
    expect(record).toMatchObject({
      state: 'in_doubt',
      outcome: { message: 'raw does not say how far job t1 is.' },
    });
  });

  it('is unclear where its server answers about another task', async () => {
    const record = await call({
      ...begun,
      'tasks/get': () => rawTask({ taskId: 't2', status: 'completed' }),
      'tasks/result': () => said('of another'),
    });
    expect(record).toMatchObject({ state: 'in_doubt' });
  });
});
