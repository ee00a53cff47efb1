import { beforeEach, expect, it } from 'vitest';
import type { JsonObject } from '../../../../src/lib/json.ts';
import { createDirectory } from '../../../../src/slack/people/directory.ts';
import { createFakeApi } from '../../../helpers/slack-app.ts';

let api: ReturnType<typeof createFakeApi>;
let directory: ReturnType<typeof createDirectory>;
let now: number;
beforeEach(() => {
  now = 1;
  api = createFakeApi();
  directory = createDirectory(api.client, () => now, 'Europe/Paris');
});

const lookUps = () => api.of('users.info').length;

it.each<[string, JsonObject, string]>([
  ['the name that people chose', { profile: { display_name: 'Ana' }, real_name: 'Ana Almeida' }, 'Ana'],
  ['the full name without one', { profile: { display_name: '' }, real_name: 'Ana Almeida' }, 'Ana Almeida'],
  ['the account’s name without that', { real_name: '' }, 'ana'],
])('people are called by %s', async (_what, user, expected) => {
  api.answers.set('users.info', () => ({ ok: true, user: { name: 'ana', ...user } }));
  expect(await directory.nameOf('U1')).toBe(expected);
});

it('a name is looked up once in a while, and once for several who ask at the same time', async () => {
  await Promise.all([directory.nameOf('U1'), directory.nameOf('U1')]);
  await directory.nameOf('U1');
  expect(lookUps()).toBe(1);
  now += 11 * 60_000;
  await directory.nameOf('U1');
  expect(lookUps()).toBe(2);
});

it('somebody whom Slack does not know is called by their id', async () => {
  expect(await directory.nameOf('U9')).toBe('U9');
});

it('a look-up that fails leaves the name that was known, and is tried again soon', async () => {
  await directory.nameOf('U1');
  now += 11 * 60_000;
  api.answers.set('users.info', () => ({ ok: false, error: 'internal_error' }));
  expect(await directory.nameOf('U1')).toBe('Ana');
  expect(await directory.nameOf('U1')).toBe('Ana');
  expect(lookUps()).toBe(2);
  now += 31_000;
  await directory.nameOf('U1');
  expect(lookUps()).toBe(3);
});

it('nobody waits long for a name', async () => {
  const late = Promise.withResolvers<JsonObject>();
  api.answers.set('users.info', () => late.promise);
  expect(await directory.nameOf('U1')).toBe('U1');
  late.resolve({ ok: true, user: { name: 'ana' } });
  await expect.poll(() => directory.nameOf('U1')).toBe('ana');
});

it('people and channels in arguments are named, in the zone of the reader', async () => {
  api.answers.set('conversations.info', () => ({ ok: true, channel: { id: 'C1', name: 'general' } }));
  const resolve = await directory.resolverFor(
    [{ to: ['U2'], where: { channel: 'C1' }, about: 'nothing' }],
    'U1',
  );
  expect(resolve.user('U2')).toBe('Bob');
  expect(resolve.channel('C1')).toBe('general');
  expect(resolve.user('U3')).toBeNull();
  expect(resolve.timeZone).toBe('Europe/Berlin');
});

it('people whom a call with a time names by their addresses are known, too, unless nobody has one', async () => {
  api.answers.set('users.lookupByEmail', ({ email }) =>
    email === 'bob@example.com'
      ? { ok: true, user: { name: 'bob', tz: 'Asia/Tokyo', profile: { display_name: 'Bob' } } }
      : { ok: false, error: 'users_not_found' },
  );
  const args = { attendees: ['bob@example.com', 'x@example.com'], start: '2026-11-27T09:00:00Z' };
  const resolve = await directory.resolverFor([args], null);
  await directory.resolverFor([args], null);
  const asked = ['bob@example.com', 'x@example.com'].map((who) => [resolve.user(who), resolve.zoneOf(who)]);
  expect(asked).toEqual([
    ['Bob', 'Asia/Tokyo'],
    [null, null],
  ]);
  expect(api.of('users.lookupByEmail').length).toBe(2);
  await directory.resolverFor([{ to: 'bob@example.com' }], null);
  expect(api.of('users.lookupByEmail').length).toBe(2);
});

it('without a reader the zone is ours', async () => {
  expect((await directory.resolverFor([{}], null)).timeZone).toBe('Europe/Paris');
  expect((await directory.resolverFor([{}], 'U9')).timeZone).toBe('Europe/Paris');
});
