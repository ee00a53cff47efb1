import { expect, it } from 'vitest';
import { readSpan, spanArguments } from '../../../src/lib/text/time-span.ts';

const schema = { properties: { time_zone: { default: 'Europe/Berlin' } } };
const asked = (args: Record<string, string | number>) => {
  const span = readSpan(schema, args);
  return span && spanArguments(span);
};

it('the days of a span are in the zone that is named with them', () => {
  const ny = asked({
    start: '2026-11-24T22:00:00-05:00',
    duration_minutes: 30,
    time_zone: 'America/New_York',
  });
  expect(ny).toMatchObject({ first_day: '2026-11-24', last_day: '2026-11-24', zone: 'America/New_York' });
  const tokyo = asked({ start: '2026-11-23T20:00:00Z', duration_minutes: 30, time_zone: 'Asia/Tokyo' });
  expect(tokyo).toMatchObject({ first_day: '2026-11-24', zone: 'Asia/Tokyo' });
});

it('a start whose offset no zone is named for has its days in UTC', () => {
  const span = readSpan({}, { start: '2026-11-24T22:00:00-05:00', end: '2026-11-24T23:00:00-05:00' });
  expect(span && spanArguments(span)).toMatchObject({ first_day: '2026-11-25', zone: 'UTC' });
});

it.each([
  ['that the clocks show twice', { start: '2026-10-25T02:30:00', duration_minutes: 30 }],
  ['that the clocks skip', { start: '2026-03-29T02:30:00', duration_minutes: 30 }],
  [
    'with an end that can’t be read, whatever its length',
    { start: '2026-11-24T12:00:00', end: 'noon', duration_minutes: 30 },
  ],
  ['without end', { start: '2026-11-24T12:00:00', duration_minutes: 1e12 }],
])('a time %s is no span', (_what, args) => {
  expect(asked(args)).toBeNull();
});
