import { expect, test, vi } from 'vitest';
import { Canvas } from '../../../../../../src/app/demo-servers/simulation/plot/canvas.ts';
import { plotConcentrations } from '../../../../../../src/app/demo-servers/simulation/plot/plot.ts';
import { readPng } from './read-png.ts';

const BLACK = [0, 0, 0] as const;
const WHITE = [255, 255, 255];
const noWait = () => Promise.resolve();

const INPUT = {
  ...{ title: 'One compartment, oral', unit: 'mg/L', times: [0, 12, 24], band: null, mark: null },
  line: { label: 'Concentration', values: [0, 8, 4] },
};

type Png = ReturnType<typeof readPng>;

/** How many pixels of a part of the picture aren't white. */
function countInk(
  { pixel }: Png,
  [left, top, right, bottom]: readonly [number, number, number, number],
): number {
  let ink = 0;
  for (let y = top; y < bottom; y++) {
    for (let x = left; x < right; x++) if (pixel(x, y).some((it) => it < 200)) ink += 1;
  }
  return ink;
}

async function draw(how: (canvas: Canvas) => void): Promise<Png> {
  const canvas = new Canvas(20, 20, 1);
  how(canvas);
  return readPng(await canvas.toPng());
}

test('an area covers its pixels, those at its border in part', async () => {
  const { pixel } = await draw((canvas) =>
    canvas.fill(
      [
        [2, 2],
        [6.5, 2],
        [6.5, 6],
        [2, 6],
      ],
      BLACK,
    ),
  );
  expect(pixel(2, 2)).toEqual([0, 0, 0]);
  expect(pixel(6, 4)).toEqual([128, 128, 128]);
  expect([pixel(1, 4), pixel(7, 4), pixel(4, 6)]).toEqual([WHITE, WHITE, WHITE]);
});

test('the slanted border of a triangle halves pixels', async () => {
  const { pixel } = await draw((canvas) =>
    canvas.fill(
      [
        [0, 0],
        [20, 20],
        [0, 20],
      ],
      BLACK,
    ),
  );
  expect(pixel(10, 10)).toEqual([128, 128, 128]);
  expect(pixel(3, 15)).toEqual([0, 0, 0]);
  expect(pixel(15, 3)).toEqual(WHITE);
});

test('a flat border adds up to its area', async () => {
  // From (0, 10) to (20, 12): the mean height is 9 of 20.
  const { pixel } = await draw((canvas) =>
    canvas.fill(
      [
        [0, 10],
        [20, 12],
        [20, 20],
        [0, 20],
      ],
      BLACK,
    ),
  );
  let covered = 0;
  for (let x = 0; x < 20; x++) for (let y = 0; y < 20; y++) covered += 1 - (pixel(x, y)[0] ?? 0) / 255;
  expect(covered).toBeCloseTo(9 * 20, 0);
});

test('what lies outside of the picture is cut off', async () => {
  const { pixel } = await draw((canvas) =>
    canvas.fill(
      [
        [-5, -5],
        [30, -5],
        [30, 10],
        [-5, 10],
      ],
      BLACK,
    ),
  );
  expect([pixel(0, 0), pixel(19, 9)]).toEqual([
    [0, 0, 0],
    [0, 0, 0],
  ]);
  expect(pixel(10, 10)).toEqual(WHITE);
});

test('letters have their holes, and one that is not there is a question mark', async () => {
  const text = (letter: string) =>
    draw((canvas) => canvas.text([0, 18], letter, { size: 20, colour: BLACK }));
  const round = await text('O');
  expect(round.pixel(8, 11)).toEqual(WHITE);
  expect(countInk(round, [0, 0, 20, 20])).toBeGreaterThan(30);
  const [unknown, mark] = [await text('語'), await text('?')];
  for (let y = 0; y < 20; y++)
    for (let x = 0; x < 20; x++) expect(unknown.pixel(x, y)).toEqual(mark.pixel(x, y));
});

test('a plot is a PNG with a line, and labels that show', async () => {
  const png = readPng(await plotConcentrations(INPUT, noWait));
  expect(png).toMatchObject({ width: 1200, height: 720, chunks: ['IHDR', 'IDAT', 'IEND'] });
  const labels = {
    title: [20, 20, 320, 56],
    legend: [60, 70, 260, 96],
    unit: [10, 240, 44, 500],
    concentrations: [50, 110, 90, 620],
    hours: [60, 630, 1190, 660],
    time: [560, 670, 740, 705],
  } as const;
  for (const [name, area] of Object.entries(labels)) {
    expect(countInk(png, area), name).toBeGreaterThan(80);
  }
  // Half of the way up to 8 of 10.
  const x = Math.round(png.width / 4 + 40);
  const column = Array.from({ length: 720 }, (_, y) => png.pixel(x, y));
  expect(column.some(([red = 255, , blue = 0]) => red < 20 && blue > 140)).toBe(true);
});

test('a plot has room for wide labels, a band and a mark, and cuts a title that is too long', async () => {
  const png = readPng(
    await plotConcentrations(
      {
        ...{ ...INPUT, title: 'Very long title '.repeat(20), unit: 'ng/mL' },
        line: { label: 'Median', values: [0, 800_000, 400_000] },
        band: { label: '5th to 95th percentile', low: [0, 5e5, 2e5], high: [0, 1.2e6, 7e5] },
        mark: { label: 'Cmax', time: 12, value: 800_000 },
      },
      noWait,
    ),
  );
  expect(countInk(png, [1180, 20, 1200, 60])).toBe(0);
  // Between the axis' name and its labels.
  expect(countInk(png, [44, 110, 50, 620])).toBe(0);
  expect(png.pixel(640, 300)).toEqual([199, 217, 235]);
});

test('a plot of nothing has an axis all the same', async () => {
  const line = { label: 'Concentration', values: [0, 0, 0] };
  const png = readPng(await plotConcentrations({ ...INPUT, line }, noWait));
  expect(countInk(png, [50, 110, 90, 620])).toBeGreaterThan(80);
});

test('drawing gives way in between', async () => {
  const giveWay = vi.fn(noWait);
  await plotConcentrations(INPUT, giveWay);
  expect(giveWay.mock.calls.length).toBeGreaterThan(3);
});
