import { describe, expect, it } from 'vitest';
import { createAgentInbox } from '../../../src/app/inbox/agent-inbox.ts';
import type { Lesson, Mail, Mailbox } from '../../../src/inbox/ports.ts';
import { MAIL_ID, openInboxNetwork, STANDING_WISH } from '../../helpers/inbox-agent.ts';
import { ana, bob, THREAD } from '../../helpers/people.ts';

const MAILBOX: Mailbox = {
  id: `${ana.id}:mail`,
  owner: ana,
  server: 'mail',
  place: null,
  isOn: true,
  pace: 'now',
  background: 'I plan rooms.',
  rules: '',
  timeZone: 'Europe/Berlin',
  problem: null,
};
const MAIL: Mail = {
  id: `${MAILBOX.id}:${MAIL_ID}`,
  mailboxId: MAILBOX.id,
  messageId: MAIL_ID,
  mailId: '<a@other.test>',
  threadId: 't1',
  from: 'Cy <cy@other.test>',
  subject: 'Lunch',
  arrivedAt: 0,
  verdict: 'respond',
  reason: 'asks something',
  state: 'responding',
  slackThread: THREAD,
};

/** A mail came, and the model calls these, then nothing more. */
async function come(
  ...calls: readonly { readonly id: string; readonly name: string; readonly args: object }[]
) {
  const lessons: Lesson[] = [];
  const done: string[] = [];
  const accepted: string[] = [];
  const warned: string[] = [];
  /** How often the store fails from now on. */
  const state = { fails: 0 };
  const unlessFailing = async (work: () => void) => {
    state.fails -= 1;
    if (state.fails >= 0) throw new Error('the store is down');
    work();
  };
  const inbox = createAgentInbox({
    inbox: {
      mailOf: async () => ({ mail: MAIL, mailbox: MAILBOX }),
      recallFor: async ({ id }) => ({
        background: id === MAILBOX.id ? MAILBOX.background : '',
        response_preferences: ['Sign off with “Best regards”'],
        cal_preferences: [],
      }),
      learnFrom: (lesson) => unlessFailing(() => lessons.push(lesson)),
      async agentAccepted(threadId) {
        accepted.push(threadId);
      },
      async agentDone(threadId, messageId) {
        await unlessFailing(() => done.push(`${threadId} ${messageId}`));
        return { marked: 0, stay: 0 };
      },
      async agentLeft(threadId) {
        await unlessFailing(() => done.push(`${threadId} left`));
        return 0;
      },
    },
    file: { servers: {}, inbox: { enabled: true, look_seconds: 60, drafts_per_day: 50 } },
    log: { warn: (_details, message) => void warned.push(message) },
    wait: async () => undefined,
  });
  const network = openInboxNetwork({ inbox });
  network.model.script({ calls: [...calls] }, { calls: [{ id: 'd', name: 'Done', args: {} }] });
  network.runs.start();
  await network.say(STANDING_WISH, { graph: 'inbox' });
  return { network, inbox, lessons, done, accepted, warned, state };
}

const ARGS = { message_id: MAIL_ID, to: ['cy@other.test'], body: 'Yes.' };
const reply = { id: 'r', name: 'send_email', args: ARGS };
const meeting = { id: 'm', name: 'schedule_meeting', args: { title: 'Lunch' } };

describe('what is learned from', () => {
  it('is an edit, with what was drafted and what ran', async () => {
    const { network, lessons } = await come(reply);
    const after = { ...ARGS, body: 'Yes.\n\nBest regards\nAna' };
    await network.decide('r', { type: 'edit', arguments: after });
    expect(lessons).toEqual([
      {
        id: network.keyOf('r'),
        threadId: THREAD,
        personId: ana.id,
        tool: 'send_email',
        kind: 'edit',
        before: ARGS,
        after,
        words: '',
      },
    ]);
  });

  it.each(['failed', 'in_doubt'] as const)(
    'is that a draft was accepted, and not how it was edited, where that is %s',
    async (state) => {
      const { network, inbox, lessons } = await come(reply);
      await network.decide('r', { type: 'edit', arguments: { ...ARGS, body: 'No.' } });
      lessons.length = 0;
      await inbox.decided([{ ...(await network.call('r')), state }]);
      expect(lessons).toMatchObject([{ kind: 'accept', before: null, after: null }]);
    },
  );

  it('is a response, with its words, and what is ignored', async () => {
    const { network, lessons } = await come(reply, meeting);
    await network.decide('r', { type: 'reject', feedback: 'friendlier', isSentBack: true });
    await network.decide('m', { type: 'ignore' });
    expect(lessons).toMatchObject([
      { tool: 'send_email', kind: 'respond', words: 'friendlier', before: null },
      { tool: 'schedule_meeting', kind: 'ignore', words: '' },
    ]);
  });

  it('is what is accepted, and nothing that is ignored beside it', async () => {
    const { network, lessons, accepted } = await come(reply, meeting);
    await network.decide('r');
    await network.decide('m', { type: 'ignore' });
    expect(lessons).toMatchObject([{ tool: 'send_email', kind: 'accept' }]);
    expect(accepted).toEqual([THREAD]);
  });

  it('is nothing that is withdrawn, as where a draft is dropped for a newer mail', async () => {
    const { network, lessons } = await come(reply);
    await network.decide('r', { type: 'withdraw' });
    expect((await network.call('r')).state).toBe('cancelled');
    expect(lessons).toEqual([]);
  });

  it('is only that it was accepted where several have edited', async () => {
    const { network, inbox, lessons } = await come(reply);
    await network.decide('r', { type: 'edit', arguments: { ...ARGS, body: 'No.' } });
    const call = await network.call('r');
    lessons.length = 0;
    const [edit] = call.edits ?? [];
    const others = edit ? [edit, { ...edit, by: bob }] : [];
    await inbox.decided([{ ...call, edits: others }]);
    expect(lessons).toMatchObject([{ kind: 'accept', before: null, after: null }]);
  });

  it('is of what is accepted as it is only that', async () => {
    const { network, lessons, done } = await come(reply);
    await network.decide('r');
    expect(lessons).toMatchObject([{ kind: 'accept', before: null, after: null, words: '' }]);
    expect(done).toEqual([`${THREAD} ${MAIL_ID}`]);
  });

  it('leaves a mail that is ignored to its owner', async () => {
    const { network, done } = await come(reply);
    await network.decide('r', { type: 'ignore' });
    expect(done).toEqual([`${THREAD} left`]);
  });

  it('is noted also where the store fails for a moment', async () => {
    const { network, lessons, done, warned, state } = await come(reply);
    state.fails = 3;
    await network.decide('r', { type: 'edit', arguments: { ...ARGS, body: 'No.' } });
    expect(lessons).toMatchObject([{ kind: 'edit' }]);
    expect(done).toEqual([`${THREAD} ${MAIL_ID}`]);
    expect(warned).toEqual([]);
  });

  it.each(['marked', 'left'] as const)(
    '%s is told again where the store fails for a moment',
    async (what) => {
      const { inbox, done, state } = await come(reply);
      state.fails = 3;
      await (what === 'left' ? inbox.left(THREAD) : inbox.marked(THREAD, MAIL_ID, { repliedTo: [] }));
      expect(done).toEqual([`${THREAD} ${what === 'left' ? 'left' : MAIL_ID}`]);
    },
  );

  it('ends no run where it can’t be noted at all', async () => {
    const { network, warned, state } = await come(reply);
    state.fails = Number.POSITIVE_INFINITY;
    await network.decide('r', { type: 'edit', arguments: { ...ARGS, body: 'No.' } });
    expect(network.hub.count('mark_as_read')).toBe(1);
    expect(warned).toEqual([
      'failed to note what was done with a draft',
      'failed to note that a mail is done',
    ]);
  });
});

it('the model is told of the mailbox’s owner what they want of answers', async () => {
  const { network } = await come(reply);
  expect(network.model.seen[0]?.[1]?.text).toContain(
    '{"background":"I plan rooms.","response_preferences":["Sign off with “Best regards”"],"cal_preferences":[]}',
  );
});

it('the run of somebody else in the mail’s thread is told nothing of its owner', async () => {
  const { inbox } = await come(reply);
  const recalled = ({ id }: { readonly id: string }) =>
    inbox.recall({ kind: 'person', owner: id, channel: 'C1' }, THREAD);
  expect(await recalled(bob)).toBeNull();
  expect(await recalled(ana)).toMatchObject({ background: 'I plan rooms.' });
});
