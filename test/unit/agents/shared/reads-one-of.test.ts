import { expect, it } from 'vitest';
import { readsOneOf } from '../../../../src/agents/shared/describe-step.ts';

it.each([
  ['read_text_file', 'file'],
  ['getIssue', 'issue'],
  ['list_events', null],
  ['get_time', null],
  ['read_✅ approved file by Ana', null],
  ['delete_file', null],
])('a tool %s reads one %s', (name, what) => {
  expect(readsOneOf({ name })).toBe(what);
});

it('a message is a mail where mails are answered', () => {
  expect(readsOneOf({ name: 'get_message', graph: 'inbox' })).toBe('mail');
  expect(readsOneOf({ name: 'get_message' })).toBe('message');
  expect(readsOneOf({ name: 'get_event', graph: 'inbox' })).toBe('event');
});
