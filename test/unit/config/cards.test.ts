import { expect, it } from 'vitest';
import { cardsSchema } from '../../../src/config/cards.ts';

it('reads short and long forms alike', () => {
  const cards = cardsSchema.parse({
    'calendar.update_event': { title: 'Move {was}', look_up: 'calendar.get_event' },
    'files.write_file': {
      title: ['Write {content.lines} to {path}', 'Write {path}'],
      look_up: { tool: 'files.read.text', with: { path: '{path}' }, as: 'content' },
      undo: { tool: 'files.delete', with: { path: '{path}' } },
    },
  });
  expect(cards).toEqual({
    'calendar.update_event': {
      title: ['Move {was}'],
      lookUp: { server: 'calendar', name: 'get_event' },
    },
    'files.write_file': {
      title: ['Write {content.lines} to {path}', 'Write {path}'],
      lookUp: { server: 'files', name: 'read.text', with: { path: '{path}' }, as: 'content' },
      undo: { server: 'files', name: 'delete', with: { path: '{path}' } },
    },
  });
});

it.each([
  ['a tool without a server', { update_event: {} }, 'must be a tool as server.tool'],
  ['a brace of no placeholder', { 'a.b': { title: 'Move {was to {start}' } }, 'has a brace'],
  ['an empty sentence', { 'a.b': { title: ' ' } }, 'Too small'],
  ['a look-up at another server', { 'a.b': { look_up: 'c.d' } }, 'must be a tool of a'],
  ['an undo at another server', { 'a.b': { undo: 'c.d' } }, 'must be a tool of a'],
  ['what there is no such setting for', { 'a.b': { titel: 'x' } }, 'Unrecognized key'],
])('refuses %s', (_what, cards, problem) => {
  const messages = cardsSchema.safeParse(cards).error?.issues.map(({ message }) => message) ?? [];
  expect(messages.join('; ')).toContain(problem);
});
