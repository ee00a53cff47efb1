import { describe, expect, it, test } from 'vitest';
import { createTimeChecks } from '../../../../src/app/demo-servers/calendar/time-checks.ts';
import { loadConnectors } from '../../../../src/connectors/index.ts';
import { compileArgumentChecks } from '../../../../src/mcp/arguments/own-checks.ts';
import { mcpServersSchema } from '../../../../src/mcp/config/schema.ts';
import { testHub } from '../../../fixtures/mcp/harness.ts';

const servers = Object.fromEntries(
  ['github', 'google-calendar', 'slack', 'web-search'].map((name) => [
    name,
    { connector: name, oauth: { client_id: 'none' }, key: 'none' },
  ]),
);
const connectors = await loadConnectors(servers);
const check = compileArgumentChecks(mcpServersSchema.parse(servers), connectors);

const EVENT = { title: 'Tea', start: '2026-12-01T16:00:00', end: '2026-12-01T17:00:00' };
const NO_ZONE = 'needs an offset, such as +01:00, or a time_zone';
const TIME = 'is neither a time such as 2026-11-24T09:00:00 nor a day such as 2026-11-24';
const PRIVATE = 'url is on a private network or on this machine, where no page is read';
const RANGE = { from: '2026-12-01T00:00:00Z', to: '2026-12-02T00:00:00Z' };
const PULL = { repository: 'ana/garden', title: 'Beds', head: 'beds', base: 'main' };

describe('an event’s times', () => {
  it.each([
    ['create_event', EVENT, [`start ${NO_ZONE}`, `end ${NO_ZONE}`]],
    [
      'create_event',
      { ...EVENT, time_zone: 'Mars/Base' },
      ['time_zone is no time zone such as Europe/Berlin'],
    ],
    ['create_event', { ...EVENT, time_zone: 'Asia/Tokyo' }, []],
    ['create_event', { ...EVENT, start: '2026-02-30T10:00:00' }, [`start ${TIME}`]],
    ['create_event', { ...EVENT, end: 'at five' }, [`end ${TIME}`]],
    ['create_event', { ...EVENT, time_zone: 'UTC', end: '2026-12-01T15:00:00' }, ['end is before the start']],
    [
      'create_event',
      { ...EVENT, time_zone: 'UTC', end: '2026-12-02' },
      ['end is a day where the start is a time, or the other way round'],
    ],
    [
      'create_event',
      { title: 'Fair', start: '2026-12-01', end: '2026-12-01' },
      ['end is not after the start: it is the day after the last one'],
    ],
    ['update_event', { event_id: 'e1', time_zone: 'UTC' }, ['time_zone needs a start or an end']],
    ['update_event', { event_id: 'e1', start: '2026-12-01T16:00:00' }, [`start ${NO_ZONE}`]],
    ['update_event', { event_id: 'e1', start: '2026-12-01T16:00:00Z' }, []],
    ['list_events', { from: RANGE.to, to: RANGE.from }, ['to is not after from']],
    ['get_free_busy', RANGE, []],
    ['get_free_busy', { ...RANGE, to: '2027-01-02T00:00:00Z' }, ['to is more than 31 days after from']],
  ])('of %s %j are judged before anybody is asked', (name, args, problems) => {
    expect(check({ server: 'google-calendar', name }, args)).toEqual(problems);
  });
});

describe('the address of a page', () => {
  it.each([
    ['https://example.com/a?b=c', []],
    ['no address', ['url is no address such as https://example.com/']],
    ['ftp://example.com/', ['url is no address such as https://example.com/']],
    ['http://example.com/', ['url begins with http://, and pages are only read by https']],
    ['https://ana:secret@example.com/', ['url has a name or a password in it, which nobody is sent']],
    ...[
      'https://127.0.0.1/',
      'https://0x7f.1/',
      'https://[::1]:8443/',
      'https://10.1.2.3/',
      'http://169.254.169.254/latest',
      'https://localhost/',
      'https://printer.localhost./',
    ].map((url): [string, string[]] => [url, [PRIVATE]]),
  ])('%s is judged without asking it', (url, problems) => {
    expect(check({ server: 'web-search', name: 'fetch_page' }, { url })).toEqual(problems);
  });
});

test.each([
  ['github', 'create_issue', { repository: '../garden', title: 'x' }, 'repository is not owner/name'],
  ['github', 'create_issue', { repository: 'garden', title: 'x' }, 'repository is not owner/name'],
  ['github', 'create_issue', { repository: 'ana/garden', title: '  ' }, 'title is blank'],
  ['github', 'add_comment', { repository: 'ana/garden', number: 1, body: '\n' }, 'body is blank'],
  ['github', 'get_file_contents', { repository: 'ana/garden', path: 'a/../b' }, 'path has . or .. in it'],
  ['github', 'create_pull_request', { ...PULL, head: 'main' }, 'head is the branch that it goes into'],
  ['github', 'create_pull_request', { ...PULL, head: 'two beds' }, 'head is no name of a branch'],
  ['github', 'create_pull_request', { ...PULL, base: 'a..b' }, 'base is no name of a branch'],
  ['github', 'get_changes', { ...PULL, head: 'beds.lock' }, 'head is no name of a branch'],
  ['github', 'create_repository', { name: 'my garden' }, 'name is not 1 to 100 letters'],
  ['github', 'create_repository', { name: 'garden.git' }, 'name is a name that GitHub doesn’t give'],
  ['github', 'create_repository', { name: 'x', owner: '../x' }, 'owner is no name of an organisation'],
  ['slack', 'post_message', { channel: 'general', text: 'x' }, 'channel is no id of a channel'],
  ['slack', 'post_message', { channel: 'C012AB3CD', text: ' ' }, 'text is blank'],
  ['slack', 'send_direct_message', { person: '<@U012AB3CD>', text: 'x' }, 'person is no id'],
  ['slack', 'send_direct_message', { person: '@robin', text: 'x' }, 'get_person gives the id'],
])('%s.%s isn’t put to anybody with %j', (server, name, args, problem) => {
  expect(check({ server, name }, args)[0]).toContain(problem);
});

test.each([
  [{ ...PULL, head: 'bob:fix/two-beds', base: 'release/1.0' }],
  [{ ...PULL, head: 'feature#12', base: 'main' }],
])('a pull request between branches as people have them is put to people: %j', (args) => {
  expect(check({ server: 'github', name: 'create_pull_request' }, args)).toEqual([]);
});

test('what a schema says well is left to it, and arguments of any size are looked at in no time', () => {
  expect(check({ server: 'github', name: 'get_issue' }, { repository: 'ana/garden', number: 'one' })).toEqual(
    [],
  );
  const long = { repository: `${'a'.repeat(5_000_000)} `, number: 1 };
  expect(check({ server: 'github', name: 'get_issue' }, long)).toEqual([]);
  expect(check({ server: 'elsewhere', name: 'get_issue' }, {})).toEqual([]);
});

test('each of these checks is of a tool that there is', async () => {
  const { hub } = testHub(servers, { connectors });
  await hub.start();
  const tools = (await hub.tools()).map(({ server, name }) => `${server}.${name}`);
  const checked = [...connectors].flatMap(([server, { inputs = {} }]) =>
    Object.keys(inputs).map((name) => `${server}.${name}`),
  );
  expect(checked.filter((name) => !tools.includes(name))).toEqual([]);
  expect(checked.length).toBeGreaterThan(20);
});

describe('the times of an event in the calendar that comes with this program', () => {
  const inProcess = { agenda: { in_process: 'calendar' } };
  const own = compileArgumentChecks(inProcess, new Map(), { calendar: createTimeChecks('Europe/Berlin') });
  const SKIPPED = '2026-03-29T02:30:00';

  it.each([
    ['create_event', { title: 'Tea', start: '2026-12-01T16:00:00' }, null],
    ['create_event', { start: '2026-12-01T16:00:00', time_zone: 'Mars/Base' }, /^time_zone .*"Mars\/Base"/],
    ['create_event', { start: SKIPPED }, /^start .*does not exist in Europe\/Berlin/],
    ['create_event', { start: SKIPPED, time_zone: 'UTC' }, null],
    ['create_event', { start: 'at five' }, /^start .*is not a date and time/],
    ['update_event', { event_id: 'evt_1', start: SKIPPED }, null],
    ['update_event', { event_id: 'evt_1', time_zone: '+01:00' }, /^time_zone /],
    ['list_events', { time_zone: 'Mars/Base' }, /^time_zone /],
    ['delete_event', { time_zone: 'Mars/Base' }, null],
  ])('%s of %j', (name, args, problem) => {
    const found = own({ server: 'agenda', name }, args);
    expect(found).toEqual(problem === null ? [] : [expect.stringMatching(problem)]);
  });
});
