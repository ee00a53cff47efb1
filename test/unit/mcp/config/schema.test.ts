// biome-ignore-all lint/suspicious/noTemplateCurlyInString: it is the notation of the files under test.

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { ConfigError } from '../../../../src/lib/errors.ts';
import { loadMcpFile, parseServers } from '../../../../src/mcp/config/load.ts';
import { mcpServersSchema } from '../../../../src/mcp/config/schema.ts';
import { substituteVariables } from '../../../../src/mcp/config/variables.ts';

const where = { file: 'mcp.json', server: 'calendar' };
const sandbox = { protection: 'auto', network: true };
const common = {
  timeout_ms: 60_000,
  disabled: false,
  trusted: false,
  log_level: 'info',
  sampling: false,
};
const http = { headers: {}, allow_private_network: false };

async function mcpFile(content: unknown): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'countersign-mcp-config-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, 'mcp.json');
  await writeFile(file, typeof content === 'string' ? content : JSON.stringify(content));
  return file;
}

test.each([
  ['${TOKEN}', 'secret'],
  ['Bearer ${TOKEN}!', 'Bearer secret!'],
  ['${env:TOKEN}', 'secret'],
  ['${MISSING:-fallback}', 'fallback'],
  ['${MISSING:-}', ''],
  ['${EMPTY:-fallback}', 'fallback'],
  ['${EMPTY}', ''],
  ['$TOKEN costs $5', '$TOKEN costs $5'],
])('%s becomes "%s"', (text, expected) => {
  expect(substituteVariables({ a: [text] }, { TOKEN: 'secret', EMPTY: '' }, where)).toEqual({
    a: [expected],
  });
});

test('a value that looks like a variable is not replaced again', () => {
  expect(substituteVariables('${A}', { A: '${B}', B: 'b' }, where)).toBe('${B}');
});

test('an unset variable is named with its file, server and key, and no value is shown', () => {
  const value = { env: { KEY: '${SET}-${UNSET}' } };
  const substitute = () => substituteVariables(value, { SET: 'secret' }, where);
  expect(substitute).toThrow(ConfigError);
  expect(substitute).toThrow(/mcp\.json: server "calendar": env\.KEY: .*UNSET is not set/);
  expect(substitute).not.toThrow(/secret/);
});

test('a question that only VS Code can ask is refused', () => {
  expect(() => substituteVariables('${input:token}', {}, where)).toThrow(ConfigError);
});

test('the three kinds of server are read with their defaults', () => {
  const servers = {
    a: { command: 'node', args: ['${FILE}'], env: { KEY: 'x' } },
    b: { url: 'https://example.com/mcp', transport: 'sse', timeout_ms: 5000 },
    c: { in_process: 'calendar', type: 'calendar', disabled: true },
  };
  expect(parseServers(servers, { FILE: 'main.ts' }, 'countersign.yaml')).toEqual({
    a: { command: 'node', args: ['main.ts'], env: { KEY: 'x' }, sandbox, ...common },
    b: { url: 'https://example.com/mcp', ...http, transport: 'sse', ...common, timeout_ms: 5000 },
    c: { in_process: 'calendar', type: 'calendar', ...common, disabled: true },
  });
});

test('what the environment filled in is known by its name, and is nowhere written out', () => {
  const servers = {
    a: {
      url: 'https://example.com/${PLACE}',
      headers: { Authorization: 'Bearer ${TOKEN}', 'X-A': '${A:-b}' },
    },
  };
  const { a } = parseServers(servers, { PLACE: 'mcp', TOKEN: 'secret-1', UNUSED: 'x' }, 'countersign.yaml');
  expect(a?.filledIn).toEqual(
    new Map([
      ['PLACE', 'mcp'],
      ['TOKEN', 'secret-1'],
    ]),
  );
  expect(Object.keys({ ...a })).not.toContain('filledIn');
});

test.each([
  ['neither kind', {}, /exactly one of/],
  ['two kinds', { command: 'node', url: 'https://example.com' }, /exactly one of/],
  ['an unknown key', { command: 'node', arguments: [] }, /arguments/],
  ['a wrong value', { command: 'node', timeout_ms: -1 }, /timeout_ms/],
  [
    'a secret that names nobody whom it is for',
    { url: 'https://example.com', oauth: { client_id: 'a', client_secret: 'b' } },
    /client_secret: needs client_id and issuer/,
  ],
  [
    'a password in its address, which is not repeated',
    { url: 'https://ana:hunter2@example.com/mcp' },
    /^(?!.*hunter2).*url: has a user name or a password in it/,
  ],
  ['an address of another protocol', { url: 'file:///etc/passwd' }, /url: is not an http or https address/],
])('a server with %s is refused by name', (_what, server, message) => {
  const parse = () => parseServers({ calendar: server }, {}, 'countersign.yaml');
  expect(parse).toThrow(message);
  expect(parse).toThrow(/countersign\.yaml: server "calendar"/);
});

test('no server is named like this program’s own tools', () => {
  const parse = () => parseServers({ countersign: { command: 'node' } }, {}, 'countersign.yaml');
  expect(parse).toThrow(/server "countersign": "countersign" is the name of this program’s own tools/);
});

test('how other programs sign in to a server of an mcp.json is left out', async () => {
  const url = 'https://example.com/mcp';
  const servers = { a: { url, auth: { CLIENT_ID: 'x' }, oauth: { clientId: 'x', callbackPort: 1 } } };
  const [parsed] = Object.values(await loadMcpFile(await mcpFile({ mcpServers: servers }), {}));
  expect(parsed).toMatchObject({ url });
  expect(Object.keys(parsed ?? {})).not.toEqual(expect.arrayContaining(['auth']));
  expect(Object.keys(parsed ?? {})).not.toEqual(expect.arrayContaining(['oauth']));
});

test('the schema can be turned into JSON Schema for editors', () => {
  expect(z.toJSONSchema(mcpServersSchema, { io: 'input' })).toMatchObject({
    type: 'object',
    additionalProperties: {
      anyOf: [
        { required: ['command'] },
        { required: ['url'] },
        { required: ['in_process'] },
        { required: ['connector'] },
      ],
    },
  });
});

test.each(['mcpServers', 'servers'])(
  'an mcp.json with "%s" is read, and foreign keys are left out',
  async (key) => {
    const file = await mcpFile({
      [key]: { a: { type: 'stdio', command: 'node', autoApprove: ['x'] } },
      inputs: [],
    });
    expect(await loadMcpFile(file, {})).toEqual({
      a: { command: 'node', args: [], env: {}, sandbox, ...common },
    });
  },
);

test.each([
  ['http', 'http'],
  ['streamable-http', 'http'],
  ['sse', 'sse'],
])('the type %s of an mcp.json is a transport', async (type, transport) => {
  const file = await mcpFile({ mcpServers: { a: { type, url: 'https://example.com/mcp' } } });
  expect(await loadMcpFile(file, {})).toEqual({
    a: { url: 'https://example.com/mcp', ...http, transport, ...common },
  });
});

test('another type of an mcp.json is the kind of its tools', async () => {
  const file = await mcpFile({ mcpServers: { a: { type: 'calendar', command: 'node' } } });
  expect(await loadMcpFile(file, {})).toMatchObject({ a: { type: 'calendar' } });
});

test.each([
  ['text that is not JSON', '{"mcpServers": {"a": "secret', /is not JSON/],
  ['no servers', { tools: {} }, /neither "mcpServers" nor "servers"/],
])('an mcp.json with %s is refused without quoting it', async (_what, content, message) => {
  const loading = loadMcpFile(await mcpFile(content), {});
  await expect(loading).rejects.toThrow(message);
  await expect(loading).rejects.not.toThrow(/secret/);
});

test.each([
  ['Authorization', 'x', /belongs to signing in/],
  ['Mcp-Session-Id', 'x', /belongs to signing in/],
  ['mcp-protocol-version', 'x', /belongs to signing in/],
  ['Cookie', 'x', /belongs to signing in/],
  ['Content-Length', '0', /belongs to signing in/],
  ['X Confirm', 'x', /must be the name of an HTTP header/],
  ['X-Confirm', 'a\r\nAuthorization: b', /must be the value of an HTTP header/],
])('an approval can’t send the header %s: %j', (name, value, message) => {
  const a = { url: 'https://example.com/mcp', on_approved: { headers: { [name]: value } } };
  expect(() => parseServers({ a }, {}, 'c.yaml')).toThrow(message);
});

test.each(['progressToken', 'io.modelcontextprotocol/protocolVersion', 'dev.mcp/x', 'mcp/x'])(
  'an approval can’t set %s in the metadata of a call',
  (key) => {
    const a = { command: 'node', on_approved: { meta: { [key]: 1 } } };
    expect(() => parseServers({ a }, {}, 'c.yaml')).toThrow(/belongs to the protocol/);
  },
);

test('what goes with approved calls is filled in from the environment, and only HTTP has headers', () => {
  const on_approved = { headers: { 'X-Confirm': 'yes, ${KEY}' }, meta: { 'example.com/key': '${KEY}' } };
  const a = { url: 'https://example.com/mcp', on_approved };
  expect(parseServers({ a }, { KEY: 'secret-1' }, 'c.yaml')).toMatchObject({
    a: {
      on_approved: { headers: { 'X-Confirm': 'yes, secret-1' }, meta: { 'example.com/key': 'secret-1' } },
    },
  });
  const b = { command: 'node', on_approved: { headers: { 'X-Confirm': 'yes' } } };
  expect(() => parseServers({ b }, {}, 'c.yaml')).toThrow(/headers: there is no such setting/);
});
