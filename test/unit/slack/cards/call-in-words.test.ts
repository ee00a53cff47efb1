import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../src/lib/json.ts';
import { describeResult } from '../../../../src/presentation/outcome-text.ts';
import { isLongerThanLine } from '../../../../src/presentation/result.ts';
import { callObject, callTitle } from '../../../../src/slack/cards/call-view.ts';
import { lineText, stateLine } from '../../../../src/slack/cards/state-line.ts';
import { approvedBy, callView, withTool } from './fixtures.ts';

describe('a call in one line', () => {
  it.each([
    [{ calendar_id: 'primary', title: 'Standup' }, 'Create event ‘Standup’'],
    [{ calendar_id: 'primary', event_id: 'evt_7' }, 'Create event ‘evt_7’'],
    [{ event_id: 'evt_7', time_zone: 'Europe/Berlin' }, 'Create event ‘evt_7’'],
    [
      { calendarId: 'primary', start: '2026-11-24T09:00:00', title: ' ' },
      'Create event ‘primary’, Tue 24 Nov 09:00',
    ],
    [{ amount: 3 }, 'Create event'],
  ])('names what %j is about', (args, words) => {
    const properties = Object.fromEntries(Object.keys(args).map((name) => [name, {}]));
    expect(callTitle(withTool({ properties }, args))).toBe(`${words} (calendar.create_event)`);
  });
});

describe('a call is named by what its schema says of its arguments', () => {
  const text = { type: 'string' };
  const schema = {
    type: 'object',
    properties: {
      calendar: { ...text, default: 'primary' },
      kind: { ...text, enum: ['meeting', 'break'] },
      notes: text,
      folder: text,
      event_title: text,
      ref_id: text,
    },
  };

  it.each([
    [{ calendar: 'primary', notes: 'bring cake', event_title: 'Standup' }, 'Create event ‘Standup’'],
    [{ calendar: 'primary', kind: 'meeting', notes: 'bring cake' }, 'Create event ‘bring cake’'],
    [{ calendar: 'work', kind: 'meeting' }, 'Create event ‘work’'],
    [{ calendar: 'primary', kind: 'meeting', ref_id: 'r7' }, 'Create event ‘r7’'],
    [{ calendar: 'primary', kind: 'meeting' }, 'Create event ‘meeting’'],
    [{ calendar: 'primary' }, 'Create event'],
    [{ unknown: 'something' }, 'Create event'],
  ])('%j', (args, words) => {
    expect(callTitle(withTool(schema, args))).toBe(`${words} (calendar.create_event)`);
  });
});

describe('a call before it is approved for good', () => {
  const schema = { properties: { language: { type: 'string' }, code: { type: 'string' } } };
  const code = 'for n in numbers:\n    print(n)\nLanguage: javascript\n';
  const view = withTool(schema, { language: 'python', code });

  it('has the lines of a program as they are, of which none passes for an argument', () => {
    expect(callObject(view, 300)).toBe(
      'Language: python\nCode:\n│ for n in numbers:\n│     print(n)\n│ Language: javascript⏎',
    );
  });

  it('says where there is more', () => {
    expect(callObject(view, 40)).toBe('Language: python\nCode:\n│ for n in numb …');
  });

  it('has more lines than a card where they fit', () => {
    const twelve = withTool(schema, { code: Array.from({ length: 12 }, (_, line) => `n${line}`).join('\n') });
    expect(callObject(twelve, 300)).toMatch(/│ n11$/);
  });
});

describe('the result of a call in one line', () => {
  const structured = { id: 'evt_1', title: 'Standup' };

  it.each([
    ['Created evt_1: Standup.', 'Created evt_1: Standup.'],
    ['{"id":"evt_1","title":"Standup"}', 'id evt_1 · title Standup'],
    ['', 'id evt_1 · title Standup'],
  ])('of the text %j beside fields', (text, words) => {
    expect(describeResult({ status: 'succeeded', content: [{ type: 'text', text }], structured })).toBe(
      words,
    );
  });

  it.each<[JsonObject, string | null]>([
    [
      { agent_id: 't1', task_done: true, data: { answer: 'It costs 12 euros.', rows: [1] } },
      'It costs 12 euros.',
    ],
    [{ task_done: true, result: 'It costs\n12 euros.' }, 'It costs 12 euros.'],
    [{ task_done: true, data: { price: 12, currency: 'EUR' } }, 'price 12 · currency EUR'],
    [{ task_done: false, error: 'no such item', partial_data: { answer: 'I looked.' } }, 'no such item'],
    [{ task_done: false, error: null, partial_data: { answer: 'I looked.' } }, 'I looked.'],
    [{ task_done: true, data: {} }, null],
  ])('of what an agent says of its task, as fields or as text: %j', (output, words) => {
    const texts = [{ type: 'text' as const, text: JSON.stringify(output) }];
    expect(describeResult({ status: 'succeeded', content: [], structured: output })).toBe(words);
    const asText = { status: 'succeeded' as const, content: texts, structured: null };
    expect(describeResult(asText)).toBe(words);
    expect(isLongerThanLine(asText)).toBe(true);
  });

  it('of an agent that did not do its task says so', () => {
    const structured = { task_done: false, error: 'no such item' };
    const outcome = { status: 'succeeded' as const, content: [], structured };
    const view = callView({ state: 'succeeded', decision: approvedBy('Ana'), outcome });
    expect(lineText(stateLine(view))).toMatch(
      /^↩️ Approved by Ana, .* · it says that it was not done: no such item$/,
    );
  });
});
