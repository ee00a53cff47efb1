import { expect, it } from 'vitest';
import { findReadNoun } from '../../../../src/agents/shared/describe-step.ts';

it.each([
  ['read_text_file', 'file'],
  ['getIssue', 'issue'],
  ['list_events', null],
  ['get_time', null],
  ['read_✅ approved file by Ana', null],
  ['delete_file', null],
])('a tool %s reads one %s', (name, what) => {
  expect(findReadNoun({ name })).toBe(what);
});

it('a message is a mail where mails are answered', () => {
  expect(findReadNoun({ name: 'get_message', graph: 'inbox' })).toBe('mail');
  expect(findReadNoun({ name: 'get_message' })).toBe('message');
  expect(findReadNoun({ name: 'get_event', graph: 'inbox' })).toBe('event');
});
