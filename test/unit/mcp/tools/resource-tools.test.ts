import { expect, test } from 'vitest';
import { callOptions, fixture, testHub } from '../../../fixtures/mcp/harness.ts';

const saying = (tools: string, resources: string) => ({ notes: fixture('saying.ts', '', tools, resources) });

test.each([
  ['some', ['list_resources', 'read_resource', 'say']],
  ['none', ['say']],
  ['broken', ['say']],
])('a server whose resources are %s offers %j', async (resources, names) => {
  const { hub } = testHub(saying('say', resources));
  await hub.start();
  expect((await hub.tools()).map(({ name }) => name)).toEqual(names);
  expect(hub.status()).toMatchObject([{ state: 'up', toolCount: 1 }]);
});

test('they are named alike for all servers, only read, and are listed and read by the protocol', async () => {
  const { hub, send } = testHub(saying('', 'some'));
  await hub.start();
  expect(await hub.tools()).toMatchObject([
    { server: 'notes', name: 'list_resources', modelName: 'list_resources', readOnly: true },
    { server: 'notes', name: 'read_resource', modelName: 'read_resource', readOnly: true },
  ]);
  const call = (name: string, args: Record<string, string>) =>
    send({ server: 'notes', name, arguments: args }, callOptions());
  expect(await call('list_resources', {})).toMatchObject({
    outcome: { status: 'succeeded', structured: { resources: [{ uri: 'note://1' }], templates: [] } },
  });
  expect(await call('read_resource', { uri: 'note://7' })).toMatchObject({
    outcome: { content: [{ type: 'resource', uri: 'note://7', text: 'note at note://7' }] },
  });
});

test('a server’s own tool of such a name stays its own', async () => {
  const { hub, send } = testHub(saying('read_resource', 'some'));
  await hub.start();
  const own = (await hub.tools()).find(({ name }) => name === 'read_resource');
  expect(own).toMatchObject({ modelName: 'notes__read_resource', readOnly: false });
  expect(await send({ server: 'notes', name: 'read_resource', arguments: {} }, callOptions())).toMatchObject({
    outcome: { content: [{ type: 'text', text: 'called read_resource' }] },
  });
});

test('a call that was approved as ours is not sent once the server has a tool of that name', async () => {
  const ours = testHub(saying('', 'some'));
  await ours.hub.start();
  const read = (await ours.hub.tools()).find(({ name }) => name === 'read_resource');
  const { hub, send } = testHub(saying('read_resource', 'some'));
  await hub.start();
  const call = { server: 'notes', name: 'read_resource', arguments: { uri: 'note://1' } };
  expect(await send({ ...call, definitionHash: read?.definitionHash ?? '' }, callOptions())).toMatchObject({
    kind: 'redefined',
  });
});
