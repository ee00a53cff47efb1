/** A range of an axis, from 0, and the places of its labels. */
interface Axis {
  readonly end: number;
  readonly ticks: readonly number[];
}

/** Steps of an axis, times a power of ten. */
const DECIMAL_STEPS = [1, 2, 5, 10];
/** Steps of an axis of hours: parts of a day, then days and weeks. */
const HOUR_STEPS = [1, 2, 4, 6, 12, 24, 48, 72, 168, 336, 672];

/** An axis whose last label is the first at or above `most`. */
export function createAxis(most: number, labels: number): Axis {
  const rough = (most > 0 ? most : 1) / labels;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = (DECIMAL_STEPS.find((it) => it * power >= rough * (1 - 1e-9)) ?? 10) * power;
  const count = Math.ceil((most > 0 ? most : 1) / step - 1e-9);
  return { end: count * step, ticks: listTicks(step, count) };
}

/** An axis of hours that ends at `end`, with labels at whole parts of days. */
export function createHourAxis(end: number, labels: number): Axis {
  const rough = end / labels;
  if (rough < 1) {
    const { ticks } = createAxis(end, labels);
    return { end, ticks: ticks.filter((tick) => tick <= end) };
  }
  const step = HOUR_STEPS.find((it) => it >= rough) ?? 672 * Math.ceil(rough / 672);
  return { end, ticks: listTicks(step, Math.floor(end / step)) };
}

function listTicks(step: number, count: number): readonly number[] {
  // Multiples of a step such as 0.2 have rounding errors that would be read on a label.
  return Array.from({ length: count + 1 }, (_, i) => Number((i * step).toPrecision(12)));
}
