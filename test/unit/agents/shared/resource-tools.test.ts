import { expect, test } from 'vitest';
import { findTool, mergeResourceTools } from '../../../../src/agents/shared/resource-tools.ts';
import { toDefinition } from '../../../../src/mcp/tools/definition.ts';
import { LIST_RESOURCES, READ_RESOURCE } from '../../../../src/mcp/tools/resource-tools.ts';

const echo = toDefinition(
  { name: 'echo', inputSchema: { type: 'object' } },
  { server: 'a', toolType: 'a', modelName: 'a__echo' },
);
const forResources = ['a', 'b'].flatMap((server) =>
  [LIST_RESOURCES, READ_RESOURCE].map((tool) =>
    toDefinition(tool, { server, toolType: server, modelName: `${server}__${tool.name}` }),
  ),
);
const tools = [...forResources, echo];

test('the model is offered one pair for all servers, with the server as an argument', () => {
  const { rest, merged } = mergeResourceTools(tools);
  expect(rest).toEqual([echo]);
  expect(merged.map(({ modelName }) => modelName)).toEqual(['list_resources', 'read_resource']);
  expect(merged[1]?.inputSchema).toMatchObject({
    properties: { server: { enum: ['a', 'b'] }, uri: { type: 'string' } },
    required: ['server', 'uri'],
    additionalProperties: false,
  });
});

test.each([
  ['read_resource', { server: 'b', uri: 'x://1' }, { server: 'b', name: 'read_resource' }, { uri: 'x://1' }],
  ['list_resources', { server: 'a' }, { server: 'a', name: 'list_resources' }, {}],
  ['a__echo', { server: 'b' }, { server: 'a', name: 'echo' }, { server: 'b' }],
])('a call of %s with %j is one of its server’s', (name, args, tool, rest) => {
  const found = findTool(tools, name, args);
  expect(found?.tool).toMatchObject(tool);
  expect(found?.args).toEqual(rest);
});

test.each([
  ['read_resource', { server: 'c', uri: 'x://1' }],
  ['read_resource', { uri: 'x://1' }],
  ['echo', {}],
])('a call of %s with %j is one of no tool', (name, args) => {
  expect(findTool(tools, name, args)).toBeNull();
});
