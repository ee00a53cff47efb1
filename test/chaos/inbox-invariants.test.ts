import { expect, it } from 'vitest';
import { violationsOfMail } from './inbox-invariants.ts';
import { draftOf } from './inbox-model.ts';
import { type MailPlan, senderOf } from './inbox-plan.ts';

const MAIL: MailPlan = {
  ...{ subject: 'letter0', verdict: 'respond', wish: 'accept' },
  ...{ isTwice: true, answers: null, afterMs: 0 },
};
const body = draftOf(senderOf(MAIL), 0);
const call = (name: string, type: string | null, more: object = {}) => ({
  ...{ callId: name, state: 'succeeded', decision: type === null ? null : { type } },
  ...{ arguments: { message_id: '1', body }, tool: { name }, ...more },
});
const send = call('reply_to_message', 'approve');
const mark = call('mark_as_read', null);
type Found = Parameters<typeof violationsOfMail>[1];
const DONE: Found = {
  records: [{ state: 'done', verdict: 'respond' }],
  ...{ calls: [send, mark], got: [body], seen: 1, opened: 1 },
};

it('a mail that was answered as it should be breaks nothing', () => {
  expect(violationsOfMail(MAIL, DONE)).toEqual([]);
});

const found: readonly (readonly [string, Partial<Found>, Partial<MailPlan>])[] = [
  ['is on record 2 times', { records: [...DONE.records, ...DONE.records] }, {}],
  ['is on record 0 times', { records: [] }, {}],
  ['was opened 2 times', { opened: 2 }, {}],
  ['was sorted as notify', { records: [{ state: 'done', verdict: 'notify' }] }, {}],
  ['was never answered by a draft', { calls: [mark], got: [] }, {}],
  ['reply_to_message was sent 2 times', { got: [body, body] }, {}],
  ['was sent, and nobody approved it', { calls: [call('reply_to_message', null), mark] }, {}],
  ['is recorded as sent, and never came', { got: [] }, {}],
  [
    'was sent, and is failed',
    { calls: [call('reply_to_message', 'approve', { state: 'failed' }), mark] },
    {},
  ],
  ['sent what no card showed: Hello', { got: [body, 'Hello'] }, {}],
  ['was answered although its draft was ignored', {}, { wish: 'ignore' }],
  ['was marked as read by 2 calls', { calls: [send, mark, mark] }, {}],
  ['2 copies of it are read, by 1 calls', { seen: 2 }, {}],
  ['was marked as read, and nobody asked for it', {}, { wish: 'nothing' }],
  ['is listed, and read 1 times', { records: [{ state: 'listed', verdict: 'respond' }] }, {}],
];

it.each(found)('is found: %s', (what, broken, plan) => {
  const problems = violationsOfMail({ ...MAIL, ...plan }, { ...DONE, ...broken });
  expect(problems).toContainEqual(expect.stringContaining(what));
});
