import { DateTime } from 'luxon';
import { describe, expect, it } from 'vitest';
import { parseIntent } from '../../../../src/agents/demo/intent.ts';

const timeZone = 'Europe/Berlin';
/** A Monday. */
const monday = { now: DateTime.fromISO('2026-11-23T09:30:00', { zone: timeZone }).toMillis(), timeZone };

describe('parseIntent', () => {
  it.each([
    ['create a meeting called Standup tomorrow at 9am', [['Standup', '2026-11-24', '09:00', null]]],
    [
      '<@U0BOT> please create a meeting called Standup tomorrow at 9am',
      [['Standup', '2026-11-24', '09:00', null]],
    ],
    [
      'create 2 events: Team Meeting at 10am and Lunch with Bob at 12pm',
      [
        ['Team Meeting', null, '10:00', null],
        ['Lunch with Bob', null, '12:00', null],
      ],
    ],
    [
      'create 3 meetings tomorrow: A at 9:00, B at 10:00 and C at 11:00',
      [
        ['A', '2026-11-24', '09:00', null],
        ['B', '2026-11-24', '10:00', null],
        ['C', '2026-11-24', '11:00', null],
      ],
    ],
    [
      'schedule lunch with Bob and Carol on Friday at noon',
      [['Lunch with Bob and Carol', '2026-11-27', '12:00', null]],
    ],
    ['book a call with Bob at 15:00 for 45 minutes', [['Meeting with Bob', null, '15:00', 45]]],
    ['add Retro to my calendar on Thursday at 4pm', [['Retro', '2026-11-26', '16:00', null]]],
    ['create a meeting', [[null, null, null, null]]],
    ['create a meeting tomorrow at 9am', [[null, '2026-11-24', '09:00', null]]],
    ['create a meeting called Standup', [['Standup', null, null, null]]],
    [
      'create a meeting called "Plan: Q4, part 2" tomorrow at 9am',
      [['Plan: Q4, part 2', '2026-11-24', '09:00', null]],
    ],
  ])('finds the events in %j', (message, expected) => {
    const intent = parseIntent(message, monday);
    const drafts = intent.kind === 'create' ? intent.drafts : [];
    expect(drafts.map((draft) => [draft.title, draft.day, draft.time, draft.durationMinutes])).toEqual(
      expected,
    );
  });

  it('takes addresses as attendees and leaves them out of the title', () => {
    expect(
      parseIntent('create a meeting called Review tomorrow at 9am with ana@example.com', monday),
    ).toMatchObject({
      drafts: [{ title: 'Review', attendees: ['ana@example.com'] }],
    });
  });

  it.each([
    ['what is on my calendar?', '2026-11-23', '2026-11-29'],
    ['what is on my calendar today', '2026-11-23', '2026-11-23'],
    ["what's on my calendar tomorrow?", '2026-11-24', '2026-11-24'],
    ['what is on my calendar this week?', '2026-11-23', '2026-11-29'],
    ['show my events next week', '2026-11-30', '2026-12-06'],
    ['which meetings do I have on Friday?', '2026-11-27', '2026-11-27'],
  ])('finds the days in %j', (message, from, to) => {
    expect(parseIntent(message, monday)).toMatchObject({ kind: 'list', period: { from, to } });
  });

  it.each([
    ['move Standup to 10am', { kind: 'move', title: 'Standup', to: { times: ['10:00'] } }],
    ['move Standup to 10', { kind: 'move', title: 'Standup', to: { times: ['10:00'] } }],
    ['move the Standup meeting to Friday', { kind: 'move', title: 'Standup', to: { days: ['2026-11-27'] } }],
    [
      'move Standup on Tuesday to Friday at 2pm',
      {
        kind: 'move',
        title: 'Standup',
        on: { days: ['2026-11-24'] },
        to: { days: ['2026-11-27'], times: ['14:00'] },
      },
    ],
    ['delete Standup', { kind: 'cancel', title: 'Standup' }],
    [
      'cancel my Lunch with Bob tomorrow',
      { kind: 'cancel', title: 'Lunch with Bob', on: { days: ['2026-11-24'] } },
    ],
    ['write hello to notes.txt', { kind: 'write_file', content: 'hello', path: 'notes.txt' }],
    [
      'save "two words" into the file docs/a.md',
      { kind: 'write_file', content: 'two words', path: 'docs/a.md' },
    ],
    ['read notes.txt', { kind: 'read_file', path: 'notes.txt' }],
    ['list files', { kind: 'list_files' }],
    ['move my meeting', { kind: 'move', title: '', to: { days: [], times: [] } }],
    ['reschedule one of my meetings', { kind: 'move', title: '' }],
    ['can you push Standup by an hour', { kind: 'move', title: 'Standup' }],
    ['could we move the retro to 3pm?', { kind: 'move', title: 'retro', to: { times: ['15:00'] } }],
    ['delete lunch', { kind: 'cancel', title: 'lunch' }],
    ['call off the retro', { kind: 'cancel', title: 'retro' }],
    ['cancel my meeting tomorrow', { kind: 'cancel', title: '', on: { days: ['2026-11-24'] } }],
    ['cancel that', { kind: 'take_back' }],
    ['undo that please', { kind: 'take_back' }],
    ['never mind', { kind: 'take_back' }],
    ['👍', { kind: 'small_talk', about: 'thanks' }],
    ['thanks :pray:', { kind: 'small_talk', about: 'thanks' }],
    ['thanks', { kind: 'small_talk', about: 'thanks' }],
    ['Great, thank you so much!', { kind: 'small_talk', about: 'thanks' }],
    ['perfect', { kind: 'small_talk', about: 'thanks' }],
    ['hello', { kind: 'small_talk', about: 'greeting' }],
    ['good morning!', { kind: 'small_talk', about: 'greeting' }],
    ['who is free at 3', { kind: 'free', time: '15:00', period: { words: 'today' } }],
    ['am I free tomorrow at 10am?', { kind: 'free', time: '10:00', period: { words: 'tomorrow' } }],
    ['when am I available on Friday', { kind: 'free', time: null, period: { from: '2026-11-27' } }],
    ['what do I have tomorrow', { kind: 'list', isSummary: false, period: { words: 'tomorrow' } }],
    ["what's on today?", { kind: 'list', period: { words: 'today' } }],
    ['do I have anything on Friday?', { kind: 'list', period: { from: '2026-11-27', to: '2026-11-27' } }],
    ['anything tomorrow?', { kind: 'list', period: { words: 'tomorrow' } }],
    ["what's next?", { kind: 'list', period: { words: 'in the next seven days' } }],
    ['summarise my week', { kind: 'list', isSummary: true, period: { words: 'this week' } }],
    ['can you summarize my day', { kind: 'list', isSummary: true, period: { words: 'today' } }],
    ['how does my week look?', { kind: 'list', isSummary: true, period: { words: 'this week' } }],
    ['how busy is next week', { kind: 'list', isSummary: true, period: { words: 'next week' } }],
    ['send an email to Bob', { kind: 'no_tool', subject: 'e-mail' }],
    ["what's the weather tomorrow?", { kind: 'no_tool', subject: 'the weather' }],
    ['remind Bob to call', { kind: 'no_tool', subject: 'reminders' }],
    ['remind me what is on my calendar tomorrow', { kind: 'list' }],
    ['remind me to call Bob', { kind: 'command', command: 'remind', of: 'me to call Bob' }],
    [
      'please remind me in 5 minutes to drink',
      { kind: 'command', command: 'remind', of: 'me in 5 minutes to drink' },
    ],
    ['forget greenhouse.pdf', { kind: 'command', command: 'forget', of: 'greenhouse.pdf' }],
    ['Forget the file “Q3 report.pdf”.', { kind: 'command', command: 'forget', of: 'Q3 report.pdf' }],
    ['tell Bob that I am late', { kind: 'no_tool', subject: 'writing to other people' }],
    ['tell me a joke', { kind: 'other' }],
    ['create a poem', { kind: 'other' }],
    ['', { kind: 'other' }],
    ['make it 45 minutes?', { kind: 'other' }],
  ])('understands %j', (message, intent) => {
    expect(parseIntent(message, monday)).toMatchObject(intent);
  });
});

describe('a time that no clock shows', () => {
  it.each([
    ['create a meeting called Past at 25:99', '25:99'],
    ['move Standup to 26:00 tomorrow', '26:00'],
    ['am I free at 9:75', '9:75'],
    ['create a meeting called Foo tomorrow at 13pm', '13pm'],
  ])('is found in %s', (message, time) => {
    expect(parseIntent(message, monday)).toEqual({ kind: 'no_such_time', time });
  });

  it.each([
    'create a meeting called Ratio 16:90 tomorrow at 9am',
    'create a meeting called "Due at 25:99" tomorrow at 9am',
    'create a meeting called Midnight at 24:00 tomorrow',
  ])('is not what stands in %s', (message) => {
    expect(parseIntent(message, monday)).toMatchObject({ kind: 'create' });
  });
});
