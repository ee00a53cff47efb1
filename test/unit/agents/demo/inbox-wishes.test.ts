import { describe, expect, it } from 'vitest';
import { demoAnswerBeside } from '../../../../src/agents/demo/inbox/index.ts';
import { readWishes } from '../../../../src/agents/demo/inbox/wishes.ts';
import { nextReply } from './inbox-conversation.ts';

const DRAFT = {
  message_id: 'm_1',
  to: ['bob@example.com'],
  cc: ['carol@example.com'],
  body: 'Hi Bob,\n\nOne at 9:00. Two.\n\nBest,\nAna',
};
const sentBack = (feedback: string, name = 'send_email', args = DRAFT) => ({
  ...{ name, arguments: args, failed: true },
  text: `Sent back by Ana with feedback: ${feedback}`,
});
const answered = (words: string) => ({ name: 'Question', text: `Answered by Ana: ${words}` });
const cannot = (words: string) => `The demo model can’t do “${words}”; a real model could.`;
const body = (text: string) => ({ toolCalls: [{ name: 'send_email', arguments: { ...DRAFT, body: text } }] });

describe('wishes that never end', () => {
  it.each(['\n', ' ', ', ', '.', ' please'])('are read at once: “%s”', (piece) => {
    const begin = process.cpuUsage();
    readWishes(`${piece.repeat(20_000)}shorter`);
    expect(process.cpuUsage(begin).user / 1_000).toBeLessThan(1_000);
  });
});

describe('the demo model drafts anew', () => {
  it.each([
    ['say that I come on Monday', 'Hi Bob,\n\nI come on Monday.\n\nBest,\nAna'],
    [
      'Tell Bob we are closed. Say that we open in May.',
      'Hi Bob,\n\nWe are closed. We open in May.\n\nBest,\nAna',
    ],
    ['also say that lunch is on me', 'Hi Bob,\n\nOne at 9:00. Two. Lunch is on me.\n\nBest,\nAna'],
    ['add: it is urgent', 'Hi Bob,\n\nOne at 9:00. Two. It is urgent.\n\nBest,\nAna'],
    ['and thank him for the lamps', 'Hi Bob,\n\nThank you for the lamps. One at 9:00. Two.\n\nBest,\nAna'],
    ['shorter, please', 'Hi Bob,\n\nOne at 9:00.\n\nBest,\nAna'],
    ['That is too long', 'Hi Bob,\n\nOne at 9:00.\n\nBest,\nAna'],
    ['more formal', 'Dear Bob,\n\nOne at 9:00. Two.\n\nKind regards,\nAna'],
    ['Make it a bit more friendly!', 'Hi Bob,\n\nOne at 9:00. Two.\n\nCheers,\nAna'],
    ['Sign off with Cheers', 'Hi Bob,\n\nOne at 9:00. Two.\n\nCheers,\nAna'],
    ['please sign it “Best regards”.', 'Hi Bob,\n\nOne at 9:00. Two.\n\nBest regards,\nAna'],
    ['end with Yours, Ana A.', 'Hi Bob,\n\nOne at 9:00. Two.\n\nYours,\nAna A'],
    ['begin with Dear', 'Dear Bob,\n\nOne at 9:00. Two.\n\nBest,\nAna'],
    ['10:30 instead of 9:00', 'Hi Bob,\n\nOne at 10:30. Two.\n\nBest,\nAna'],
    ['ask when he comes', 'Hi Bob,\n\nOne at 9:00. Two. Could you tell me when you come?\n\nBest,\nAna'],
    ['ask him to call me', 'Hi Bob,\n\nOne at 9:00. Two. Could you call me?\n\nBest,\nAna'],
    ['Ask for his number', 'Hi Bob,\n\nOne at 9:00. Two. May I ask you for your number?\n\nBest,\nAna'],
    ['ask “Is it red?”', 'Hi Bob,\n\nOne at 9:00. Two. Is it red?\n\nBest,\nAna'],
    [
      'propose Friday at 10 instead',
      'Hi Bob,\n\nCould we make it Friday 4 December at 10:00 instead?\n\nBest,\nAna',
    ],
    ['propose 10:30 instead', 'Hi Bob,\n\nCould we make it 10:30 instead?\n\nBest,\nAna'],
    [
      'Shorter, and sign off with Cheers. Add that lunch is on me',
      'Hi Bob,\n\nOne at 9:00. Lunch is on me.\n\nCheers,\nAna',
    ],
    ['say that we come and sign the contract', 'Hi Bob,\n\nWe come and sign the contract.\n\nBest,\nAna'],
  ])('after “%s”', (feedback, text) => {
    expect(nextReply({ ended: [sentBack(feedback)] })).toEqual(body(text));
  });

  it.each([
    ['friendly', 'more friendly', 'Hi Bob,\n\nI hope you’re well! I’ll see.\n\nCheers,\nAna'],
    ['formal', 'More formal, please', 'Dear Bob,\n\nI will see.\n\nKind regards,\nAna'],
    ['signed without a comma', 'too formal', 'Hi Bob,\n\nI’ll see.\n\nCheers,\nAna'],
  ])('also what is %s already', (kind, feedback, text) => {
    const drafts: Readonly<Record<string, string>> = {
      friendly: 'Hi Bob,\n\nI’ll see.\n\nCheers,\nAna',
      formal: 'Dear Bob,\n\nI’ll see.\n\nKind regards,\nAna',
      'signed without a comma': 'Dear Bob,\n\nI’ll see.\n\nBest regards\nAna',
    };
    const args = { ...DRAFT, body: drafts[kind] ?? '' };
    expect(nextReply({ ended: [sentBack(feedback, 'send_email', args)] })).toEqual(body(text));
  });

  it('ever friendlier, until nothing is left to add', () => {
    const friendlier = (draft: string) => {
      const args = { ...DRAFT, body: draft };
      const reply = nextReply({ ended: [sentBack('more friendly', 'send_email', args)] });
      const [call] = 'toolCalls' in reply ? reply.toolCalls : [];
      return String(call?.arguments.body ?? call?.name);
    };
    const once = friendlier(DRAFT.body);
    const twice = friendlier(once);
    const thrice = friendlier(twice);
    expect([once, twice, thrice].map((text) => text.split('\n\n')[1])).toEqual([
      'One at 9:00. Two.',
      'I hope you’re well! One at 9:00. Two.',
      'I hope you’re well! One at 9:00. Two. Have a lovely day!',
    ]);
    expect(
      nextReply({ ended: [sentBack('more friendly', 'send_email', { ...DRAFT, body: thrice })] }),
    ).toMatchObject({
      toolCalls: [{ name: 'Question' }],
    });
  });

  it.each([
    ['friendly', ['friendly', 'use a warmer tone', 'I want it friendlier', 'not so formal', 'less stiff']],
    ['short', ['short', 'more concise', 'not so long', 'keep it brief', 'Shorter!']],
    ['formal', ['formal', 'more professional', 'too casual', 'less friendly']],
  ])('as plain words want it %s', (manner, all) => {
    expect(all.map((words) => readWishes(words).map(({ wish }) => wish?.do))).toEqual(
      all.map(() => [manner]),
    );
    expect(readWishes('too short')).toMatchObject([{ wish: null }]);
  });

  it('and says on the card what of a wish it leaves out', () => {
    expect(nextReply({ ended: [sentBack('sign off with Cheers, and in German')] })).toEqual({
      ...body('Hi Bob,\n\nOne at 9:00. Two.\n\nCheers,\nAna'),
      said: cannot('in German'),
    });
  });

  it('and says on the card where words are too many, from which on it leaves them out', () => {
    const words = Array.from({ length: 600 }, (_, index) => `word-${index}`).join(' ');
    const reply = nextReply({ ended: [sentBack(`say that ${words}`)] });
    const [call] = 'toolCalls' in reply ? reply.toolCalls : [];
    const [last = ''] = /word-\d+(?=\.\n)/.exec(String(call?.arguments.body)) ?? [];
    const next = `word-${Number(last.slice(5)) + 1}`;
    expect(String(call?.arguments.body).length).toBeGreaterThan(3_900);
    expect(reply).toMatchObject({ said: expect.stringContaining(`can’t do “${next} `) });
    const asked = nextReply({ ended: [sentBack(`say that ${words.slice(0, 2_990)}`)] });
    expect(JSON.stringify(asked)).toContain(words.slice(1, 2_990));
    expect(asked).not.toHaveProperty('said');
  });

  it.each([
    'in German',
    'answer in German',
    'blue',
    'sign the contract',
    'shorter and funnier',
    'a instead of b',
  ])('but asks for the words after “%s”, and sends what it is told', (wish) => {
    const back = sentBack(wish);
    expect(nextReply({ ended: [back] })).toMatchObject({
      toolCalls: [
        { name: 'Question', arguments: { question: expect.stringContaining(`can’t do “${wish}”`) } },
      ],
    });
    const told = nextReply({ ended: [back, answered('It is sold out')] });
    expect(told).toMatchObject({
      toolCalls: [{ arguments: { body: 'Hi Bob,\n\nIt is sold out.\n\nBest,\nAna' } }],
    });
  });

  it('moves a meeting, and asks for the time where it finds none, and ends where it finds none then', () => {
    const args = { title: 'Plan', start: '2026-12-03T14:00:00', duration_minutes: 45 };
    const back = (feedback: string) => ({ ...sentBack(feedback, 'schedule_meeting'), arguments: args });
    const moved = [{ name: 'schedule_meeting', arguments: { ...args, start: '2026-12-04T10:00:00' } }];
    expect(nextReply({ ended: [back('propose Friday at 10 instead')] })).toEqual({ toolCalls: moved });
    expect(nextReply({ ended: [back('with cake')] })).toMatchObject({ toolCalls: [{ name: 'Question' }] });
    expect(nextReply({ ended: [back('with cake'), answered('Friday at 10')] })).toEqual({ toolCalls: moved });
    expect(nextReply({ ended: [back('with cake'), answered('cake')] })).toMatchObject({
      text: expect.stringContaining('found no day or time'),
    });
  });

  it('goes by what is written in the thread', () => {
    expect(nextReply({ ended: [sentBack('x')], wrote: 'sign off with Cheers' })).toEqual(
      body('Hi Bob,\n\nOne at 9:00. Two.\n\nCheers,\nAna'),
    );
    expect(nextReply({ wrote: 'say no' })).toMatchObject({
      toolCalls: [{ name: 'send_email', arguments: { body: 'Hi Bob,\n\nNo.\n\nBest,\nAna' } }],
    });
    expect(nextReply({ wrote: 'try again' })).toEqual(nextReply({}));
    expect(nextReply({ wrote: 'what is this?' })).toMatchObject({ toolCalls: [{ name: 'Question' }] });
  });

  it('says what somebody answers it to say', () => {
    const mail = { text: 'Shall I open it?' };
    expect(nextReply({ mail, ended: [answered('Tell him yes, and sign off with Cheers')] })).toMatchObject({
      toolCalls: [{ arguments: { body: 'Hi Bob,\n\nYes.\n\nCheers,\nAna' } }],
    });
  });
});

describe('the demo model words drafts as its person has had it learned', () => {
  it.each([
    [['Sign off with “Best regards”', 'Sign off with “Cheers”'], 'Best regards,\nAna'],
    [['always sign off with Cheers'], 'Cheers,\nAna'],
    [['be friendly'], 'Cheers,\nAna'],
    [['add that prices are net'], 'Prices are net.\n\nBest,\nAna'],
  ])('%s', (lines, end) => {
    const reply = nextReply({ remembered: { response_preferences: lines } });
    const [call] = 'toolCalls' in reply ? reply.toolCalls : [];
    expect(String(call?.arguments.body)).toMatch(new RegExp(`${end}$`));
    expect(reply).not.toHaveProperty('said');
  });

  it('and says on each card what it does not go by', () => {
    const remembered = { response_preferences: ['Never promise a date', 'Answer in German'] };
    expect(nextReply({ remembered })).toMatchObject({
      said: 'The demo model can’t do “Never promise a date” and 1 more; a real model could.',
    });
  });
});

describe('the demo model learns from what people changed', () => {
  const learn = (lesson: object) => {
    const nothing = { lines: [], taken_back: [], removed: [], added: [], words: '' };
    const matter = { drafts_of: 'replies to mails', ...nothing, ...lesson };
    return JSON.parse(demoAnswerBeside(JSON.stringify(matter))).operations;
  };
  const signed = { removed: ['Best,'], added: ['Best regards,'] };

  it('how they sign off, once, and otherwise when they change it', () => {
    const text = 'Sign off with “Best regards”';
    expect(learn(signed)).toEqual([{ do: 'add', text, evidence: 'Best regards,' }]);
    expect(learn({ words: 'sign off with Best regards' })).toMatchObject([{ text }]);
    expect(learn({ ...signed, lines: [`1. ${text}`] })).toEqual([]);
    expect(learn({ ...signed, taken_back: [text] })).toEqual([]);
    expect(learn({ ...signed, lines: ['1. Keep replies short', '2. Sign off with “Cheers”'] })).toEqual([
      { do: 'change', line: 2, text, evidence: 'Best regards,' },
    ]);
  });

  it('how they greet, how long their meetings are, and what they say of all replies', () => {
    expect(learn({ removed: ['Hi Bob,'], added: ['Dear Bob,'] })).toMatchObject([
      { text: 'Greet with “Dear”' },
    ]);
    expect(learn({ removed: ['duration_minutes: 30'], added: ['duration_minutes: 25'] })).toMatchObject([
      { text: 'Plan 25 minutes for a meeting' },
    ]);
    expect(learn({ words: 'shorter, please' })).toMatchObject([
      { text: 'Keep replies short', evidence: 'shorter, please' },
    ]);
    expect(learn({ words: 'Never promise a date.' })).toMatchObject([{ text: 'Never promise a date' }]);
    expect(learn({ words: 'begin with Hello. From now on mention that prices are net' })).toMatchObject([
      { text: 'Greet with “Hello”' },
      { text: 'From now on mention that prices are net' },
    ]);
  });

  it('nothing from what holds for one mail alone', () => {
    expect(learn({ removed: ['I come at 9.'], added: ['I come at 10.'] })).toEqual([]);
    expect(learn({ words: 'say that we never deliver on Sundays, and propose Friday' })).toEqual([]);
  });
});
