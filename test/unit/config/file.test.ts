import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readConfigFile } from '../../../src/config/file.ts';
import { configJsonSchema } from '../../../src/config/json-schema.ts';
import { conversationRetention, maxDeadline, threadRetention } from '../../../src/config/retention.ts';
import { compilePolicy } from '../../../src/gate/policy/evaluate.ts';
import { ConfigError } from '../../../src/lib/errors.ts';
import { ROOT } from '../../helpers/sources.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'countersign-config-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const write = (text: string, name = 'c.yaml'): string => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};
const BUNDLED = { in_process: ['calendar'], connector: ['github'] };
const read = (text: string, env: Record<string, string> = {}) => readConfigFile(write(text), env);

/** What is said of a file, with the folder left out. */
async function refusal(text: string): Promise<string> {
  const error: unknown = await read(text).then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof ConfigError)) throw new Error(`not refused: ${String(error)}`);
  return error.userMessage.replaceAll(`${folder}/`, '');
}

describe('a file', () => {
  it.each(['', '# nothing yet\n', '{}'])('that says nothing (%j) has all defaults', async (text) => {
    expect(await read(text)).toMatchObject({
      agent: {
        instructions: '',
        max_steps: 60,
        max_tools: 128,
        max_calls_per_answer: 32,
        max_concurrent_calls: 8,
      },
      requests: { open_for: 86_400_000 },
      policy: { default: 'ask', rules: [] },
      servers: {},
    });
  });

  it.each([
    ['90s', 90_000],
    ['30m', 1_800_000],
    ['24h', 86_400_000],
    ['7d', 604_800_000],
    ['never', null],
  ])('keeps requests open for %s', async (text, ms) => {
    expect((await read(`requests: {open_for: ${text}}`)).requests.open_for).toBe(ms);
  });

  it.each([
    ['', 7_776_000_000],
    ['requests: {open_for: 89d}', 7_776_000_000],
    ['requests: {open_for: 90d}', null],
    ['requests: {open_for: never}', null],
    ['threads: {keep_for: 2d}', 172_800_000],
    ['threads: {keep_for: never}', null],
    ['threads: {keep_for: never}\nrequests: {open_for: never}', null],
    ['threads: {keep_for: 8d}\nrequests: {open_for: 7d}', 691_200_000],
    ['policy: {rules: [{tools: "*", action: ask, deadline: 89d}]}', 7_776_000_000],
    ['policy: {rules: [{tools: "*", action: ask, deadline: 90d}]}', null],
    ['policy: {rules: [{tools: "*", action: ask, deadline: never}]}', null],
  ])('that says %j keeps conversations for %s ms', async (text, ms) => {
    const { threads, requests, policy } = await read(text);
    expect(threadRetention(threads.keep_for, maxDeadline({ requests, policy }))).toBe(ms);
  });

  it.each<[string, number | null]>([
    ['threads: {keep_for: 20d}\nrecords: {keep_for: 10d}', 864_000_000],
    ['threads: {keep_for: 10d}\nrecords: {keep_for: 20d}', 864_000_000],
    ['threads: {keep_for: never}\nrecords: {keep_for: 10d}', 864_000_000],
    ['threads: {keep_for: 10d}', 864_000_000],
    ['threads: {keep_for: never}', null],
  ])('that says %j remembers no conversation longer than its records', async (text, ms) => {
    expect(conversationRetention(await read(text))).toBe(ms);
  });

  it('names servers, with variables filled in', async () => {
    const text = 'mcpServers:\n  files:\n    command: npx\n    env: {TOKEN: "$' + '{TOKEN}"}\n';
    expect((await read(text, { TOKEN: 'secret' })).servers.files).toMatchObject({
      command: 'npx',
      env: { TOKEN: 'secret' },
    });
  });

  it('takes further servers from a mcp.json beside it', async () => {
    write('{"mcpServers": {"files": {"command": "npx"}}}', 'mcp.json');
    const { servers } = await read('mcp_json: mcp.json\nmcpServers:\n  calendar: {in_process: calendar}\n');
    expect(Object.keys(servers)).toEqual(['calendar', 'files']);
  });
});

describe('a mistake is named with its file, line and key', () => {
  it.each([
    [
      'an unknown setting',
      'agent: {}\npolcy:\n  default: ask\n',
      'c.yaml:2: polcy: there is no such setting',
    ],
    [
      'an unknown setting further in',
      'agent:\n  max_steps: 60\n  steps: 5\n',
      'c.yaml:3: agent.steps: there is no such setting',
    ],
    ['two unknown settings', 'a: 1\nb: 2\n', 'c.yaml:1: a: there is no such setting\nc.yaml:2: b: there is'],
    ['a wrong kind of value', 'agent:\n  max_steps: many\n', 'c.yaml:2: agent.max_steps: must be a number'],
    ['a route to a team that is not there', 'routes:\n  dm: team\n', 'c.yaml:2: routes.dm: is for the team'],
    ['a number out of range', 'agent:\n  max_steps: 4\n', 'c.yaml:2: agent.max_steps: must be at least 5'],
    [
      'a time without a unit',
      'requests:\n  open_for: "24"\n',
      'c.yaml:2: requests.open_for: must be a number',
    ],
    ['no time at all', 'requests:\n  open_for: 0s\n', 'c.yaml:2: requests.open_for: must be a number'],
    ['a time beyond all dates', 'requests:\n  open_for: 999999d\n', 'c.yaml:2: requests.open_for: must be'],
    [
      'conversations that are not kept until requests end',
      'requests:\n  open_for: 7d\nthreads:\n  keep_for: 7d\n',
      'c.yaml:4: threads.keep_for: must be at least a day longer than requests.open_for and every deadline, or never',
    ],
    [
      'conversations that are not kept for requests that never end',
      'threads:\n  keep_for: 90d\nrequests:\n  open_for: never\n',
      'c.yaml:2: threads.keep_for: must be at least a day longer',
    ],
    [
      'records that are not kept until a deadline',
      'requests:\n  open_for: 7d\nrecords:\n  keep_for: 7d\n',
      'c.yaml:4: records.keep_for: must be at least a day longer than requests.open_for and every deadline, or never',
    ],
    [
      'conversations that are not kept until a deadline of a rule',
      'threads:\n  keep_for: 7d\npolicy:\n  rules:\n    - {tools: "*", action: ask, deadline: 7d}\n',
      'c.yaml:2: threads.keep_for: must be at least a day longer than requests.open_for and every deadline',
    ],
    [
      'an unknown action',
      'policy:\n  default: maybe\n',
      'c.yaml:2: policy.default: must be allow, ask or deny',
    ],
    [
      'an unknown action in a rule',
      'policy:\n  rules:\n    - tools: "*"\n      action: maybe\n',
      'c.yaml:4: policy.rules, 1st: action: must be allow, ask or deny',
    ],
    [
      'a rule without an action',
      'policy:\n  rules:\n    - tools: "a.*"\n      action: ask\n    - tools: "*"\n',
      'c.yaml:5: policy.rules, 2nd: action: is missing: allow, ask or deny',
    ],
    [
      'a rule for no tools',
      'policy:\n  rules:\n    - tools: []\n      action: ask\n',
      'c.yaml:3: policy.rules, 1st: tools: must not be empty',
    ],
    [
      'a list for a map',
      'policy: []\n',
      'c.yaml:1: policy: must be a map, with a line “key: …” for each; this is a list',
    ],
    ['a list for the whole', '- a\n- b\n', 'c.yaml:1: (whole file): must be a map'],
    [
      'a key that stands there twice',
      'agent: {}\nagent: {}\n',
      'c.yaml:2: this is not YAML: the key “agent” is here twice, first in line 1. Leave one of them',
    ],
    [
      'a key that stands twice in the policy',
      'policy:\n  default: ask\n  rules:\n    - tools: "a.*"\n      action: ask\n      tools: "b.*"\n',
      'c.yaml:6: this is not YAML: the key “tools” is here twice, first in line 4. Leave one of them',
    ],
    [
      'a key that stands twice in brackets, once in quotes',
      'policy:\n  default: ask\nagent: {model: a,\n  "model": b}\n',
      'c.yaml:4: this is not YAML: the key “model” is here twice, first in line 3. Leave one of them',
    ],
    [
      'a tab',
      'policy:\n\tdefault: ask\n',
      'c.yaml:2: this is not YAML: there is a tab before this. Indent with blanks',
    ],
    [
      'a bracket that stays open',
      'policy: {default: ask\n',
      'this is not YAML: a { before this is not closed',
    ],
    ['two documents', 'agent: {}\n---\nagent: {}\n', 'this is not YAML: a second document begins here'],
    [
      'a star without quotes',
      'admins: [U1]\ntool_review: *all\n',
      'c.yaml:2: this is not YAML: a value that begins with * must be in quotes',
    ],
    [
      'an @ without quotes',
      'mcp_json: @x\n',
      'c.yaml:1: this is not YAML: a value that begins with @ or ` must be in quotes',
    ],
    [
      'a colon in a text',
      'agent:\n  instructions: Note: be brief\n',
      'c.yaml:2: this is not YAML: a text with “: ” in it must be in quotes',
    ],
    [
      'a colon left out',
      'policy:\n  default ask\n  rules: []\n',
      'c.yaml:2: this is not YAML: a key has no “: ” after it',
    ],
    ['a quote that stays open', 'mcp_json: "x\n', 'this is not YAML: a quote before this is not closed'],
    [
      'a line in the wrong column',
      'policy:\n  default: ask\n rules: []\n',
      'c.yaml:3: this is not YAML: this line is not indented like those',
    ],
    [
      'a near name',
      'policy:\n  defualt: ask\n',
      'c.yaml:2: policy.defualt: there is no such setting; did you mean default?',
    ],
    [
      'a setting in the wrong place',
      'agent: {}\nrules: []\n',
      'c.yaml:2: rules: there is no such setting; there is policy.rules',
    ],
    [
      'an empty setting',
      'policy:\nagent: {}\n',
      'c.yaml:1: policy: must be a map, with a line “key: …” for each; this is empty',
    ],
    [
      'several, in the order of their lines',
      'mcpServers:\n  a:\n    url: https://x\n    transport: x\n    auth: x\n',
      'transport: must be http or sse\nc.yaml:5: mcpServers.a.auth: must be none or oauth',
    ],
    [
      'a server that cannot be reached',
      'mcpServers:\n  calendar:\n    args: [x]\n',
      'c.yaml:2: mcpServers.calendar: needs exactly one of "command", "url", "in_process" or "connector"',
    ],
    [
      'a slip in what says where a server is, on its own line',
      'mcpServers:\n  calendar:\n    args: [x]\n    comand: npx\n',
      'c.yaml:4: mcpServers.calendar.comand: there is no such setting; did you mean command?',
    ],
    [
      'two such slips, of which neither is clearly meant',
      'mcpServers:\n  calendar:\n    comand: npx\n    ulr: https://x\n',
      'c.yaml:2: mcpServers.calendar: needs exactly one of "command", "url", "in_process" or "connector"',
    ],
    ...['30', '"30"'].map((time) => [
      `a time without its unit, written ${time}`,
      `mcpServers:\n  calendar:\n    command: node\n    idle_timeout: ${time}\n`,
      'c.yaml:4: mcpServers.calendar.idle_timeout: must be a number and s, m, h or d, such as 30m, or off',
    ]),
    [
      'a time to start without its unit',
      'mcpServers:\n  calendar:\n    command: node\n    start_timeout: 30\n',
      'c.yaml:4: mcpServers.calendar.start_timeout: must be a number and s, m, h or d, such as 2m',
    ],
    [
      'an unknown setting of a server',
      'mcpServers:\n  calendar:\n    command: node\n    arguments: [x]\n',
      'c.yaml:4: mcpServers.calendar.arguments: there is no such setting',
    ],
    [
      'a wrong value of a server',
      'mcpServers:\n  calendar:\n    command: node\n    timeout_ms: -1\n',
      'c.yaml:4: mcpServers.calendar.timeout_ms: must be more than 0',
    ],
    [
      'an address of another protocol',
      'mcpServers:\n  calendar:\n    url: file:///x\n',
      'c.yaml:3: server "calendar": url: is not an http or https address',
    ],
    [
      'a variable that is not set',
      'mcpServers:\n  calendar:\n    command: "$' + '{NOT_SET}"\n',
      'c.yaml:3: server "calendar": command: ',
    ],
  ])('%s', async (_what, text, message) => {
    expect(await refusal(text)).toContain(message);
  });

  it.each(['my.server', 'two words', '', 'a/b', 'ä'])(
    'a server called "%s", which rules could not name',
    async (name) => {
      const said = await refusal(
        `agent: {}\nmcpServers:\n  ${JSON.stringify(name)}: {in_process: calendar}\n`,
      );
      expect(said).toMatch(/^c\.yaml:3: mcpServers\./);
      expect(said).toContain('only letters, digits, "_" and "-"');
    },
  );

  it('a server of such a name in a mcp.json', async () => {
    write('{"mcpServers": {"my server": {"command": "npx"}}}', 'mcp.json');
    expect(await refusal('mcp_json: mcp.json\n')).toContain(
      'mcp.json:1: server "my server": a server’s name',
    );
  });

  it('a mcp.json that is not there', async () => {
    expect(await refusal('mcp_json: mcp.json\n')).toBe(
      'mcp.json: there is no such file; mcp_json is relative to countersign.yaml.',
    );
  });

  it.each([
    ['header', 'headers'],
    ['timeoutMs', 'timeout_ms'],
  ])('a slip in a key of a mcp.json: %s', async (key, meant) => {
    write(`{"mcpServers": {"a": {"url": "https://a.example/mcp", "${key}": 1}}}`, 'mcp.json');
    expect(await refusal('mcp_json: mcp.json\n')).toBe(
      `mcp.json:1: server "a": ${key}: there is no such setting; did you mean ${meant}?`,
    );
  });

  it('not keys of other programs in a mcp.json', async () => {
    write(
      '{"mcpServers": {"a": {"command": "npx", "timeout": 5, "autoApprove": [], "envFile": "x"}}}',
      'mcp.json',
    );
    expect((await read('mcp_json: mcp.json\n')).servers).toMatchObject({ a: { command: 'npx' } });
  });

  it('a mcp.json that is not JSON, without quoting it', async () => {
    write('{"mcpServers": {"a": "secret"', 'mcp.json');
    const said = await refusal('mcp_json: mcp.json\n');
    expect(said).toContain('it is not JSON');
    expect(said).not.toContain('secret');
    write('{"mcpServers": {\n  // ours\n}}', 'mcp.json');
    expect(await refusal('mcp_json: mcp.json\n')).toContain(
      'it is not JSON (line 2), which has no comments, and no comma after the last entry.',
    );
  });

  it('a server that stands in both files', async () => {
    write('{"mcpServers": {"calendar": {"command": "npx"}}}', 'mcp.json');
    const text = 'mcp_json: mcp.json\nmcpServers:\n  calendar: {in_process: calendar}\n';
    expect(await refusal(text)).toBe('c.yaml: the server "calendar" is also in mcp.json. Name it once.');
  });

  it.each([
    ['this file', 'mcpServers:\n  team:\n    in_process: kalender\n', 'c.yaml:3'],
    ['the other file', 'mcp_json: mcp.json\n', 'mcp.json:3'],
  ])('a server of an unknown name that comes with this program, in %s', async (_what, text, place) => {
    write('{"mcpServers": {\n  "team": {\n    "in_process": "kalender"}}}', 'mcp.json');
    const words = `${place}: server "team": in_process: No server called kalender comes with this program. Did you mean calendar?`;
    const error: unknown = await readConfigFile(write(text), {}, BUNDLED).catch((thrown: unknown) => thrown);
    expect(String(error instanceof ConfigError && error.userMessage)).toContain(words);
  });

  it('a disabled server may have any name', async () => {
    const text = 'mcpServers: {team: {in_process: kalender, disabled: true}}';
    expect((await readConfigFile(write(text), {}, BUNDLED)).servers.team).toMatchObject({
      disabled: true,
    });
  });

  it('aliases without end', async () => {
    const levels = Array.from({ length: 9 }, (_, n) => `l${n + 1}: &l${n + 1} [${`*l${n},`.repeat(9)}]`);
    expect(await refusal(`l0: &l0 [x]\n${levels.join('\n')}\n`)).toContain('its aliases cannot be followed');
  });

  it('a file that is not there', async () => {
    await expect(readConfigFile(join(folder, 'none.yaml'), {})).rejects.toThrow(
      /none\.yaml: there is no such file/,
    );
  });

  it('a folder in its place', async () => {
    mkdirSync(join(folder, 'a.yaml'));
    await expect(readConfigFile(join(folder, 'a.yaml'), {})).rejects.toThrow(ConfigError);
  });
});

describe('the project’s own files', () => {
  it('countersign.schema.json is what the code says', () => {
    expect(readFileSync(join(ROOT, 'countersign.schema.json'), 'utf8')).toBe(configJsonSchema());
  });

  it('countersign.yaml is valid, reads the calendar and asks before it writes', async () => {
    const { policy, servers } = await readConfigFile(join(ROOT, 'countersign.yaml'), {});
    expect(servers.calendar).toMatchObject({ in_process: 'calendar' });
    const evaluate = compilePolicy(policy);
    const call = (tool: string) => evaluate({ server: 'calendar', tool, arguments: {} }).action;
    expect(['list_events', 'create_event', 'delete_event'].map(call)).toEqual(['allow', 'ask', 'ask']);
  });
});
