import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { createTimeSlices } from '../../../src/lib/time-slices.ts';

/** Work whose pieces each take a millisecond of a clock that only they move on. */
function openWork() {
  const time = { now: 0 };
  const giveWay = createTimeSlices(() => time.now);
  const done: number[] = [];
  const piece = async (index: number) => {
    await giveWay();
    time.now += 1;
    done.push(index);
  };
  return { giveWay, done, piece };
}

it('work of a moment goes on at once', async () => {
  const { piece, done } = openWork();
  const turn = nextTurn();
  for (let index = 0; index < 10; index++) await piece(index);
  expect(done).toHaveLength(10);
  await turn;
});

it('work of more than 10 ms gives way in each turn of the event loop, and goes on in order', async () => {
  const { piece, done } = openWork();
  const pieces = Array.from({ length: 100 }, (_, index) => index);
  const all = Promise.all(pieces.map(piece));
  const perTurn: number[] = [];
  while (done.length < 100) {
    const before = done.length;
    await nextTurn();
    perTurn.push(done.length - before);
  }
  await all;
  expect(Math.max(...perTurn)).toBeLessThanOrEqual(20);
  expect(done).toEqual(pieces);
});

it('work in a row gives way as well', async () => {
  const { piece } = openWork();
  let turns = 0;
  let isDone = false;
  const count = async () => {
    while (!isDone) {
      await nextTurn();
      turns += 1;
    }
  };
  const counting = count();
  for (let index = 0; index < 100; index++) await piece(index);
  isDone = true;
  await counting;
  expect(turns).toBeGreaterThanOrEqual(9);
});
