import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from '@langchain/core/messages';
import { DateTime } from 'luxon';
import { describe, expect, it } from 'vitest';
import { demoExamples, demoReply } from '../../../../src/agents/demo/reply.ts';
import type { DemoCall, DemoReply } from '../../../../src/agents/demo/turn.ts';

const timeZone = 'Europe/Berlin';
/** A Monday, early. */
const now = DateTime.fromISO('2026-11-23T08:00:00', { zone: timeZone }).toMillis();
const calendar = ['list_events', 'create_event', 'update_event', 'delete_event'].map(
  (name) => `calendar__${name}`,
);
const documents = ['search_documents', 'list_documents'].map((name) => `documents__${name}`);
const files = ['write_file', 'read_text_file', 'list_directory'].map((name) => `files__${name}`);

function reply(
  messages: BaseMessage[],
  toolNames: readonly string[] = [...calendar, ...files, 'ask_user'],
): DemoReply {
  return demoReply({ messages, tools: toolNames.map((name) => ({ name })), now, timeZone });
}

function calls(given: DemoReply): readonly DemoCall[] {
  return 'toolCalls' in given ? given.toolCalls : [];
}

function text(given: DemoReply): string {
  return 'text' in given ? given.text : '';
}

/** The messages of a conversation in which the model's calls ended with these texts. */
function ended(messages: BaseMessage[], ends: readonly (string | { error: string })[]): BaseMessage[] {
  const proposed = calls(reply(messages)).map((call, index) => ({
    id: `call_${messages.length}_${index}`,
    name: call.name,
    args: call.arguments,
  }));
  expect(proposed).toHaveLength(ends.length);
  const results = proposed.map(({ id }, index) => {
    const end = ends[index] ?? '';
    return typeof end === 'string'
      ? new ToolMessage({ tool_call_id: id, content: end, status: 'success' })
      : new ToolMessage({ tool_call_id: id, content: end.error, status: 'error' });
  });
  return [...messages, new AIMessage({ content: '', tool_calls: proposed }), ...results];
}

const human = (content: string) => [new HumanMessage(content)];
const standup = {
  id: 'evt_1',
  title: 'Standup',
  start: '2026-11-24T09:00:00',
  duration_minutes: 30,
  time_zone: timeZone,
};
const listed = (...events: object[]) => JSON.stringify({ events });

describe('creating events', () => {
  it('proposes one call with every argument the tool needs', () => {
    expect(calls(reply(human('create a meeting called Standup tomorrow at 9am')))).toEqual([
      {
        name: 'calendar__create_event',
        arguments: {
          calendar_id: 'primary',
          title: 'Standup',
          start: '2026-11-24T09:00:00',
          duration_minutes: 30,
          time_zone: 'Europe/Berlin',
        },
      },
    ]);
  });

  it('proposes two events as two calls of one message', () => {
    const given = calls(reply(human('create 2 events: Team Meeting at 10am and Lunch with Bob at 12pm')));
    expect(given.map((call) => [call.arguments.title, call.arguments.start])).toEqual([
      ['Team Meeting', '2026-11-23T10:00:00'],
      ['Lunch with Bob', '2026-11-23T12:00:00'],
    ]);
  });

  it('takes one day for all undated events when a time has already passed', () => {
    const given = calls(reply(human('create 2 events: Run at 7am and Lunch at 12pm')));
    expect(given.map((call) => call.arguments.start)).toEqual(['2026-11-24T07:00:00', '2026-11-24T12:00:00']);
  });

  it.each([
    ['create a meeting', 'What is the event called, and when does it start?'],
    ['create a meeting tomorrow at 9am', 'What is the event called?'],
    ['create a meeting called Standup', 'When does “Standup” start?'],
  ])('asks about %j', (message, question) => {
    expect(calls(reply(human(message)))).toMatchObject([{ name: 'ask_user', arguments: { question } }]);
  });

  it.each([
    ['create a meeting', 'Standup tomorrow at 9am'],
    ['create a meeting tomorrow at 9am', 'Answered by Ana: Standup'],
    ['create a meeting called Standup', 'tomorrow at 9am'],
  ])('goes on after the answer to %j', (message, answer) => {
    expect(calls(reply(ended(human(message), [answer])))).toMatchObject([
      { name: 'calendar__create_event', arguments: { title: 'Standup', start: '2026-11-24T09:00:00' } },
    ]);
  });

  it('stops asking after four answers that did not help', () => {
    const answers = ['no idea', 'still none', 'hm', 'none'];
    const asked = answers.reduce<BaseMessage[]>(
      (messages, answer) => ended(messages, [answer]),
      human('create a meeting called Standup'),
    );
    expect(text(reply(asked))).toContain('When does “Standup” start?');
  });

  it('asks in its answer when there is no tool for it', () => {
    expect(text(reply(human('create a meeting called Standup'), calendar))).toContain(
      'When does “Standup” start?',
    );
  });
});

describe('after a rejection', () => {
  const rejectedWith = (feedback: string) =>
    ended(human('create a meeting called Standup tomorrow at 9am'), [
      { error: `Rejected by Ana: ${feedback}` },
    ]);

  it.each([
    ['make it 10am', '2026-11-24T10:00:00'],
    ['Wrong time, should be 10am', '2026-11-24T10:00:00'],
    ['not 9am, 10am', '2026-11-24T10:00:00'],
    ['on Friday instead', '2026-11-27T09:00:00'],
    ['Friday at 14:00', '2026-11-27T14:00:00'],
    ['30 minutes later', '2026-11-24T09:30:00'],
    ['“make it 10”', '2026-11-24T10:00:00'],
    ["I'm busy at 9, make it 11", '2026-11-24T11:00:00'],
  ])('corrects the call as %j says', (feedback, start) => {
    expect(calls(reply(rejectedWith(feedback)))).toMatchObject([
      { name: 'calendar__create_event', arguments: { title: 'Standup', start, duration_minutes: 30 } },
    ]);
  });

  it('corrects the length when that is what the feedback says', () => {
    expect(calls(reply(rejectedWith('45 minutes please')))).toMatchObject([
      { arguments: { start: '2026-11-24T09:00:00', duration_minutes: 45 } },
    ]);
  });

  it.each(['I have other lunch plans', 'no', "I'm busy at 10am", 'not at 9am', ''])(
    'does not try again when told %j',
    (feedback) => {
      const given = reply(rejectedWith(feedback));
      expect(calls(given)).toEqual([]);
      expect(text(given)).toContain('Rejected by Ana');
      expect(text(given)).toContain('I have not tried it again');
    },
  );

  it('corrects only the rejected one of two calls', () => {
    const messages = ended(human('create 2 events: Team Meeting at 10am and Lunch with Bob at 12pm'), [
      'Created event evt_1.',
      { error: 'Rejected by Ana: make it 1pm' },
    ]);
    expect(calls(reply(messages)).map((call) => [call.arguments.title, call.arguments.start])).toEqual([
      ['Lunch with Bob', '2026-11-23T13:00:00'],
    ]);
  });

  it('tells in the end what was done and what was not', () => {
    const rejected = ended(human('create 2 events: Team Meeting at 10am and Lunch with Bob at 12pm'), [
      'Created event evt_1.',
      { error: 'Rejected by Ana: I have other lunch plans' },
    ]);
    expect(text(reply(rejected)).split('\n').slice(2)).toEqual([
      '- Done: create event. Created event evt_1.',
      '- Not done: create event “Lunch with Bob”, Mon 23 Nov 2026, 12:00. Rejected by Ana: “I have other lunch plans”.',
      '',
      'I have not tried it again. If you want another time or day, tell me which.',
    ]);
  });

  it('says of a corrected call both that it was rejected and that it was done then', () => {
    const done = ended(rejectedWith('make it 10am'), [
      JSON.stringify({ ...standup, start: '2026-11-24T10:00:00' }),
    ]);
    expect(text(reply(done)).split('\n').slice(2)).toEqual([
      '- Not done: create event “Standup”, Tue 24 Nov 2026, 09:00. Rejected by Ana: “make it 10am”.',
      '- Done: “Standup” is on Tue 24 Nov 2026, 10:00.',
    ]);
  });

  it('corrects what was sent back with feedback, and says who wanted what', () => {
    const messages = ended(human('create a meeting called Standup tomorrow at 9am'), [
      { error: 'Sent back by Ana with feedback: make it 10am' },
    ]);
    expect(calls(reply(messages))).toMatchObject([{ arguments: { start: '2026-11-24T10:00:00' } }]);
    const done = ended(messages, [JSON.stringify({ ...standup, start: '2026-11-24T10:00:00' })]);
    expect(text(reply(done))).toContain(
      '- Not done: create event “Standup”, Tue 24 Nov 2026, 09:00. Ana sent it back: “make it 10am”.',
    );
  });

  it('takes a hint that comes as the next message', () => {
    const messages = [...rejectedWith('no'), new AIMessage('Not done.'), new HumanMessage('make it 10am')];
    expect(calls(reply(messages))).toMatchObject([
      { arguments: { title: 'Standup', start: '2026-11-24T10:00:00' } },
    ]);
  });
});

describe('the answer after calls', () => {
  it.each([
    [
      'expired',
      'Not run: nobody answered in time. This is not a refusal; it may be asked for again.',
      'Not done',
    ],
    ['was withdrawn', 'Not run: Ana withdrew it.', 'Not done'],
    ['failed', 'Failed: no calendar called x; nothing was created.', 'Not done'],
    [
      'in doubt',
      'It is unclear whether this happened: no answer came. Do not repeat it by yourself; say so.',
      'Unclear',
    ],
  ])('says of a call that %s why', (_, content, word) => {
    const given = text(
      reply(ended(human('create a meeting called Standup tomorrow at 9am'), [{ error: content }])),
    );
    expect(given).toContain(`${word}: create event “Standup”, Tue 24 Nov 2026, 09:00. ${content}`);
  });

  it('says what ran and not what was proposed when a person changed the call', () => {
    const ran = { title: 'Standup', start: '2026-11-24T11:00:00', duration_minutes: 30 };
    const content = `Ana changed the arguments before approving; it ran with ${JSON.stringify(ran)}.\nCreated event evt_1.`;
    const given = text(reply(ended(human('create a meeting called Standup tomorrow at 9am'), [content])));
    expect(given).toContain(
      'Done: create event. Created event evt_1. (Ana changed it before approving: it ran as create event “Standup”, Tue 24 Nov 2026, 11:00.)',
    );
    expect(given).not.toContain('09:00');
  });
});

describe('listing, moving and deleting', () => {
  it('lists a period and answers with a table in order of time', () => {
    const retro = { id: 'evt_2', title: 'Retro', start: '2026-11-23T15:00:00', location: 'Room 5' };
    const messages = ended(human('what is on my calendar this week?'), [listed(standup, retro)]);
    expect(text(reply(messages)).split('\n').slice(2)).toEqual([
      'You have 2 events this week:',
      '',
      '| When | What | Length | Where |',
      '| --- | --- | --- | --- |',
      '| Mon 23 Nov 2026, 15:00 | Retro |  | Room 5 |',
      '| Tue 24 Nov 2026, 09:00 | Standup | 30 min |  |',
    ]);
  });

  it('says so when there is nothing', () => {
    expect(text(reply(ended(human('what is on my calendar today?'), [listed()])))).toContain(
      'nothing on your calendar today',
    );
  });

  it.each([
    [
      'move Standup to 10am',
      'calendar__update_event',
      { calendar_id: 'primary', event_id: 'evt_1', start: '2026-11-24T10:00:00' },
    ],
    [
      'move standup to Friday',
      'calendar__update_event',
      { calendar_id: 'primary', event_id: 'evt_1', start: '2026-11-27T09:00:00' },
    ],
    ['delete Standup', 'calendar__delete_event', { calendar_id: 'primary', event_id: 'evt_1' }],
  ])('looks the event up for %j and then changes it', (message, name, args) => {
    expect(calls(reply(human(message)))).toMatchObject([{ name: 'calendar__list_events' }]);
    const retro = { ...standup, id: 'evt_2', title: 'Retro' };
    expect(calls(reply(ended(human(message), [listed(retro, standup)])))).toEqual([
      { name, arguments: args },
    ]);
  });

  it('changes nothing when there is no such event', () => {
    const given = reply(ended(human('delete Standup'), [listed({ ...standup, title: 'Retro' })]));
    expect(calls(given)).toEqual([]);
    expect(text(given)).toContain('no event called “Standup”, so nothing was changed');
  });

  it('asks which of two is meant and takes the answer', () => {
    const both = ended(human('delete Standup'), [
      listed(standup, { ...standup, id: 'evt_2', start: '2026-11-25T09:00:00' }),
    ]);
    expect(calls(reply(both))).toMatchObject([{ name: 'ask_user' }]);
    expect(calls(reply(ended(both, ['the one on Wednesday'])))).toMatchObject([
      { name: 'calendar__delete_event', arguments: { event_id: 'evt_2' } },
    ]);
  });

  it('says so when the calendar could not be read', () => {
    const given = text(
      reply(ended(human('delete Standup'), [{ error: 'The calendar is down; nothing was done.' }])),
    );
    expect(given).toContain('Not done: list events. The calendar is down');
  });
});

describe('files', () => {
  it.each([
    ['write hello to notes.txt', 'files__write_file', { path: 'notes.txt', content: 'hello' }],
    ['read notes.txt', 'files__read_text_file', { path: 'notes.txt' }],
    ['list files', 'files__list_directory', { path: '.' }],
  ])('uses the tool for %j', (message, name, args) => {
    expect(calls(reply(human(message)))).toEqual([{ name, arguments: args }]);
  });

  it('shows what a file holds', () => {
    expect(text(reply(ended(human('read notes.txt'), ['one\ntwo'])))).toContain('```\none\ntwo\n```');
  });
});

describe('what it says of itself', () => {
  it('says in the first answer of a thread, and only there, that it is the demo model', () => {
    const first = text(reply(human('hello')));
    const second = text(
      reply([new HumanMessage('hello'), new AIMessage(first), new HumanMessage('hello again')]),
    );
    expect(first).toContain('demo model');
    expect(second).not.toContain('demo model');
  });

  it('names what it can do with the connected tools and how to get a real model', () => {
    const given = text(reply(human('tell me a joke'), files));
    expect(given).toContain('write hello to notes.txt');
    expect(given).not.toContain('create a meeting');
    expect(given).toContain('OPENAI_API_KEY');
  });

  it('says that nothing is connected when no tool is', () => {
    expect(text(reply(human('create a meeting called Standup tomorrow at 9am'), []))).toContain(
      'No tool that I know is connected',
    );
  });
});

describe('what is suggested', () => {
  const all = [...calendar, ...files, ...documents];

  it.each(demoExamples(all.map((name) => ({ name }))))('is in the script: %s', (example) => {
    expect(calls(reply(human(example), [...all, 'ask_user'])).length).toBeGreaterThan(0);
  });

  it('is only what the connected tools can do', () => {
    expect(demoExamples([{ name: 'everything__echo' }])).toEqual([]);
    expect(demoExamples(files.map((name) => ({ name })))).toEqual([
      'write hello to notes.txt',
      'read notes.txt',
      'list files',
    ]);
  });
});

describe('what an approver wants besides or instead', () => {
  const first = human('create a meeting called Standup tomorrow at 9am');
  const created = `Created evt_1.\n${JSON.stringify({ event: standup })}`;
  const prep = { title: 'Prep', start: '2026-11-24T16:00:00' };
  const wish = 'create a meeting called Prep tomorrow at 4pm';
  const also = ended(first, [`${created}\nAna approved this and adds: ${wish}`]);
  const instead = (text: string) =>
    ended(first, [
      { error: `Not run: Ana wants this instead: ${text}\nPropose what it needs; it is asked for anew.` },
    ]);

  it.each([
    ['besides', also],
    ['instead', instead(wish)],
  ])('is followed as if it had been written: %s', (_how, messages) => {
    expect(calls(reply(messages))).toMatchObject([{ name: 'calendar__create_event', arguments: prep }]);
  });

  it('corrects the call that was not run', () => {
    expect(calls(reply(instead('make it 3pm')))).toMatchObject([
      { arguments: { title: 'Standup', start: '2026-11-24T15:00:00' } },
    ]);
  });

  it('ends with all that was done, and without the words meant for a model', () => {
    const event = { ...standup, ...prep, id: 'evt_2' };
    const done = text(reply(ended(also, [`Created evt_2.\n${JSON.stringify({ event })}`])));
    expect(done).toContain(
      '- Done: “Standup” is on Tue 24 Nov 2026, 09:00.\n- Done: “Prep” is on Tue 24 Nov 2026, 16:00.',
    );
    expect(done).not.toMatch(/approved this and adds|evt_/);
  });

  it('is said not to be understood where the script has nothing for it', () => {
    const said = text(reply(instead('something nicer')));
    expect(said).toContain('Ana wants something else instead.');
    expect(said).toContain('I only follow a script');
    expect(said).not.toContain('Propose what it needs');
  });
});
