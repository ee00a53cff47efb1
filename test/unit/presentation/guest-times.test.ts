import { expect, it } from 'vitest';
import type { JsonObject } from '../../../src/lib/json.ts';
import { describeArguments } from '../../../src/presentation/arguments.ts';
import { findIds } from '../../../src/presentation/people/names.ts';
import { createEventSchema, resolve as unzoned } from '../slack/cards/fixtures.ts';

const ZONES: Readonly<Record<string, string>> = {
  U2: 'Asia/Tokyo',
  'carol@example.com': 'America/New_York',
  'dan@example.com': 'Europe/Vienna',
};
const resolve = { ...unzoned, zoneOf: (person: string) => ZONES[person] ?? null };

const inputSchema = {
  ...createEventSchema,
  properties: { start: {}, time_zone: {}, attendees: {}, guests: {} },
};
const tool = { server: 'calendar', name: 'create_event', inputSchema, trusted: true };

function startOf(args: JsonObject): string {
  const [row] = describeArguments(tool, args, resolve);
  return `${row?.value} ${row?.note}`;
}

it.each<[string, JsonObject, string]>([
  [
    'an offset',
    { start: '2026-11-27T09:00:00+01:00', attendees: ['U2', 'carol@example.com', 'nobody@example.com'] },
    'Fri 27 Nov, 09:00 Europe/Berlin (bob: 17:00 Asia/Tokyo; carol@example.com: 03:00 America/New_York)',
  ],
  [
    'a zone that another argument names beside it, and another day for one of them',
    { start: '2026-11-27T22:00:00', time_zone: 'Europe/Berlin', attendees: ['U2'] },
    'Fri 27 Nov, 22:00 (bob: Sat 28 Nov, 06:00 Asia/Tokyo)',
  ],
  [
    'guests as objects',
    { start: '2026-11-27T09:00:00+01:00', guests: [{ email: 'carol@example.com' }, { id: 'U2' }] },
    'Fri 27 Nov, 09:00 Europe/Berlin (carol@example.com: 03:00 America/New_York; bob: 17:00 Asia/Tokyo)',
  ],
  [
    'one whose clock says the same, and people of whom no zone is known',
    { start: '2026-11-27T09:00:00+01:00', attendees: ['dan@example.com', 'U1', 'x@example.com'] },
    'Fri 27 Nov, 09:00 Europe/Berlin null',
  ],
  [
    'no zone that anybody knows',
    { start: '2026-11-27T09:00:00', attendees: ['U2'] },
    'Fri 27 Nov, 09:00 local time null',
  ],
])('a time says what guests’ clocks say then: %s', (_what, args, expected) => {
  expect(startOf(args)).toBe(expected);
});

it('only the first time says it, after what else is known of it', () => {
  const rows = describeArguments(
    {
      ...tool,
      inputSchema: { properties: { who: {}, end: { type: 'string' } } },
    },
    { who: 'U2', at: '2026-11-27T09:00:00Z' },
    resolve,
  );
  expect(rows.map(({ note }) => note)).toEqual([null, '(not in the tool’s schema; bob: 18:00 Asia/Tokyo)']);
  const both = describeArguments(
    { ...tool, inputSchema: { properties: { start: {}, end: {} } } },
    { start: '2026-11-27T09:00:00Z', end: '2026-11-27T10:00:00Z', who: 'U2' },
    resolve,
  );
  expect(both.map(({ note }) => note)).toEqual([
    '(bob: 18:00 Asia/Tokyo)',
    null,
    '(not in the tool’s schema)',
  ]);
});

it('a text that reads like somebody’s name and address is quoted', () => {
  const named = { ...resolve, user: (id: string) => (id === 'bob@example.com' ? 'Bob' : null) };
  const rows = describeArguments(
    { ...tool, inputSchema: { properties: { one: {}, other: {} } } },
    { one: 'bob@example.com', other: 'Bob (bob@example.com)' },
    named,
  );
  expect(rows.map(({ value }) => value)).toEqual(['Bob (bob@example.com)', '"Bob (bob@example.com)"']);
});

it('addresses are looked up only where there is a time', () => {
  expect(findIds({ to: ['carol@example.com'], text: 'hello' }).emails).toEqual([]);
  expect(
    findIds({ to: ['carol@example.com', 'no address@', 'a@b'], at: '2026-11-27T09:00:00Z' }).emails,
  ).toEqual(['carol@example.com', 'a@b']);
});
