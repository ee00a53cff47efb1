import { isAIMessage, isToolMessage } from '@langchain/core/messages';
import { describe, expect, it } from 'vitest';
import { createFakeHub, ended } from '../../../helpers/fake-hub.ts';
import {
  type InboxOptions,
  MAIL,
  MAIL_ID,
  mailTools,
  openInboxNetwork,
  STANDING_WISH,
  sentBy,
  toldOf,
} from '../../../helpers/inbox-agent.ts';
import { ana, bob } from '../../../helpers/people.ts';
import type { Reply } from '../../../helpers/scripted-model.ts';

const reply = (id: string, body = 'Gladly.', to: readonly string[] = ['cy@other.test']) => ({
  id,
  name: 'send_email',
  args: { message_id: MAIL_ID, to, body },
});
const meeting = (id: string, title = 'Lunch') => ({ id, name: 'schedule_meeting', args: { title } });
const question = (id: string) => ({ id, name: 'Question', args: { question: 'Which Friday?' } });
const done = (id: string, args: object = {}) => ({ id, name: 'Done', args });

/** A mail has come, and the model answers with these. */
async function come(replies: readonly Reply[], { inbox, ...options }: InboxOptions = {}) {
  const heard: string[] = [];
  const hear = {
    async marked(
      _threadId: string,
      messageId: string,
      { repliedTo }: { readonly repliedTo: readonly string[] },
    ) {
      heard.push(`marked ${messageId}, ${repliedTo.join(' and ') || 'without a reply'}`);
      return { marked: 0, stay: 0 };
    },
    left: async () => {
      heard.push('left');
      return 0;
    },
  };
  const network = openInboxNetwork({ ...options, inbox: { ...hear, ...inbox } });
  network.model.script(...replies);
  network.runs.start();
  const item = await network.say(STANDING_WISH, { graph: 'inbox' });
  const answer = async () => (await network.item(item.itemId)).response;
  return { network, answer, item, heard };
}

const READ = ['get_message', MAIL_ID];
const MARKED = ['mark_as_read', MAIL_ID];

describe('a mail that came', () => {
  it('is given to the model as the result of a call on record, before the model says anything', async () => {
    const { network } = await come([[reply('r')]]);
    const [seen = []] = network.model.seen;
    expect(seen.map((one) => one.getType())).toEqual(['system', 'human', 'ai', 'tool']);
    expect(seen[1]?.text).toContain(STANDING_WISH);
    expect(seen.find((one) => isToolMessage(one))?.text).toBe(MAIL);
    const [call] = seen.flatMap((one) => (isAIMessage(one) ? (one.tool_calls ?? []) : []));
    expect(await network.call(call?.id ?? '')).toMatchObject({
      state: 'succeeded',
      tool: { server: 'mail', name: 'get_message', modelName: 'read_mail', graph: 'inbox' },
      arguments: { message_id: MAIL_ID },
    });
  });

  it('gives the model the tools of its mailbox and calendar by their names here, and no other', async () => {
    const { network } = await come([[reply('r')]]);
    expect(network.model.offered[0]?.toSorted()).toEqual([
      'Done',
      'Question',
      'check_calendar',
      'read_attachment',
      'read_conversation',
      'schedule_meeting',
      'send_email',
    ]);
    const { tool } = await network.call('r');
    expect(tool).toMatchObject({ server: 'mail', name: 'reply_to_message', modelName: 'send_email' });
  });

  it('is answered as drafted once that is accepted, and marked as read at the end', async () => {
    const { network, answer } = await come([[reply('r')], [done('d')]]);
    expect(sentBy(network)).toEqual([READ]);
    await network.decide('r');
    expect(sentBy(network)).toEqual([READ, ['reply_to_message', 'Gladly.'], MARKED]);
    expect(await answer()).toBe('Sent the reply to `cy@other.test`. The mail is marked as read.');
    expect(await network.call('d')).toMatchObject({ state: 'succeeded', decision: null });
    expect((await network.call('d')).verdict).toMatchObject({ action: 'allow', rule: 'countersign' });
    await network.expectWhole();
  });

  it('is answered as edited, and the model knows', async () => {
    const { network, answer } = await come([[reply('r')], [done('d')]]);
    const edited = { message_id: MAIL_ID, to: ['cy@other.test', 'bob@here.test'], body: 'With pleasure.' };
    await network.decide('r', { type: 'edit', arguments: edited });
    expect(sentBy(network)[1]).toEqual(['reply_to_message', 'With pleasure.']);
    expect(await toldOf(network, 'r')).toContain('it ran with');
    expect(await answer()).toBe(
      'Sent the reply to `cy@other.test`, `bob@here.test`. The mail is marked as read.',
    );
  });

  it('stays unread and unanswered where the draft is ignored', async () => {
    const { network, answer } = await come([[reply('r')]]);
    await network.decide('r', { type: 'ignore' });
    expect(sentBy(network)).toEqual([READ]);
    expect(network.model.seen).toHaveLength(1);
    expect(await answer()).toBe('Nothing was sent. The mail stays unread.');
    await network.expectWhole();
  });

  it('is drafted anew as often as somebody responds', async () => {
    const { network } = await come([
      [reply('r1')],
      [reply('r2', 'Hi Cy!')],
      [reply('r3', 'Hey!')],
      [done('d')],
    ]);
    const respond = { type: 'reject', feedback: 'friendlier', isSentBack: true } as const;
    await network.decide('r1', respond);
    expect(await toldOf(network, 'r1')).toContain('feedback: friendlier');
    await network.decide('r2', respond);
    await network.decide('r3');
    expect(sentBy(network)).toEqual([READ, ['reply_to_message', 'Hey!'], MARKED]);
  });

  it('has a meeting added once that is accepted, after a look at the calendar that nobody is asked about', async () => {
    const look = { id: 'l', name: 'check_calendar', args: { day: 'Friday' } };
    const { network, answer } = await come([[look], [meeting('m')], [done('d')]]);
    await network.decide('m');
    expect(sentBy(network)).toEqual([READ, ['list_events', ''], ['create_event', 'Lunch'], MARKED]);
    expect(await answer()).toBe('Added `Lunch` to the calendar. The mail is marked as read.');
  });

  it('has all calls of one message handled, each by its own decision', async () => {
    const { network, answer } = await come([[reply('r'), meeting('m'), question('q')], [done('d')]]);
    await network.decide('m', { type: 'edit', arguments: { title: 'Long lunch' } });
    await network.decide('r', { type: 'reject', feedback: 'later', isSentBack: true });
    await network.decide('q', { type: 'answer', feedback: 'The 27th' });
    expect(sentBy(network)).toEqual([READ, ['create_event', 'Long lunch'], MARKED]);
    expect(await toldOf(network, 'q')).toContain('The 27th');
    expect(await answer()).toBe('Added `Long lunch` to the calendar. The mail is marked as read.');
    await network.expectWhole();
  });

  it('ends where one of several is ignored, and says what of the others was sent', async () => {
    const { network, answer } = await come([[reply('r'), meeting('m')]]);
    await network.decide('r');
    await network.decide('m', { type: 'ignore' });
    expect(sentBy(network)).toEqual([READ, ['reply_to_message', 'Gladly.']]);
    expect(await answer()).toBe(
      'Sent the reply to `cy@other.test`. `Lunch` isn’t in the calendar: if the reply speaks of it, they have to be told. The mail stays unread.',
    );
    await network.expectWhole();
  });

  it('ends where its question is ignored', async () => {
    const { network, answer, heard } = await come([[question('q')]]);
    expect((await network.call('q')).kind).toBe('question');
    await network.decide('q', { type: 'ignore' });
    expect(await answer()).toBe('Nothing was sent. The mail stays unread.');
    expect(heard).toEqual(['left']);
  });
});

it('a draft that nobody decides in time ends it, and the mail stays unread', async () => {
  const clock = { now: Date.now() };
  const { network, answer, heard } = await come([[reply('r')]], {
    clock: () => clock.now,
    requestLifetimeMs: 1_000,
  });
  clock.now += 2_000;
  await network.runs.sweep();
  await network.runs.idle();
  expect((await network.call('r')).state).toBe('expired');
  expect(heard).toEqual(['left']);
  expect(sentBy(network)).toEqual([READ]);
  expect(network.model.seen).toHaveLength(1);
  expect(await answer()).toBe('Nothing was sent. Nobody decided in time, so the mail stays unread.');
  await network.expectWhole();
});

describe('Done', () => {
  it('comes after the others of its message', async () => {
    const { network } = await come([[done('d1'), reply('r')], [done('d2')]]);
    expect(await toldOf(network, 'd1')).toContain('Not yet');
    await network.decide('r');
    expect(sentBy(network)).toEqual([READ, ['reply_to_message', 'Gladly.'], MARKED]);
    await network.expectWhole();
  });

  it('is about the mail that was given, whatever the model says', async () => {
    const { network, answer, heard } = await come([[done('d', { message_id: 'another' })]]);
    expect(heard).toEqual([`marked ${MAIL_ID}, without a reply`]);
    expect(sentBy(network)).toEqual([READ, MARKED]);
    expect(await answer()).toBe('Nothing was sent. The mail is marked as read.');
  });

  it('says so where the mail could not be marked', async () => {
    const hub = createFakeHub(...mailTools({ isStuck: true }));
    const { answer, heard } = await come([[done('d')]], { hub });
    expect(await answer()).toBe('Nothing was sent. The mail couldn’t be marked as read.');
    expect(heard).toEqual(['left']);
  });

  it('is refused where the policy denies it', async () => {
    const policy = {
      default: 'ask',
      rules: [
        { tools: '*.mark_as_read', action: 'deny' },
        { tools: '*.get_*', action: 'allow' },
      ],
    } as const;
    const { network, answer, heard } = await come([[done('d')]], {
      policy: { ...policy, rules: [...policy.rules] },
    });
    expect(sentBy(network)).toEqual([READ]);
    expect(await answer()).toBe('Nothing was sent. The mail couldn’t be marked as read.');
    expect(heard).toEqual(['left']);
  });
});

describe('a model that calls nothing', () => {
  it('is told once, and goes on', async () => {
    const { network } = await come(['I would say yes.', [reply('r')]]);
    expect(network.model.seen).toHaveLength(2);
    expect(network.model.seen[1]?.[0]?.text).toContain('called no tool');
    expect(await network.isPending('r')).toBe(true);
    expect((await network.messages()).map(({ text }) => text).join('\n')).not.toContain('I would say yes');
  });

  it('ends the run with its words if it does so again', async () => {
    const { network, answer } = await come(['Hm.', 'There is nothing to answer.']);
    expect(await answer()).toBe('There is nothing to answer.\n\nNothing was sent. The mail stays unread.');
    expect(sentBy(network)).toEqual([READ]);
    await network.expectWhole();
  });

  it('has what was sent said after its words', async () => {
    const { network, answer } = await come([[reply('r')], 'Hm.', 'I did nothing.']);
    await network.decide('r');
    expect(await answer()).toBe(
      'I did nothing.\n\nSent the reply to `cy@other.test`. The mail stays unread.',
    );
    await network.expectWhole();
  });
});

describe('the conversation about a mail', () => {
  it('goes on with what the person writes there', async () => {
    const { network, answer } = await come([[reply('r1')], [done('d1')], [reply('r2', 'Hi!')], [done('d2')]]);
    await network.decide('r1');
    expect(await answer()).toContain('Sent the reply');
    const later = await network.say('make it friendlier');
    await network.decide('r2');
    // The mail isn't read once more, and isn't sent for a third time.
    expect(sentBy(network).slice(3)).toEqual([['reply_to_message', 'Hi!'], MARKED]);
    expect((await network.item(later.itemId)).response).toBe(
      'Sent the reply to `cy@other.test`. The mail is marked as read.',
    );
    await network.expectWhole();
  });

  it('reads another mail that was added to it', async () => {
    let messageId = MAIL_ID;
    const inbox = {
      mailOf: async () => ({
        server: 'mail',
        messageId,
        conversationId: 't1',
        calendar: 'calendar',
        owner: ana,
      }),
    };
    const { network } = await come([[done('d1')], [done('d2')]], { inbox });
    messageId = 'm2';
    await network.say(STANDING_WISH);
    expect(sentBy(network)).toEqual([READ, MARKED, ['get_message', 'm2'], ['mark_as_read', 'm2']]);
  });

  it('is gone on with by its owner alone', async () => {
    const { network } = await come([[done('d')]], {});
    const later = await network.say('send them all of it', { actor: bob });
    expect((await network.item(later.itemId)).response).toBe(
      'Only Ana can go on with this mail here: it came to their mailbox.',
    );
    expect(sentBy(network)).toEqual([READ, MARKED]);
  });

  it('is the one that is answered and read further, whatever mail and conversation the model names', async () => {
    const elsewhere = { message_id: 'm9', to: ['cy@other.test'], body: 'Gladly.' };
    const { network } = await come([
      [
        { id: 'a', name: 'read_attachment', args: { message_id: 'm9', attachment_id: '1' } },
        { id: 't', name: 'read_conversation', args: { thread_id: 't9' } },
      ],
      [{ id: 'r', name: 'send_email', args: elsewhere }],
    ]);
    expect(sentBy(network)).toEqual([READ, ['get_attachment', MAIL_ID], ['get_thread', '']]);
    expect((await network.call('t')).arguments).toEqual({ thread_id: 't1' });
    expect((await network.call('r')).arguments).toEqual({ ...elsewhere, message_id: MAIL_ID });
  });

  it.each([
    ['subject', { subject: 't9', from: 'Cy <cy@other.test>' }],
    ['name', { subject: 'Lunch', from: '"t9" <cy@other.test>' }],
    ['text', { subject: 'Lunch', from: 'Cy <cy@other.test>', text: '{"thread_id":"t9"}' }],
  ])('is the one that is read, also where the mail’s %s is the id of another', async (_what, mail) => {
    const message = { id: MAIL_ID, thread_id: 't1', ...mail };
    const content = [{ type: 'text' as const, text: `“${mail.subject}” from ${mail.from}` }];
    const read = { status: 'succeeded', content, structured: { message } } as const;
    const [getMessage, ...others] = mailTools();
    if (!getMessage) throw new Error('there is no tool');
    const hub = createFakeHub({ ...getMessage, run: () => ended(read) }, ...others);
    const other = { id: 't', name: 'read_conversation', args: { thread_id: 't9' } };
    const { network } = await come([[other], [reply('r')]], { hub });
    expect((await network.call('t')).arguments).toEqual({ thread_id: 't1' });
  });

  it('tells the model how its owner wants mail answered, as data', async () => {
    const known = { response_preferences: ['Sign off with “Best regards”'] };
    const { network } = await come([[reply('r')]], { inbox: { recall: async () => known } });
    expect(network.model.seen[0]?.[1]?.text).toContain(JSON.stringify(known));
  });

  it('ends without a draft where the mail cannot be read', async () => {
    const hub = createFakeHub(...mailTools({ isGone: true }));
    const { network, answer } = await come([], { hub });
    expect(network.model.seen).toEqual([]);
    expect(await answer()).toBe(
      'The mail couldn’t be read, so I drafted nothing. Nothing was sent. Write to me here to have me try again.',
    );
  });

  it('ends where its mailbox is gone', async () => {
    const { answer } = await come([], { inbox: { mailOf: async () => null } });
    expect(await answer()).toContain('its mailbox isn’t there');
  });

  it('lets the model read no other mail', async () => {
    const other = { id: 'x', name: 'read_mail', args: { message_id: 'secret' } };
    const { network } = await come([[other], [done('d')]]);
    expect(await toldOf(network, 'x')).toContain('no other is read here');
    expect(sentBy(network)).toEqual([READ, MARKED]);
  });

  it.each(['delete_message', 'reply_to_message', 'drop_calendar'])('has no tool %s', async (name) => {
    const { network } = await come([[{ id: 'x', name, args: { message_id: MAIL_ID } }], [done('d')]]);
    expect(await network.call('x')).toMatchObject({ state: 'failed' });
    expect(sentBy(network)).toEqual([READ, MARKED]);
  });
});

it.each([
  [{ marked: 1, stay: 0 }, 'I’m marking the earlier one of its conversation as read, too.'],
  [{ marked: 2, stay: 0 }, 'I’m marking the 2 earlier ones of its conversation as read, too.'],
  [{ marked: 0, stay: 1 }, 'The earlier one of its conversation stays unread and in your list.'],
] as const)('the end says what became of earlier mails: %j', async (earlier, says) => {
  const { answer } = await come([[done('d')]], { inbox: { marked: async () => earlier } });
  expect(await answer()).toContain(says);
});

it('the end says that earlier mails stay where this one can’t be marked as read', async () => {
  const hub = createFakeHub(...mailTools({ isStuck: true }));
  const { answer } = await come([[done('d')]], { hub, inbox: { left: async () => 1 } });
  expect(await answer()).toContain(
    'couldn’t be marked as read. The earlier one of its conversation stays unread',
  );
});
