import { expect, it } from 'vitest';
import { callKey } from '../../../../src/gate/call/digest.ts';
import { policySchema } from '../../../../src/gate/policy/schema.ts';
import type { JsonObject } from '../../../../src/lib/json.ts';
import { ACTIONS, MODALS } from '../../../../src/slack/cards/action-ids.ts';
import { callCard } from '../../../../src/slack/cards/call-card.ts';
import { editModal } from '../../../../src/slack/modals/edit-arguments.ts';
import { INPUT } from '../../../../src/slack/modals/form/inputs.ts';
import { partText } from '../../../../src/slack/modals/form/long-text.ts';
import { createFakeHub, ended, type FakeHub } from '../../../helpers/fake-hub.ts';
import { MAIL_ID, mailTools, STANDING_WISH, sentBy, withInbox } from '../../../helpers/inbox-agent.ts';
import { ana, THREAD } from '../../../helpers/people.ts';
import { openSlackApp, TEAM } from '../../../helpers/slack-app.ts';
import { flat } from '../cards/fixtures.ts';
import { filled } from '../modals/untouched.ts';

const draft = (id: string, body: string) => ({
  id,
  name: 'send_email',
  args: { message_id: MAIL_ID, to: ['cy@other.test'], body },
});
const done = { id: 'd', name: 'Done', args: {} };

/** A mailbox whose server compares the recipients of a draft with those of the conversation. */
function comparingHub(): FakeHub {
  const texts = { type: 'array', items: { type: 'string' } };
  const message = { from: 'Cy <cy@other.test>', subject: 'Lunch', date: '', text: 'Lunch on Friday?' };
  const time = { type: 'string', format: 'date-time' };
  const meeting = { title: { type: 'string' }, attendees: texts, start: time, end: time };
  const invite = {
    ...{ server: 'calendar', name: 'create_event', inputSchema: { type: 'object', properties: meeting } },
    run: () => ended({ status: 'succeeded' as const, content: [], structured: null }),
  };
  const event = { title: 'Planning', start: '2026-11-24T08:30:00Z', end: '2026-11-24T09:30:00Z' };
  const list = {
    ...{ server: 'calendar', name: 'list_events' },
    inputSchema: { type: 'object', properties: { from: time, to: time } },
    run: ({ from }: JsonObject) =>
      from === '2026-11-24T08:00:00Z'
        ? ended({ status: 'succeeded' as const, content: [], structured: { events: [event] } })
        : ended({ status: 'failed' as const, content: [], message: 'the calendar is down' }),
  };
  const hub = createFakeHub(...mailTools(), invite, list, {
    server: 'mail',
    name: 'check_reply',
    inputSchema: {
      type: 'object',
      properties: { message_id: { type: 'string' }, to: texts, cc: texts },
      required: ['message_id'],
    },
    run: ({ to }) => {
      const marks = to === undefined ? [] : ['stranger@evil.test is new to this conversation'];
      return ended({ status: 'succeeded', content: [], structured: { message, marks } });
    },
  });
  const show = ['message.from', 'message.subject', 'message.text', 'marks'];
  const card = { lookUp: { server: 'mail', name: 'check_reply', show } };
  const tools = async () =>
    (await hub.tools()).map((tool) => (tool.name === 'reply_to_message' ? { ...tool, card } : tool));
  return { ...hub, tools };
}

const POLICY = policySchema.parse({
  rules: [{ tools: ['*.get_*', '*.check_*', '*.list_*'], action: 'allow' }],
});

async function come(...replies: readonly (readonly object[])[]) {
  const slack = await openSlackApp(withInbox({ hub: comparingHub(), policy: POLICY }));
  const { network } = slack;
  network.model.script(...replies.map((calls) => ({ calls: calls.map((call) => ({ ...done, ...call })) })));
  const { itemId } = await network.say(STANDING_WISH, { graph: 'inbox' });
  const reference = async (id: string) => ({
    callKey: callKey(THREAD, id),
    digest: (await network.call(id)).digest,
  });
  return {
    ...{ slack, network, reference },
    async click(actionId: string, id: string, by = {}) {
      const { callKey: key, digest } = await reference(id);
      await slack.click(actionId, `${key}:${digest}`, by);
      await network.runs.idle();
    },
    answer: async () => (await network.item(itemId)).response,
  };
}

it('the card shows the mail that is answered, and marks who is new, as its server says', async () => {
  const { slack, network } = await come([draft('r', 'Yes.')]);
  const view = await slack.ports.views.card(network.keyOf('r'));
  const card = view && flat(callCard(view).blocks);
  expect(card).toContain('From cy@other.test “Cy”\nLunch\nLunch on Friday?');
  expect(card).toContain('⚠️ stranger@evil.test is new to this conversation');
  expect(card).toContain('[Accept (primary)] [Edit] [Ignore] [Respond]');
});

it('the card of a meeting does the same for its guests', async () => {
  const meeting = (id: string, args: object) => ({ id, name: 'schedule_meeting', args });
  const { slack, network } = await come([
    meeting('m', { title: 'Lunch', attendees: ['cy@other.test', 'stranger@evil.test'] }),
    meeting('alone', { title: 'Focus' }),
  ]);
  const cardOf = async (id: string) => {
    const view = await slack.ports.views.card(network.keyOf(id));
    return (view && flat(callCard(view).blocks)) ?? '';
  };
  expect(await cardOf('m')).toContain('From cy@other.test “Cy”\nLunch\nLunch on Friday?');
  expect(await cardOf('m')).toContain('⚠️ stranger@evil.test is new to this conversation');
  expect(await cardOf('alone')).toContain('Lunch on Friday?');
  expect(await cardOf('alone')).not.toContain('⚠️');
  const checks = network.hub.sent.filter(({ name }) => name === 'check_reply');
  expect(checks.map(({ arguments: args }) => args)).toEqual([
    { message_id: MAIL_ID, to: ['cy@other.test', 'stranger@evil.test'] },
    { message_id: MAIL_ID },
  ]);
});

it('the card of a meeting says to its person alone when they are busy, and where that isn’t known', async () => {
  const meeting = (id: string, day: string) => {
    const args = { title: 'Lunch', start: `2026-11-${day}T08:00:00Z`, end: `2026-11-${day}T09:00:00Z` };
    return { id, name: 'schedule_meeting', args };
  };
  const { slack, network } = await come([meeting('busy', '24'), meeting('down', '25')]);
  const { call, card } = slack.ports.views;
  const key = network.keyOf('busy');
  const bob = { id: 'slack:T1:U2', name: 'Bob' };
  const words = 'Overlaps with ‘Planning’ 09:30–10:30';
  expect((await call(key, ana))?.freeTime).toMatchObject({ kind: 'busy', words });
  // Its thread is in a channel.
  expect((await call(key, bob))?.freeTime).toBeNull();
  expect((await card(key))?.freeTime).toBeNull();
  const unknown = await call(network.keyOf('down'), ana);
  expect(unknown && flat(callCard(unknown).blocks)).toContain('📅 Your calendar couldn’t be read');
});

it('a click on Ignore ends it: nothing is sent, and the record says who ignored it', async () => {
  const { network, click, answer } = await come([draft('r', 'Yes.')]);
  await click(ACTIONS.ignore, 'r');
  expect(await network.call('r')).toMatchObject({
    state: 'ignored',
    decision: { type: 'ignore', actor: { id: 'slack:T1:U1' } },
  });
  expect(network.hub.count('reply_to_message')).toBe(0);
  expect(await answer()).toBe('Nothing was sent. The mail stays unread.');
});

it('a click on Ignore below a question ends it, too', async () => {
  const { network, click, answer } = await come([
    { id: 'q', name: 'Question', args: { question: 'Which?' } },
  ]);
  await click(ACTIONS.ignore, 'q');
  expect((await network.call('q')).state).toBe('ignored');
  expect(await answer()).toBe('Nothing was sent. The mail stays unread.');
});

it('nobody else ignores somebody’s draft', async () => {
  const { network, click } = await come([draft('r', 'Yes.')]);
  await click(ACTIONS.ignore, 'r', { user: { id: 'U2', team_id: TEAM } });
  expect(await network.isPending('r')).toBe(true);
});

it('a long draft is changed in the parts of its form, and sent as one text', async () => {
  const body = `Hi Cy,\n\n${'All of it is as you said it would be. '.repeat(100)}\n\nBest,\nAna\n`;
  const { slack, network, reference } = await come([draft('r', body)], [done]);
  const view = await slack.ports.views.card(network.keyOf('r'));
  const [, end = ''] = partText(body, 3_000).parts;
  const part = { 'Body (part 2 of 2)': { value: end.replace('Best,', 'Cheers,') } };
  const values = view === null ? {} : filled(editModal(view), part);
  await slack.submit(MODALS.edit, await reference('r'), values);
  await network.runs.idle();
  expect(sentBy(network)).toContainEqual(['reply_to_message', body.replace('Best,', 'Cheers,')]);
});

it('a response has it drafted anew, and Accept sends that', async () => {
  const { slack, network, click, reference } = await come(
    [draft('r1', 'Yes.')],
    [draft('r2', 'Gladly!')],
    [done],
  );
  const values = { feedback: { [INPUT]: { type: 'plain_text_input', value: 'friendlier' } } };
  await slack.submit(MODALS.feedback, await reference('r1'), values);
  await network.runs.idle();
  await click(ACTIONS.approve, 'r2');
  expect(sentBy(network).filter(([name]) => name !== 'check_reply' && name !== 'get_message')).toEqual([
    ['reply_to_message', 'Gladly!'],
    ['mark_as_read', MAIL_ID],
  ]);
});
