interface Series {
  readonly name: string;
  readonly color: string;
  /** x and y, both above 0. */
  readonly points: readonly (readonly [number, number])[];
}

const WIDTH = 720;
const HEIGHT = 400;
const MARGIN = { left: 70, right: 20, top: 40, bottom: 90 };

/** Lines over two logarithmic axes, as SVG. */
export function plot(options: {
  readonly title: string;
  readonly x: string;
  readonly y: string;
  readonly series: readonly Series[];
}): string {
  const points = options.series.flatMap((series) => series.points);
  const x = axis(
    points.map(([value]) => value),
    MARGIN.left,
    WIDTH - MARGIN.right,
  );
  const y = axis(
    points.map(([, value]) => value),
    HEIGHT - MARGIN.bottom,
    MARGIN.top,
  );
  const [bottom, left] = [HEIGHT - MARGIN.bottom, MARGIN.left];
  const text = (at: readonly [number, number], words: string, anchor = 'middle') =>
    `<text x="${at[0]}" y="${at[1]}" text-anchor="${anchor}">${words}</text>`;
  const line = (from: readonly [number, number], to: readonly [number, number], color: string) =>
    `<line x1="${from[0]}" y1="${from[1]}" x2="${to[0]}" y2="${to[1]}" stroke="${color}"/>`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="sans-serif" font-size="12">`,
    `<title>${options.title}</title>`,
    `<rect width="${WIDTH}" height="${HEIGHT}" fill="white"/>`,
    text([WIDTH / 2, 22], options.title),
    ...x.ticks.map((tick) => text([x.place(tick), bottom + 18], tick.toLocaleString('en'))),
    ...y.ticks.map((tick) => line([left, y.place(tick)], [WIDTH - MARGIN.right, y.place(tick)], '#ddd')),
    ...y.ticks.map((tick) => text([left - 8, y.place(tick) + 4], tick.toLocaleString('en'), 'end')),
    text([(left + WIDTH) / 2, bottom + 38], options.x),
    `<g transform="rotate(-90 16 ${bottom / 2})">${text([16, bottom / 2], options.y)}</g>`,
    ...options.series.flatMap(({ color, points }) => [
      `<polyline fill="none" stroke="${color}" stroke-width="2" points="${points.map(([a, b]) => `${x.place(a)},${y.place(b)}`).join(' ')}"/>`,
      ...points.map(([a, b]) => `<circle cx="${x.place(a)}" cy="${y.place(b)}" r="3" fill="${color}"/>`),
    ]),
    ...options.series.flatMap(({ name, color }, index) => {
      const at = left + index * 210;
      return [
        line([at, HEIGHT - 22], [at + 20, HEIGHT - 22], color),
        text([at + 26, HEIGHT - 18], name, 'start'),
      ];
    }),
    '</svg>',
    '',
  ].join('\n');
}

/** Powers of ten around the values, and where a value lies between the ends, in pixels. */
function axis(values: readonly number[], from: number, to: number) {
  const low = Math.floor(Math.log10(Math.min(...values)));
  const high = Math.max(low + 1, Math.ceil(Math.log10(Math.max(...values))));
  return {
    ticks: Array.from({ length: high - low + 1 }, (_, index) => 10 ** (low + index)),
    place: (value: number) => Math.round(from + ((Math.log10(value) - low) / (high - low)) * (to - from)),
  };
}
