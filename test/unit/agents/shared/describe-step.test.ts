import { expect, it } from 'vitest';
import { describeStep } from '../../../../src/agents/shared/describe-step.ts';
import { callRecord } from '../../slack/cards/fixtures.ts';

it.each([
  ['calendar', 'list_events', 'reading your calendar'],
  ['github', 'search_code', 'searching github'],
  ['google-drive', 'getFile', 'reading google drive'],
  ['tests', 'check', 'checking tests'],
  ['calendar', 'create_event', 'Create event in your calendar'],
  ['', 'read_resource', 'Create event'],
])('of %s.%s says what it does in words', (server, name, words) => {
  const tool = { ...callRecord().tool, server, name };
  expect(describeStep({ tool, modelName: 'x' })).toBe(words);
});

it('of a tool that there is not names it as the model did', () => {
  expect(describeStep({ tool: null, modelName: 'calendar__fly' })).toBe('calendar__fly');
});
