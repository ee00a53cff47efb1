import { describe, expect, it } from 'vitest';
import { demoAnswerBeside } from '../../../../src/agents/demo/inbox/index.ts';
import type { JsonObject } from '../../../../src/lib/json.ts';
import { nextReply } from './inbox-conversation.ts';

/** The next reply about a mail, after these calls. */
function next(
  mail: object,
  ended: Parameters<typeof nextReply>[0]['ended'] = [],
  remembered: JsonObject = {},
) {
  const reply = nextReply({ mail, ended, remembered });
  return 'text' in reply ? reply.text : reply.toolCalls;
}

describe('the demo model answers mails', () => {
  it('drafts a reply to the sender and those in copy, in the name of its person', () => {
    expect(next({ cc: 'Carol Costa <carol@example.com>' })).toEqual([
      {
        name: 'send_email',
        arguments: {
          message_id: 'm_1',
          to: ['bob@example.com'],
          cc: ['carol@example.com'],
          body: 'Hi Bob,\n\nThank you for your mail. You ask: “Hi Ana, could you send me the price list?” I’ll find out, and tell you by tomorrow.\n\nBest,\nAna',
        },
      },
    ]);
  });

  it('words it as its person has had it learned', () => {
    const remembered = {
      response_preferences: ['Sign off with “Best regards”', 'Greet with “Hello”', 'Keep replies short'],
    };
    expect(next({}, [], remembered)).toMatchObject([
      { arguments: { body: 'Hello Bob,\n\nThank you for your mail.\n\nBest regards,\nAna' } },
    ]);
  });

  it('looks at the calendar, and proposes the first time that is free with the reply that says so', () => {
    const mail = {
      subject: 'Plan: 45 minutes?',
      text: 'Can we meet for 45 minutes? Thursday 3 December at 14:00 or Friday 4 December at 10:00.',
    };
    const look = { calendar_id: 'primary', from: '2026-12-03', to: '2026-12-04', time_zone: 'Europe/Berlin' };
    expect(next(mail)).toEqual([{ name: 'check_calendar', arguments: look }]);
    const taken = { id: 'e', title: 'Dentist', start: '2026-12-03T13:30:00', duration_minutes: 60 };
    const events = { name: 'check_calendar', text: JSON.stringify({ events: [taken] }) };
    expect(next(mail, [events])).toMatchObject([
      {
        name: 'schedule_meeting',
        arguments: {
          title: 'Plan',
          start: '2026-12-04T10:00:00',
          duration_minutes: 45,
          attendees: ['bob@example.com'],
        },
      },
      {
        name: 'send_email',
        arguments: { body: expect.stringContaining('Friday 4 December at 10:00 suits me') },
      },
    ]);
  });

  it('asks its person what only they can know, and says what they answer', () => {
    const mail = { text: 'Do you want to open it, or shall I?' };
    const [question] = [next(mail)].flat();
    expect(question).toMatchObject({
      name: 'Question',
      arguments: { question: expect.stringContaining('shall I?') },
    });
    const answered = { name: 'Question', text: 'Answered by Ana: I open it' };
    expect(next(mail, [answered])).toMatchObject([
      { name: 'send_email', arguments: { body: 'Hi Bob,\n\nI open it.\n\nBest,\nAna' } },
    ]);
  });

  it('reads a text that is attached first', () => {
    const mail = { attachments: [{ id: 'a_1', name: 'minutes.txt', kind: 'text/plain' }] };
    const read = { name: 'read_attachment', arguments: { message_id: 'm_1', attachment_id: 'a_1' } };
    expect(next(mail)).toEqual([read]);
    expect(next(mail, [{ ...read, text: 'Minutes' }])).toMatchObject([
      { name: 'send_email', arguments: { body: expect.stringContaining('I have read minutes.txt') } },
    ]);
  });

  it('is done once the reply was sent, and not where it was not', () => {
    const args = { message_id: 'm_1', to: ['bob@example.com'], body: 'x' };
    expect(next({}, [{ name: 'send_email', arguments: args, text: 'Sent.' }])).toEqual([
      { name: 'Done', arguments: {} },
    ]);
    const refused = { name: 'send_email', arguments: args, text: 'Failed: it is full', failed: true };
    expect(next({}, [refused])).toContain('it is full');
  });
});

it('what people say of themselves is found as before, also beside JSON', () => {
  const told = demoAnswerBeside('Known: {}\n\nI work on retrieval at a search company');
  expect(told).toContain('a search company');
});
