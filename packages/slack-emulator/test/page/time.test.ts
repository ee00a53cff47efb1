import { describe, expect, it } from 'vitest';
import {
  dayName,
  formatSlackDate,
  fromLocalInput,
  timeOfDay,
  toLocalInput,
} from '../../src/page/text/time.ts';

describe('times', () => {
  it('read back from a field what was put into it', () => {
    expect(fromLocalInput(toLocalInput(1_795_507_200))).toBe(1_795_507_200);
  });

  it('are none while the field is empty', () => {
    expect(fromLocalInput('')).toBeNull();
  });

  it('call days by name when they are near', () => {
    const now = new Date(2026, 10, 24, 9);
    expect(dayName(new Date(2026, 10, 24, 1), now)).toBe('Today');
    expect(dayName(new Date(2026, 10, 23, 23), now)).toBe('Yesterday');
    expect(dayName(new Date(2026, 10, 20), now)).toMatch(/20/);
  });

  it('fill the tokens of a Slack date and keep the rest', () => {
    const text = formatSlackDate(1_795_507_200, 'on {date_num}, {nothing}', 'soon');
    expect(text).toMatch(/^on .*2026.*, \{nothing\}$/);
  });

  it('are on the clock of 24 hours', () => {
    const at = new Date(2026, 10, 24, 17, 5).getTime() / 1000;
    expect(formatSlackDate(at, '{time}', '')).toBe('17:05');
    expect(timeOfDay(String(at))).toBe('17:05');
  });

  it('call the days about now by name where a Slack date wants it pretty', () => {
    const now = new Date(2026, 10, 24, 9);
    const pretty = (day: number) =>
      formatSlackDate(new Date(2026, 10, day, 23).getTime() / 1000, '{date_short_pretty}', '', now);
    expect([23, 24, 25].map(pretty)).toEqual(['yesterday', 'today', 'tomorrow']);
    expect(pretty(26)).toMatch(/2026/);
  });

  it('fall back to the given words for a date that is none', () => {
    expect(formatSlackDate(Number.NaN, '{date}', 'soon')).toBe('soon');
  });
});
