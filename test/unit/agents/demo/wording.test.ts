import { expect, it } from 'vitest';
import { correctSpelling, isForeign, withoutEmoji } from '../../../../src/agents/demo/wording.ts';

it.each([
  ['mvoe Lunch to wensday', 'move Lunch to wednesday'],
  ['reshedule the calender meetng', 'reschedule the calendar meeting'],
  ['create a meeting caled Foo', 'create a meeting called Foo'],
  ['create Caller review', 'create Caller review'],
  ['look at my day', 'look at my day'],
  ['create "Meetng" tomorow', 'create "Meetng" tomorrow'],
  ['move Lunch with Money', 'move Lunch with Money'],
])('%s means %s', (written, meant) => {
  expect(correctSpelling(written)).toBe(meant);
});

it('leaves emoji within a text, which may be part of a title', () => {
  expect(withoutEmoji('👋🏽 create Lunch 🍕 tomorrow :tada: ❤️')).toBe('create Lunch 🍕 tomorrow');
});

it.each(['create a meeting called Café tomorrow', 'what is on my calendar?', 'lunch with Pablo para'])(
  '%s is taken for English',
  (text) => {
    expect(isForeign(text)).toBe(false);
  },
);
