import { expect, test } from 'vitest';
import { z } from 'zod';
import { expectDescribed } from '../helpers/described-answers.ts';
import { KEY, PERSON, startMcpGate } from '../helpers/mcp-gate.ts';

const begunSchema = z.looseObject({ approved: z.boolean(), error: z.string().nullable() });

/** The whole app with a program that may make so many calls a day. */
async function startWithBudget(limits: object) {
  const gate = await startMcpGate({ settings: { limits, admins: [PERSON] } });
  const ask = async (body: object) => {
    const response = await fetch(`${gate.app.url}/agent/begin`, {
      method: 'POST',
      headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
      body: JSON.stringify({ timeout_s: 20, ...body }),
    });
    await expectDescribed('POST', response);
    return begunSchema.parse(await response.json());
  };
  return { ...gate, ask };
}

const KINDS = [
  ['key', 'API key env has used today’s 1 tool call.'],
  ['person', 'Ana has used today’s 1 tool call.'],
] as const;

test.each(KINDS)(
  'a tool that a program calls through the gate is refused beyond the budget of its %s, and admins are asked',
  async (kind, words) => {
    const { app, driver, connect, card, file, write } = await startWithBudget({
      [kind]: { calls_per_day: 1 },
    });
    const client = await connect();
    const list = { name: 'files__list_directory', arguments: { path: app.folder } };
    expect(await client.callTool(list)).not.toHaveProperty('isError', true);
    for (const call of [list, write('never.txt')]) {
      expect(await client.callTool(call)).toMatchObject({
        isError: true,
        content: [
          { text: expect.stringMatching(/^Today's limit of 1 tool call .* Nothing was asked or done\./) },
        ],
      });
    }
    const asked = await card(words);
    await driver.as(PERSON).click(asked, 'Allow 1 more tool call today');
    await card('Take it back');
    const writing = client.callTool(write('then.txt'));
    await driver.as(PERSON).click(await card('then.txt'), 'Approve');
    expect(await writing).not.toHaveProperty('isError', true);
    expect(await file('then.txt')).toBe('hello');
  },
);

test.each(KINDS)(
  'a function that a program asks about is refused beyond the budget of its %s, and admins are asked',
  async (kind, words) => {
    const { driver, ask, card } = await startWithBudget({ [kind]: { calls_per_day: 1 } });
    const first = ask({ name: 'deploy' });
    const waiting = await card('agent_deploy');
    expect(await ask({ name: 'deploy again' })).toMatchObject({
      approved: false,
      call_id: null,
      error: expect.stringContaining(`raise limits.${kind}.calls_per_day in countersign.yaml`),
    });
    await card(words);
    // What people approve is never refused.
    await driver.as(PERSON).click(waiting, 'Approve');
    expect(await first).toMatchObject({ approved: true });
  },
);

test('of calls that a program makes at the same time, no more than its budget begin', async () => {
  const { app, connect } = await startWithBudget({ key: { calls_per_day: 2 } });
  const client = await connect();
  const paths = Array.from({ length: 6 }, (_each, number) => `${app.folder}${'/.'.repeat(number)}`);
  const answers = await Promise.all(
    paths.map((path) => client.callTool({ name: 'files__list_directory', arguments: { path } })),
  );
  expect(answers.filter(({ isError }) => isError !== true)).toHaveLength(2);
});
