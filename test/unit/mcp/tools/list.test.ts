import type { Tool } from '@modelcontextprotocol/client';
import { Server } from '@modelcontextprotocol/server';
import { expect, test, vi } from 'vitest';
import { callOptions, testHub } from '../../../fixtures/mcp/harness.ts';

const inputSchema = { type: 'object' as const };

/** A server that lists these tools, connected. */
async function listing(tools: Tool[]) {
  const called = vi.fn();
  const server = new Server(
    { name: 'it', version: '1.0.0' },
    { capabilities: { tools: { listChanged: true } } },
  );
  server.setRequestHandler('tools/list', () => ({ tools }));
  server.setRequestHandler('tools/call', () => {
    called();
    return { content: [] };
  });
  const { hub, send, logger, retries } = testHub(
    { it: { in_process: 'it' } },
    { inProcess: new Map([['it', () => server]]) },
  );
  await hub.start();
  const leftOut = () => logger.lines.filter(({ message }) => message === 'tool left out');
  return { hub, send, server, leftOut, retries, called };
}

/** With so many characters in its name, description and input schema. */
const told = (length: number): Tool => ({
  name: 'told',
  description: 'x'.repeat(length - 'told'.length - JSON.stringify(inputSchema).length),
  inputSchema,
});
/** With so many characters of JSON in all. */
const said = (length: number): Tool => {
  const tool = (pattern: string): Tool => ({
    name: 'said',
    inputSchema,
    outputSchema: { type: 'object', properties: { a: { pattern } } },
  });
  return tool('x'.repeat(length - JSON.stringify(tool('')).length));
};

test('a tool of 20,000 characters for the model, and of 100,000 in all, is offered', async () => {
  const { hub, leftOut } = await listing([told(20_000), said(100_000)]);
  expect((await hub.tools()).map(({ name }) => name)).toEqual(['said', 'told']);
  expect(leftOut()).toEqual([]);
});

test.each([
  ['for the model', told(20_001), 'It takes more than 20,000 characters to describe.'],
  ['in all', said(100_001), 'It is described in more than 100,000 characters.'],
  [
    'than what can be read',
    { name: 'odd', inputSchema: { ...inputSchema, properties: { a: { type: 'nonsense' } } } },
    'It has an input schema that cannot be read: schema is invalid: data/properties/a/type must be equal to one of the allowed values, data/properties/a/type must be array, data/properties/a/type must match a schema in anyOf.',
  ],
])(
  'one that is larger %s is not offered and not called, which the log says once',
  async (_what, tool, why) => {
    const tools = [tool, { name: 'small', inputSchema }];
    const { hub, send, server, leftOut, retries, called } = await listing(tools);
    expect((await hub.tools()).map(({ name }) => name)).toEqual(['small']);
    expect(hub.status()).toMatchObject([{ state: 'up', toolCount: 1, omitted: [{ name: tool.name }] }]);
    const call = { server: 'it', name: tool.name, arguments: {}, definitionHash: 'as it was approved' };
    expect(await send(call, callOptions())).toMatchObject({
      outcome: { status: 'failed', message: `it does not offer ${tool.name} any more; nothing was done.` },
    });
    expect(called).not.toHaveBeenCalled();
    tools.push({ name: 'new', inputSchema });
    await server.sendToolListChanged();
    await vi.waitUntil(async () => {
      for (const retry of retries.splice(0)) retry();
      return (await hub.tools()).length === 2;
    });
    expect(leftOut()).toEqual([
      { details: { server: 'it', tool: tool.name, reason: why }, message: 'tool left out' },
    ]);
  },
);

test('a server with more than 1,000 tools is down and says so', async () => {
  const tools = Array.from({ length: 1_001 }, (_, index): Tool => ({ name: `tool_${index}`, inputSchema }));
  const error = 'Its list of tools is too long: it has more than 1,000 tools.';
  expect((await listing(tools)).hub.status()).toMatchObject([{ state: 'down', error, toolCount: 0 }]);
  expect((await listing(tools.slice(1))).hub.status()).toMatchObject([{ state: 'up', toolCount: 1_000 }]);
});

test('a definition that the SDK refuses leaves only its own tool out, which status names', async () => {
  const broken = [
    { name: 'untyped', inputSchema: { $schema: 'https://json-schema.org/draft/2020-12/schema' } },
    { name: 'worded', inputSchema: { type: 'string' } },
    { name: 'bare' },
    { inputSchema },
    null,
  ];
  // Past its own types, as a server of another language may.
  const { hub } = await listing(JSON.parse(JSON.stringify([{ name: 'fine', inputSchema }, ...broken])));
  expect((await hub.tools()).map(({ name }) => name).toSorted()).toEqual(['fine', 'untyped']);
  expect(hub.status()).toMatchObject([
    {
      state: 'up',
      toolCount: 2,
      omitted: [
        {
          name: 'worded',
          why: 'has a definition that cannot be read: inputSchema.type: Invalid input: expected "object"',
        },
        {
          name: 'bare',
          why: 'has a definition that cannot be read: inputSchema: Invalid input: expected object, received undefined',
        },
      ],
    },
  ]);
});
