import { expect, it } from 'vitest';
import { suggestName } from '../../../../src/lib/config-errors/did-you-mean.ts';

const NAMES = ['rules', 'default', 'open_for', 'calendar.create_event', 'calendar.list_events', 'in'];

it.each([
  ['rule', 'rules'],
  ['ruels', 'rules'],
  ['defualt', 'default'],
  ['openFor', 'open_for'],
  ['OPEN-FOR', 'open_for'],
  ['calendar.create_events', 'calendar.create_event'],
  ['calender.list_event', 'calendar.list_events'],
])('%s is near %s', (written, name) => {
  expect(suggestName(written, NAMES)).toBe(name);
});

it.each(['', 'x', 'is', 'deploy', 'r'])('nothing is near “%s”', (written) => {
  expect(suggestName(written, NAMES)).toBeNull();
});

it('what nobody would type is not compared', () => {
  const began = performance.now();
  expect(suggestName('a'.repeat(100_000), ['a'.repeat(100_001)])).toBeNull();
  expect(performance.now() - began).toBeLessThan(1_000);
});
