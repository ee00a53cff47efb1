import { expect, it } from 'vitest';
import { citeSources } from '../../../src/agents/team/sources.ts';

it.each([
  [{ agent: 'code', source: 'Run code', place: 'code' }, '1. Run code'],
  [{ agent: 'calendar', source: 'List events', place: 'calendar' }, '1. List events (calendar)'],
  [{ agent: 'days', source: 'List events', place: 'calendar' }, '1. List events, calendar (days)'],
  [{ agent: 'lab', source: 'Run code', place: 'code' }, '1. Run code (lab)'],
  [{ agent: 'documents', source: 'prices.pdf', place: 'p. 3' }, '1. prices.pdf, p. 3 (documents)'],
  [
    { agent: 'web', source: 'Prices', place: 'bolts', url: 'https://a.example' },
    '1. [Prices](https://a.example), bolts (web)',
  ],
])('a source repeats nothing', (source, line) => {
  expect(citeSources('It is so [1].', [source]).split('\n').at(-1)).toBe(line);
});
