import { expect, it } from 'vitest';
import type { CallRecord } from '../../../../src/gate/types.ts';
import type { JsonObject } from '../../../../src/lib/json.ts';
import { besideMarks } from '../../../../src/slack/text/answer-pair.ts';
import { createEvent } from '../../../helpers/gate.ts';

type Half = Parameters<typeof besideMarks>[0]['call'];

const RESOLVE = { timeZone: 'Europe/Berlin', asOf: Date.parse('2026-11-23T09:00:00Z') };
const AT_TEN = { title: 'Budget', start: '2026-11-24T10:00:00' };

function half(modelName: string, args: JsonObject, more: Partial<Half> = {}): Half {
  const tool = { ...createEvent, modelName, graph: 'inbox' } as const;
  return { tool, arguments: args, proposedArguments: args, state: 'pending', decision: null, ...more };
}

const reply = (body: string, more: Partial<Half> = {}) => half('send_email', { body }, more);
const meeting = (more: Partial<Half> = {}) => half('schedule_meeting', AT_TEN, more);
const decision = { actor: { id: 'a', name: 'Ana' }, at: 0, feedback: 'later' } as const;

it.each([
  ['waits as it was drafted', {}, []],
  [
    'is at another time',
    { arguments: { ...AT_TEN, start: '2026-11-25T11:00:00' } },
    ['changed to Wed 25 Nov 11:00, and the reply names another time'],
  ],
  [
    'has another zone',
    { arguments: { ...AT_TEN, time_zone: 'Asia/Tokyo' } },
    ['changed to Tue 24 Nov 10:00 Asia/Tokyo. Does the reply'],
  ],
  ['is longer', { arguments: { ...AT_TEN, duration_minutes: 60 } }, []],
  ['has another title', { arguments: { ...AT_TEN, title: 'Plans' } }, []],
  ['says no time', { arguments: { title: 'Budget', start: 'soon' } }, ['was changed. Does the reply']],
  [
    'was added elsewhen',
    { state: 'succeeded', arguments: { ...AT_TEN, start: '2026-11-24T12:00:00' } },
    ['changed to Tue 24 Nov 12:00'],
  ],
  [
    'was moved by a week',
    { arguments: { ...AT_TEN, start: '2026-12-01T10:00:00' } },
    ['changed to Tue 1 Dec 10:00. Does the reply'],
  ],
  ['may have been added', { state: 'in_doubt' }, ['Whether the meeting beside this was added is unclear']],
  [
    'may have been added elsewhen',
    { state: 'in_doubt', arguments: { ...AT_TEN, start: '2026-11-24T12:00:00' } },
    ['is unclear', 'changed to Tue 24 Nov 12:00'],
  ],
  ['gave way to newer words', { state: 'superseded' }, ['isn’t added']],
  ['was rejected', { state: 'rejected' }, ['isn’t added']],
  ['was sent back', { state: 'rejected', decision: { ...decision, type: 'reject' } }, ['was sent back']],
  ['was ignored', { state: 'ignored' }, ['isn’t added']],
  ['failed', { state: 'failed' }, ['failed, so it isn’t in the calendar']],
] as const satisfies readonly (readonly [string, Partial<Half>, readonly string[]])[])(
  'a reply beside a meeting that %s',
  (_what, more, says) => {
    const marks = besideMarks({
      call: reply('Tuesday at 10:00.'),
      beside: meeting(more),
      newer: null,
      resolve: RESOLVE,
    });
    expect(marks).toEqual(says.map((words) => expect.stringContaining(words)));
  },
);

it.each([
  ['waits, changed or not', { state: 'pending' }, []],
  ['was sent as it was drafted', { state: 'succeeded', proposedArguments: { body: 'On Friday.' } }, []],
  ['was sent with another time', { state: 'succeeded' }, ['names another time']],
  ['may have been sent with another time', { state: 'in_doubt' }, ['names another time']],
  [
    'is being sent with no time',
    { state: 'executing', arguments: { body: 'Gladly.' } },
    ['was changed. Does the meeting'],
  ],
  ['was sent with its time', { state: 'approved', arguments: { body: 'Tuesday at 10.' } }, []],
] as const satisfies readonly (readonly [string, Partial<Half>, readonly string[]])[])(
  'a meeting beside a reply that %s',
  (_what, more, says) => {
    const beside = reply('On Friday.', { proposedArguments: { body: 'Tuesday.' }, ...more });
    const marks = besideMarks({ call: meeting(), beside, newer: null, resolve: RESOLVE });
    expect(marks).toEqual(says.map((words) => expect.stringContaining(words)));
  },
);

it('nothing is said where nothing was drafted beside it', () => {
  const alone: Pick<CallRecord, 'state'> = { state: 'pending' };
  expect(besideMarks({ call: reply('Hi.', alone), beside: null, newer: null, resolve: RESOLVE })).toEqual([]);
});

it('a draft says who wrote since, by the address, and nothing of a name passes for one', () => {
  const newer = { from: '"ana@ours.test" <vic@other.test>' };
  for (const call of [reply('Hi.'), meeting()]) {
    expect(besideMarks({ call, beside: null, newer, resolve: RESOLVE })).toEqual([
      'A newer mail of this conversation came from vic@other.test, which this draft doesn’t know.',
    ]);
  }
});
