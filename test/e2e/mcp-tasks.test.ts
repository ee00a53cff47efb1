import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { Progress } from '../../src/gate/types.ts';
import { FencedError, StoppedError } from '../../src/lib/errors.ts';
import { createSend } from '../../src/mcp/calls/send.ts';
import type { ServerConnections } from '../../src/mcp/hub/hub.ts';
import { createGatedCaller } from '../../src/tools/gated-caller.ts';
import { callOptions, testHub } from '../fixtures/mcp/harness.ts';
import { BUILT, VERDICT } from '../fixtures/servers/builder.ts';
import { startBuilder } from '../fixtures/servers/builder-http.ts';
import { beginning, type OpenGate, openGate, proposed } from '../helpers/gate.ts';
import { ana } from '../helpers/people.ts';

const BUILDER = new URL('../fixtures/servers/builder.ts', import.meta.url).pathname;

let folder: string;
let fixture: OpenGate;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'countersign-tasks-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  fixture = openGate({
    evaluate: () => ({ action: 'allow', rule: 'all', reason: null, policyVersion: '1' }),
  });
});

const entries = {
  stdio: async () => ({ command: process.execPath, args: [BUILDER, folder] }),
  'Streamable HTTP': async () => ({ url: await startBuilder(folder) }),
};

interface Calling {
  readonly tool?: string;
  readonly stopping?: AbortSignal;
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: Progress) => void;
}

/** A process of ours that calls the builder, with connections of its own. */
async function startProcess(entry: object) {
  const { hub, send } = testHub({ builder: entry });
  await hub.start();
  const definitions = await hub.tools();
  return async ({ tool = 'build', stopping, signal, onProgress = () => undefined }: Calling = {}) => {
    const caller = createGatedCaller({
      maxConcurrentCalls: 8,
      gate: fixture.gate,
      send,
      clock: fixture.ports.clock,
      ...(stopping && { stopping }),
    });
    const listed = definitions.find(({ name }) => name === tool);
    const input = beginning(await fixture.fence(), proposed('c1', listed ?? null, { what: 'tower' }));
    return caller({ ...input, signal: signal ?? new AbortController().signal, onProgress });
  };
}

const decide = (verdict: string) => writeFileSync(join(folder, VERDICT), verdict);
const built = () => (existsSync(join(folder, BUILT)) ? readFileSync(join(folder, BUILT), 'utf8') : '');

describe.each(Object.entries(entries))('a tool that is called as a task over %s', (_, entry) => {
  it.each(['build', 'test'])('says how far it is, and ends with its result: %s', async (tool) => {
    const call = await startProcess(await entry());
    const heard: Progress[] = [];
    const record = await call({
      tool,
      onProgress(progress) {
        heard.push(progress);
        decide('stands');
      },
    });
    expect(record).toMatchObject({
      state: 'succeeded',
      outcome: { content: [{ type: 'text', text: 'tower: stands' }] },
      job: { isTask: true, tries: 1 },
    });
    expect(heard[0]).toMatchObject({ message: 'laying bricks of the tower', jobId: expect.any(String) });
    expect(built()).toBe(`${tool} tower\n`);
  });

  it('fails with what the tool says when its task fails', async () => {
    const call = await startProcess(await entry());
    const record = await call({ onProgress: () => decide('collapsed') });
    expect(record).toMatchObject({ state: 'failed', outcome: { message: 'tower: collapsed' } });
  });

  it('is cancelled at its server when a person stops it', async () => {
    const call = await startProcess(await entry());
    const person = new AbortController();
    const onProgress = () => person.abort(new StoppedError(ana));
    const record = await call({ signal: person.signal, onProgress });
    const message = expect.stringMatching(/^The job was cancelled/);
    expect(record).toMatchObject({
      state: 'failed',
      outcome: { message, jobEnd: 'cancelled', stoppedBy: ana },
    });
  });
});

describe('a task over a restart of ours', () => {
  it('is waited for by the next process, which sends nothing anew', async () => {
    const entry = { url: await startBuilder(folder) };
    const first = await startProcess(entry);
    const stop = new AbortController();
    const stopped = first({ stopping: stop.signal, onProgress: () => stop.abort() });
    await expect(stopped).rejects.toBeInstanceOf(FencedError);
    const next = await startProcess(entry);
    const record = await next({ onProgress: () => decide('stands') });
    expect(record).toMatchObject({ state: 'succeeded', attempt: 2, tries: 1 });
    expect(built()).toBe('build tower\n');
  });

  it('is unclear when its server knows it no more, and is not sent again', async () => {
    const entry = { command: process.execPath, args: [BUILDER, folder] };
    const first = await startProcess(entry);
    const stop = new AbortController();
    await expect(first({ stopping: stop.signal, onProgress: () => stop.abort() })).rejects.toThrow();
    // Another process of the server, whose tasks are in memory.
    const record = await (await startProcess(entry))();
    expect(record).toMatchObject({
      state: 'in_doubt',
      outcome: { message: expect.stringMatching(/does not say how far job .* is:.*not found/i) },
    });
    expect(built()).toBe('build tower\n');
  });
});

describe('a task over the requester’s own account', () => {
  it('is told of as theirs', async () => {
    const { hub } = testHub({ builder: { url: await startBuilder(folder) } });
    await hub.start();
    const acquire: ServerConnections['acquire'] = async (...asked) => ({
      ...(await hub.connections.acquire(...asked)),
      isPersonal: true,
    });
    const send = createSend({ ...hub.connections, acquire });
    const call = { server: 'builder', name: 'build', arguments: { what: 'tower' }, takesTask: true };
    expect(await send(call, callOptions())).toMatchObject({ kind: 'task', task: { ownAccount: true } });
  });
});

describe('a server that does not cancel tasks', () => {
  it('is left with the task of a call that is stopped, and the record says so', async () => {
    const call = await startProcess({ url: await startBuilder(folder, { cancels: false }) });
    const person = new AbortController();
    const record = await call({ signal: person.signal, onProgress: () => person.abort() });
    expect(record).toMatchObject({
      state: 'in_doubt',
      outcome: { message: expect.stringContaining('builder offers no way to cancel job') },
    });
  });
});
