import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { clip, clipMiddle, head, pieces } from '../../../../src/presentation/text/clip.ts';
import { findUnit, formatDuration } from '../../../../src/presentation/text/duration.ts';
import {
  dateTimeParts,
  formatDate,
  formatDateTime,
  formatElsewhere,
  formatInstant,
  instantLike,
  isDate,
  isTimeZone,
} from '../../../../src/presentation/text/time.ts';
import { answerText, escapeMrkdwn } from '../../../../src/slack/text/escape.ts';

describe('escaping', () => {
  it('leaves no reference in mrkdwn', () => {
    expect(escapeMrkdwn('<!channel> & <@U1>')).toBe('&lt;!channel&gt; &amp; &lt;@U1&gt;');
  });

  it.each([
    ['<!channel>', '@channel'],
    ['<!subteam^S1|@ops> look', '@ops look'],
    ['<@U123ABC> hi', '@U123ABC hi'],
    ['<#C1|general>', '#general'],
    ['<!-- comment -->', '<!-- comment -->'],
    ['a < b', 'a < b'],
  ])('turns %s in markdown into %s', (markdown, words) => {
    expect(answerText(markdown)).toBe(words);
  });

  it('does not let a mark in a title turn round what is said behind it', () => {
    expect(answerText('I created “\u202egnol” on 23 Nov.')).toBe('I created “⟨U+202E⟩gnol” on 23 Nov.');
    // A right-to-left text and its isolates end by themselves.
    expect(answerText('שלום \u2067مرحبا\u2069 (9:00)')).toBe('שלום \u2067مرحبا\u2069 (9:00)');
  });

  it('cannot be outwitted by nesting', () => {
    const unit = fc.constantFrom(
      '<',
      '>',
      '!',
      '@',
      '#',
      'channel',
      'here',
      'U1',
      '|',
      '^',
      'subteam^S1',
      ' ',
    );
    fc.assert(
      fc.property(fc.array(unit, { maxLength: 14 }), (parts) => {
        expect(answerText(parts.join(''))).not.toMatch(/<(!(channel|here|everyone|subteam)|@|#)/i);
      }),
      { numRuns: 3000 },
    );
  });
});

it('a text is cut in its middle without splitting a pair', () => {
  expect(clipMiddle('abcdef', 6)).toBe('abcdef');
  expect(clipMiddle('abcdefg', 6)).toBe('ab…efg');
  expect(clipMiddle('a👍b👍cd', 6)).toBe('a…cd');
});

describe('clip', () => {
  it('cuts no character in half', () => {
    expect(clip('ab👍', 4)).toBe('ab👍');
    expect(clip('ab👍c', 4)).toBe('ab…');
    expect(head('👍', 1)).toBe('');
  });

  it('divides a text into pieces that make it up again', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 2, max: 20 }), (text, size) => {
        const parts = pieces(text, size);
        expect(parts.join('')).toBe(text);
        expect(parts.every((part) => part.length <= size)).toBe(true);
      }),
    );
  });
});

describe('times in words', () => {
  it.each([
    ['2026-11-24T09:00:00+01:00', 'Tue 24 Nov 2026, 09:00', 'Europe/Berlin'],
    ['2026-07-01T07:00:00Z', 'Wed 1 Jul 2026, 09:00', 'Europe/Berlin'],
    ['2026-03-29T00:59:59Z', 'Sun 29 Mar 2026, 01:59:59', 'Europe/Berlin'],
    ['2026-03-29T01:00:00Z', 'Sun 29 Mar 2026, 03:00', 'Europe/Berlin'],
    ['2026-11-24T09:00:00', 'Tue 24 Nov 2026, 09:00', null],
  ])('says %s as %s in %s', (value, words, zone) => {
    expect(formatDateTime(value, 'Europe/Berlin', null, null)).toEqual({ words, zone });
  });

  it('puts the zone that the call names beside its local time, and does not convert it', () => {
    expect(formatDateTime('2026-03-29T02:30', 'Europe/Berlin', 'Asia/Tokyo', null)).toEqual({
      words: 'Sun 29 Mar 2026, 02:30',
      zone: 'Asia/Tokyo',
    });
  });

  it.each([
    ['2026-11-24', 'Tue 24 Nov'],
    ['2026-10-25', 'Sun 25 Oct'],
    ['2027-04-01', 'Thu 1 Apr'],
    ['2026-10-01', 'Thu 1 Oct 2026'],
    ['2027-11-24', 'Wed 24 Nov 2027'],
    ['2025-11-24', 'Mon 24 Nov 2025'],
  ])('says the year of %s unless it is near', (date, words) => {
    expect(formatDate(date, Date.UTC(2026, 10, 23))).toBe(words);
  });

  it.each([
    ['2026-11-24T09:00:00', 'Asia/Tokyo', '01:00'],
    ['2026-11-24T07:00', 'Asia/Tokyo', 'Mon 23 Nov, 23:00'],
    ['2026-11-24T09:00:00', 'Europe/Paris', null],
    ['2026-03-08T02:30:00', 'America/New_York', null],
    ['2026-11-01T01:30:00', 'America/New_York', null],
  ])('says %s of %s on the clock of Berlin where that is certain', (local, zone, words) => {
    expect(formatElsewhere(local, zone, 'Europe/Berlin', Date.UTC(2026, 10, 23))).toBe(words);
  });

  it('falls back to UTC for a zone that nobody knows', () => {
    expect(formatInstant(0, 'Mars/Base')).toBe('Thu 1 Jan 1970, 00:00 UTC');
  });

  it.each(['2026-02-30', '2026-13-01', 'tomorrow', '20261124'])('takes %s for no date', (value) => {
    expect(isDate(value)).toBe(false);
  });

  it('takes no time for one that the day does not have', () => {
    expect(dateTimeParts('2026-11-24T25:00')).toBeNull();
  });

  it('knows zones by their name', () => {
    expect([isTimeZone('Europe/Berlin'), isTimeZone('UTC'), isTimeZone('Nowhere/Land')]).toEqual([
      true,
      true,
      false,
    ]);
  });

  it('writes another instant in the same form', () => {
    expect(instantLike('2026-11-24 09:00:00.000+0530', 1795507200)).toBe('2026-11-24 13:30:00.000+0530');
  });
});

describe('durations', () => {
  it.each([
    [15, ['duration', 'minutes'], '15 min'],
    [90, ['duration', 'minutes'], '90 min (1 h 30 min)'],
    [1, ['max', 'days'], '1 day'],
    [1500, ['timeout', 'ms'], '1500 ms'],
    [86_400, ['ttl', 'seconds'], '86400 s (1 day)'],
  ])('says %d of %j as %s', (amount, name, words) => {
    const unit = findUnit(name);
    expect(unit === null ? null : formatDuration(amount, unit)).toBe(words);
  });

  it('takes a lone word for no unit', () => {
    expect(findUnit(['minutes'])).toBeNull();
  });
});
