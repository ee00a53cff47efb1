import { expect, it } from 'vitest';
import { summarise } from '../../../../src/agents/demo/summary.ts';
import type { EndedCall } from '../../../../src/agents/demo/turn.ts';

const LONG = 'x'.repeat(3_900);
const rejected: EndedCall = {
  name: 'calendar__create_event',
  arguments: { title: 'Review', start: '2026-11-24T14:00:00' },
  status: 'rejected',
  rejection: { by: 'Ana', feedback: 'make it 10am', isSentBack: false },
  editedBy: null,
  text: '',
  wishes: [],
};
const done: EndedCall = { ...rejected, status: 'done', rejection: null, text: 'Created evt_1.' };

it('asks how to go on after a call that was rejected and not tried again', () => {
  expect(summarise([rejected])).toContain('I have not tried it again.');
});

it.each([
  ['rejected', rejected],
  ['done', done],
  [
    'done with the calendar’s words',
    { ...done, text: `Created “${LONG}”.\n{"id":"e","title":"${LONG}","start":"2026-11-24T14:00:00"}` },
  ],
])('clips a long title of a call that is %s', (_how, call) => {
  const text = summarise([{ ...call, arguments: { ...call.arguments, title: LONG } }]);
  expect(text).not.toContain('x'.repeat(80));
});

it.each([
  ['as it was corrected', done],
  ['as a person changed it', { ...done, editedBy: 'Ana', arguments: { title: 'Design review' } }],
])('asks nothing when the rejected call was done later, %s', (_how, later) => {
  expect(summarise([rejected, later])).not.toContain('I have not tried it again.');
});
