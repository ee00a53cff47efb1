import { expect, test } from 'vitest';
import { runProgram, startAgentGate } from '../helpers/agent-gate.ts';

/** Who asks, as the client says it. */
interface Who {
  readonly session_id?: string | null;
  readonly agent_name?: string;
  readonly agent_type?: string;
}

const CALCULATOR = { agent_name: 'Calculator', agent_type: 'langgraph' };

/** The app, and a program that speaks to it as the published Open Edison client does. */
async function startClient() {
  const { app, key, ...others } = await startAgentGate();
  const run = (
    action: 'probe' | 'open' | 'begin' | 'end',
    subject: string,
    {
      url = app.url,
      as = key,
      seconds = 20,
      who = { session_id: 'session-of-the-python-client' },
    }: { url?: string; as?: string; seconds?: number; who?: Who } = {},
  ) => {
    const fixture = 'test/fixtures/open-edison-client.py';
    return runProgram(['python3', fixture, action, url, as, String(seconds), subject, JSON.stringify(who)]);
  };
  const read = async (path: string): Promise<unknown> => {
    const answer = await fetch(`${app.url}${path}`, { headers: { authorization: `Bearer ${key}` } });
    return answer.json();
  };
  return { run, read, ...others };
}

test('approved, it runs and reports', async () => {
  const { run, click, card } = await startClient();
  const ran = run('begin', 'multiply');
  await click('agent_multiply', 'Approve');
  expect(await ran).toMatch(/^ran \S+ in session-of-the-python-client$/);
  await card('42');
});

test('denied, it does not run, and is told by whom', async () => {
  const { run, click } = await startClient();
  const ran = run('begin', 'multiply');
  await click('agent_multiply', 'Reject');
  expect(await ran).toMatch(/^PermissionError: .+ rejected this/);
});

test('out of time, it is answered before it gives up', async () => {
  const { run, card } = await startClient();
  expect(await run('begin', 'multiply', { seconds: 4 })).toMatch(/^PermissionError: Nobody decided within/);
  await card('Expired');
});

test('a wrong key, an unknown call and a server that is down are errors', async () => {
  const { run } = await startClient();
  expect(await run('begin', 'multiply', { as: 'wrong' })).toMatch(/^HTTP 401 /);
  expect(await run('open', '', { as: 'wrong' })).toMatch(/^HTTP 401 /);
  expect(await run('end', 'no-such-call')).toBe('HTTP 404 unknown_call');
  expect(await run('begin', 'multiply', { url: 'http://127.0.0.1:9' })).toMatch(/^unreachable: .*refused/);
});

test('its probes are answered: whether the gate is there, and whether it takes the key', async () => {
  const { run } = await startClient();
  expect(await run('probe', '')).toBe('healthy, the key is taken');
  expect(await run('probe', '', { as: 'wrong' })).toBe('healthy, the key is not taken: 401');
  expect(await run('probe', '', { url: 'http://127.0.0.1:9' })).toMatch(/^unreachable: .*refused/);
});

test.each([
  ['null', { session_id: null }],
  ['none', {}],
] as const)(
  'with %s for a session it is given one, in which it runs and reports, and is on record with its name and kind',
  async (_, session) => {
    const { run, read, click, card } = await startClient();
    const running = run('begin', 'multiply', { who: { ...session, ...CALCULATOR } });
    await click('agent_multiply', 'Approve');
    const [, given] = /^ran \S+ in (\S+)$/.exec(await running) ?? [];
    expect(given).toMatch(/^(?!None$)\S{8,}$/);
    await card('42');
    expect(await read('/api/sessions')).toMatchObject({ sessions: [{ session_id: given, ...CALCULATOR }] });
    expect(await read(`/api/calls?session=${given}`)).toMatchObject({
      calls: [{ tool: 'agent_multiply', status: 'succeeded', program: { session: given } }],
    });
  },
);

test('a session that it opens first is the one in which it runs, and stays as it was opened', async () => {
  const { run, read } = await startClient();
  const opened = await run('open', '', { who: { session_id: null, ...CALCULATOR } });
  const [, given = ''] = /^opened (\S+)$/.exec(opened) ?? [];
  const who = { session_id: given };
  expect(await run('open', '', { who })).toBe(opened);
  const ran = await run('begin', 'read_sum', { who: { ...who, agent_name: 'Another' } });
  expect(ran).toMatch(/^ran \S+ in \S+$/);
  expect(ran).toContain(` in ${given}`);
  const named = await run('open', '', { who: { session_id: 'own', agent_name: 'Named' } });
  expect(named).toBe('opened own');
  expect(await read('/api/sessions')).toMatchObject({
    sessions: [
      { session_id: 'own', agent_name: 'Named', agent_type: null },
      { session_id: given, ...CALCULATOR },
    ],
  });
});
