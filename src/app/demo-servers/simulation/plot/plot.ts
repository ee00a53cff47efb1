import { createAxis, createHourAxis } from './axis.ts';
import { Canvas, type Colour, measureText } from './canvas.ts';
import type { Point } from './coverage.ts';

interface PlotInput {
  readonly title: string;
  /** The unit of the concentrations. */
  readonly unit: string;
  /** In hours. */
  readonly times: readonly number[];
  readonly line: Series;
  /** An area around the line. */
  readonly band: {
    readonly label: string;
    readonly low: readonly number[];
    readonly high: readonly number[];
  } | null;
  /** A point to mark. */
  readonly mark: { readonly label: string; readonly time: number; readonly value: number } | null;
}

interface Series {
  readonly label: string;
  /** One for each time. */
  readonly values: readonly number[];
}

/** Slack shows a picture 360 to 600 units wide, on screens of two pixels for each. */
const [WIDTH, HEIGHT, SCALE] = [600, 360, 2];
const AREA = { right: 580, top: 64, bottom: 308 };
const LABELS = { x: 8, y: 5 };
const SIZE = { title: 14, text: 12 };

const TEXT: Colour = [29, 28, 29];
const LABEL = { size: SIZE.text, colour: TEXT };
const GRID: Colour = [222, 222, 224];
const LINE: Colour = [0, 84, 166];
const BAND_OPACITY = 0.22;
const MARK: Colour = [176, 58, 0];

/**
 * A plot of concentrations over time, as a PNG of 1200 × 720 pixels: dark on white.
 *
 * @param giveWay is awaited between parts that take some milliseconds.
 */
export async function plotConcentrations(
  input: PlotInput,
  giveWay: () => Promise<void>,
): Promise<Uint8Array> {
  const { times, line, band, mark } = input;
  const canvas = new Canvas(WIDTH, HEIGHT, SCALE);
  const xAxis = createHourAxis(times.at(-1) ?? 0, LABELS.x);
  const most = [...(band?.high ?? line.values), mark?.value ?? 0].reduce((a, b) => Math.max(a, b), 0);
  const yAxis = createAxis(most * 1.02, LABELS.y);
  const left = 40 + Math.max(...yAxis.ticks.map((tick) => measureText(format(tick), SIZE.text)));
  const x = (time: number) => left + (time / xAxis.end) * (AREA.right - left);
  const y = (value: number) => AREA.bottom - (value / yAxis.end) * (AREA.bottom - AREA.top);
  const trace = (values: readonly number[]): Point[] => times.map((time, i) => [x(time), y(values[i] ?? 0)]);

  const centred = { ...LABEL, anchor: 'middle' } as const;
  canvas.text([12, 22], shorten(input.title), { ...LABEL, size: SIZE.title });
  drawLegend(canvas, input);
  await giveWay();
  for (const tick of yAxis.ticks) {
    canvas.line(
      [
        [left, y(tick)],
        [AREA.right, y(tick)],
      ],
      1,
      GRID,
    );
    canvas.text([left - 7, y(tick) + 4], format(tick), { ...LABEL, anchor: 'end' });
  }
  const middle = (AREA.top + AREA.bottom) / 2;
  canvas.text([18, middle], `Concentration (${input.unit})`, { ...centred, isUpwards: true });
  await giveWay();
  for (const tick of xAxis.ticks) {
    canvas.line(
      [
        [x(tick), AREA.bottom],
        [x(tick), AREA.bottom + 5],
      ],
      1,
      TEXT,
    );
    canvas.text([x(tick), AREA.bottom + 19], format(tick), centred);
  }
  canvas.line(
    [
      [left, AREA.bottom],
      [AREA.right, AREA.bottom],
    ],
    1.2,
    TEXT,
  );
  canvas.text([(left + AREA.right) / 2, HEIGHT - 14], 'Time (h)', centred);
  await giveWay();
  if (band) canvas.fill([...trace(band.low), ...trace(band.high).reverse()], LINE, BAND_OPACITY);
  await giveWay();
  canvas.line(trace(line.values), 2, LINE);
  if (mark) canvas.dot([x(mark.time), y(mark.value)], 4, MARK);
  await giveWay();
  return canvas.toPng();
}

/** Under the title, from the left: a sample of each, and what it is. */
function drawLegend(canvas: Canvas, { line, band, mark }: PlotInput): void {
  const y = 44;
  let left = 12;
  const add = (label: string, draw: () => void) => {
    draw();
    canvas.text([left + 24, y], label, LABEL);
    left += 24 + measureText(label, SIZE.text) + 20;
  };
  add(line.label, () =>
    canvas.line(
      [
        [left, y - 4],
        [left + 18, y - 4],
      ],
      2,
      LINE,
    ),
  );
  if (band) add(band.label, () => canvas.fill(box(left, y - 9), LINE, BAND_OPACITY));
  if (mark) add(mark.label, () => canvas.dot([left + 9, y - 4], 4, MARK));
}

function box(left: number, top: number): Point[] {
  return [
    [left, top],
    [left + 18, top],
    [left + 18, top + 10],
    [left, top + 10],
  ];
}

function format(tick: number): string {
  return tick.toLocaleString('en-GB', { maximumSignificantDigits: 6 });
}

/** Cuts a title that would run out of the picture. */
function shorten(title: string): string {
  if (measureText(title, SIZE.title) <= WIDTH - 24) return title;
  let cut = title;
  while (measureText(`${cut}…`, SIZE.title) > WIDTH - 24) cut = cut.slice(0, -1);
  return `${cut}…`;
}
