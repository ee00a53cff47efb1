import { describe, expect, it } from 'vitest';
import { type SchedulesView, scheduleBlocks, scheduleList } from '../../../../src/slack/home/schedules.ts';
import { ana } from '../../../helpers/people.ts';
import { termsOf, UNLOOKED } from '../../../helpers/schedules.ts';
import { wordsIn } from '../../../helpers/slack-app.ts';

const DUE = Date.parse('2026-11-23T08:00:00Z');

function view(count: number, more: Partial<SchedulesView[number]> = {}): SchedulesView {
  return Array.from({ length: count }, (_, index) => ({
    ...termsOf({ text: `task ${index}` }),
    ...{ id: `id${index}`, owner: ana, dueAt: DUE, where: 'in #general', ...UNLOOKED, ...more },
  }));
}

describe('the section of Home', () => {
  it('is left out where nothing is scheduled', () => {
    expect(scheduleBlocks([], 100)).toEqual([]);
  });

  it.each([
    [100, 20, 6, 'and 14 more: /countersign schedules'],
    [100, 6, 6, null],
    [7, 3, 2, 'and 1 more: /countersign schedules'],
    [3, 1, 0, null],
  ])('in %i blocks has %i as %i, and counts the others', (room, count, shown, more) => {
    const blocks = scheduleBlocks(view(count), room);
    const words = wordsIn(blocks);
    expect(blocks.length).toBeLessThanOrEqual(room);
    expect(words.match(/task \d+/g) ?? []).toHaveLength(shown);
    if (more === null) expect(words).not.toContain('more');
    else expect(words).toContain(more);
  });

  it.each([
    ['what is about to run', {}, 'Next: Mon 23 Nov 2026, 09:00 Europe/Berlin', 'Pause'],
    ['what is paused', { dueAt: null }, 'Paused', 'Resume'],
    [
      'what comes once',
      { when: { kind: 'once', at: DUE } as const },
      'Mon 23 Nov 2026, 09:00 Europe/Berlin, in',
      'Pause',
    ],
  ])('says of %s when it runs, with what can be done', (_, more, words, button) => {
    const said = wordsIn(scheduleBlocks(view(1, more), 100));
    expect(said).toContain(words);
    expect(said).toContain(`${button} Stop`);
  });
});

it('the list has all that one person can have, and examples where there is nothing', () => {
  const all = scheduleList(view(20));
  expect(all.blocks.length).toBeLessThanOrEqual(50);
  expect(wordsIn(all.blocks).match(/task \d+/g)).toHaveLength(20);
  expect(scheduleList([]).text).toContain('/countersign remind me tomorrow 9:00');
});
