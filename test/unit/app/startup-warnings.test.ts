import { describe, expect, it } from 'vitest';
import {
  idleRules,
  type KnownTools,
  warnOfIdleEntries,
  warnOfVainSettings,
} from '../../../src/app/startup-warnings.ts';
import { cardsSchema } from '../../../src/config/cards.ts';
import { fileSchema } from '../../../src/config/file.ts';
import { programsSchema } from '../../../src/config/programs.ts';
import { teamSchema } from '../../../src/config/team.ts';
import { policySchema } from '../../../src/gate/policy/schema.ts';
import { permissionsSchema } from '../../../src/gate/risk/permissions.ts';
import { parseServers } from '../../../src/mcp/config/load.ts';
import { SERVICE_ACCOUNT, TOPIC } from '../../helpers/pubsub.ts';

const KNOWN: KnownTools = {
  tools: [
    { server: 'calendar', name: 'list_events' },
    { server: 'calendar', name: 'create_event' },
    { server: 'notes', name: 'read' },
  ],
  servers: [
    { name: 'calendar', state: 'up', toolCount: 2 },
    { name: 'files', state: 'down', toolCount: 0 },
    { name: 'notes', state: 'idle', toolCount: 1 },
    { name: 'simulation', state: 'idle', toolCount: 0 },
  ],
};

/** The lines that the log gets, each after its level. */
async function warned(
  file: Partial<Parameters<typeof warnOfIdleEntries>[0]>,
  readKnown = () => Promise.resolve(KNOWN),
): Promise<string[]> {
  const lines: string[] = [];
  const nothing = {
    policy: policySchema.parse({}),
    cards: {},
    programs: {},
    permissions: null,
    team: teamSchema.parse({}),
  };
  await warnOfIdleEntries({ ...nothing, ...file }, readKnown, {
    warn: (line) => void lines.push(`warn ${line}`),
    debug: (_, line) => void lines.push(`debug ${line}`),
  });
  return lines;
}

function idle(...tools: readonly (string | string[])[]) {
  const policy = policySchema.parse({ rules: tools.map((it) => ({ tools: it, action: 'allow' })) });
  return idleRules(policy, KNOWN).map((rule) => rule.tools);
}

describe('a rule', () => {
  it.each([['calendar.list_*'], ['*'], ['*.create_event'], ['?alendar.*']])(
    'that matches a tool is not idle: %s',
    (glob) => {
      expect(idle(glob)).toEqual([]);
    },
  );

  it.each([['calendar.lst_*'], ['calender.*'], ['list_events'], ['notes.write']])(
    'that matches none is idle: %s',
    (glob) => {
      expect(idle(glob)).toEqual([glob]);
    },
  );

  it('of which one glob matches is not idle', () => {
    expect(idle(['calender.*', 'calendar.list_*'])).toEqual([]);
  });

  it('of functions of programs, which nobody knows before, is not idle', () => {
    expect(idle('agent.agent_drop', 'agent.*')).toEqual([]);
  });

  it('that may mean a server which is down is not idle', () => {
    expect(idle('files.read_*', 'fil*.read', '*.read_file', '*_file')).toEqual([]);
  });
});

it('the log names each idle rule in one line', async () => {
  const policy = policySchema.parse({
    rules: [
      { name: 'reading', tools: ['calender.list_*', 'calender.get_*'], action: 'allow' },
      { tools: 'calendar.list_*', action: 'allow' },
      { tools: 'nothing.*', action: 'deny' },
    ],
  });
  expect(await warned({ policy, cards: {} })).toEqual([
    'warn The policy rule "reading" matches no tool of any server that is up (tools: calender.list_*, calender.get_*). Check its spelling.',
    'warn A policy rule matches no tool of any server that is up (tools: nothing.*). Check its spelling.',
  ]);
});

it('warns of cards for tools that there are not, and of look-ups that would never run', async () => {
  const policy = policySchema.parse({ rules: [{ tools: 'calendar.list_*', action: 'allow' }] });
  const cards = cardsSchema.parse({
    'calendar.create_event': { look_up: 'calendar.list_events', undo: 'calendar.remove_event' },
    'calendar.creat_event': { title: 'Create {title}' },
    'files.write': { title: 'Write {path}' },
    'notes.read': { look_up: 'notes.read' },
  });
  expect(await warned({ policy, cards })).toEqual([
    expect.stringContaining('"calendar.create_event" needs calendar.remove_event, which no server'),
    expect.stringContaining('"calendar.creat_event" needs calendar.creat_event, which no server'),
    expect.stringContaining('"notes.read" looks up notes.read, which the policy doesn\'t allow'),
  ]);
});

it('warns of tools of programs that there are not, and not of functions that programs run themselves', async () => {
  const programs = programsSchema.parse({
    laptop: { for: 'U1', tools: ['calendar.*', 'calender.*', 'agent.agent_read_*', 'files.read'] },
    other: { for: 'U1' },
  });
  expect(await warned({ programs })).toEqual([
    'warn programs: "calender.*", which laptop may use, matches no tool of any server that is up. Check its spelling.',
  ]);
});

it('warns of tools of agents that there are not, and of none of a server that is down', async () => {
  const description = 'Works.';
  const team = teamSchema.parse({
    agents: {
      days: { description, tools: ['calendar.*', 'calender.*', 'files.read_*', 'simulation.*'] },
      asker: { description, via: { tool: 'calendar.research' } },
      pricer: { description, via: { tool: 'files.research' } },
      elsewhere: { description, via: { url: 'https://agents.example.com' } },
    },
  });
  expect(await warned({ team })).toEqual([
    'warn team: "calender.*", a tool of days, matches no tool of any server that is up. Check its spelling.',
    'warn team: "calendar.research", a tool of asker, matches no tool of any server that is up. Check its spelling.',
  ]);
});

it('tools that cannot be read end nothing: it is advice', async () => {
  const file = { policy: policySchema.parse({}), cards: {} };
  const unreadable = () => Promise.reject(new Error('Redis did not answer'));
  expect(await warned(file, unreadable)).toEqual([
    'debug failed to compare the configuration with the tools',
  ]);
});

describe('an entry of the permissions', () => {
  const harmless = {
    enabled: true,
    write_operation: false,
    read_private_data: false,
    read_untrusted_public_data: false,
    acl: 'PUBLIC',
  };
  const permissions = (file: object) => ({ shared: permissionsSchema.parse(file), agents: {} });
  const both = { list_events: harmless, create_event: harmless };

  it('for a tool or a server that there is not is named: what it disables is not disabled', async () => {
    const misspelt = { calendar: { ...both, creat_event: { ...harmless, enabled: false } }, calender: both };
    const lines = await warned({ permissions: permissions({ ...misspelt, notes: { read: harmless } }) });
    expect(lines).toEqual([
      'warn The permissions file names calendar.creat_event, which no server that is up has, so the entry does nothing. Check its spelling.',
      'warn The permissions file names calender.list_events, which no server that is up has, so the entry does nothing. Check its spelling.',
      'warn The permissions file names calender.create_event, which no server that is up has, so the entry does nothing. Check its spelling.',
    ]);
  });

  it('for a server that is down, a function of a program, or a tool of our own is not', async () => {
    const file = {
      calendar: both,
      notes: { read: harmless },
      files: { read: harmless },
      agent: { send: harmless },
      builtin: { ask_user: harmless },
    };
    expect(await warned({ permissions: permissions(file) })).toEqual([]);
  });

  it('that is missing is named with what its tool counts as', async () => {
    const lines = await warned({ permissions: permissions({ calendar: both }) });
    expect(lines).toEqual([
      'warn No permissions file names notes.read: they count as private, untrusted, SECRET and writing.',
    ]);
  });
});

it('models of a team that are not used without a model are warned of', () => {
  const agents = { clerk: { description: 'Writes.', temperature: 0 }, usual: { description: 'Reads.' } };
  const file = fileSchema.parse({ team: { master: { model: 'large' }, agents } });
  const lines: string[] = [];
  warnOfVainSettings(
    { ...file, servers: {} },
    { model: null, publicUrl: null },
    { warn: (line) => void lines.push(line) },
  );
  expect(lines).toEqual([expect.stringContaining('for master, clerk, and no model is set up')]);
});

it.each<[what: string, push: object, publicUrl: string | null, warnings: number]>([
  ['are all refused are warned of', {}, null, 1],
  ['have an audience of their own are not', { audience: 'https://us.test/push/gmail' }, null, 0],
  ['come to a known address are not', {}, 'https://us.test', 0],
])('pushes that %s', (_what, more, publicUrl, warnings) => {
  const push = { topic: TOPIC, service_account: SERVICE_ACCOUNT, ...more };
  const servers = parseServers({ gmail: { connector: 'gmail', push } }, {}, 'countersign.yaml');
  const lines: string[] = [];
  const log = { warn: (line: string) => void lines.push(line) };
  warnOfVainSettings({ ...fileSchema.parse({}), servers }, { model: null, publicUrl }, log);
  expect(lines).toEqual(Array(warnings).fill(expect.stringMatching(/^push of gmail: PUBLIC_URL is not set/)));
});
