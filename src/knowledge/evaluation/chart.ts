import type { Evaluated } from './evaluate.ts';
import type { Metrics } from './metrics.ts';
import { METRIC_NAMES } from './report.ts';
import { EVALUATION } from './texts.ts';

const WIDTH = 720;
const LEFT = 96;
const RIGHT = 64;
const TOP = 96;
const BAR = 18;
const GAP = 4;
const BETWEEN = 18;
/** Of a share from 0 to 1, in pixels. */
const SCALE = WIDTH - LEFT - RIGHT;
const METRICS = ['hit1', 'hit8', 'ndcg10', 'mrr'] as const satisfies readonly (keyof Metrics)[];

/** Three to one or more on white, and on near black: they are told apart by the names beside them too. */
const STYLE = `
  svg { background: #ffffff; color: #1b1f24; font: 13px system-ui, sans-serif }
  text { fill: currentColor } .grid { stroke: #d5dae0 } .small { font-size: 12px } .title { font-size: 16px; font-weight: 600 }
  .c0 { fill: #2a6fbb } .c1 { fill: #b3530d } .c2 { fill: #2b7a3d } .c3 { fill: #7b4fb5 }
  @media (prefers-color-scheme: dark) {
    svg { background: #16191d; color: #e8eaed } .grid { stroke: #3a4048 }
    .c0 { fill: #74b3f0 } .c1 { fill: #ff9e57 } .c2 { fill: #69c97f } .c3 { fill: #c0a0f0 }
  }`;

/** The figures of an evaluation as a picture (SVG): bars from 0 to 1, which is best; readable on light and on dark. */
export function drawChart(contenders: readonly Evaluated[], subtitle: string): string {
  const group = contenders.length * (BAR + GAP) + BETWEEN;
  const height = TOP + METRICS.length * group + 36;
  const bottom = height - 36;
  const grid = [0, 0.25, 0.5, 0.75, 1].map((at) => {
    const x = LEFT + at * SCALE;
    return `<line class="grid" x1="${x}" x2="${x}" y1="${TOP - 8}" y2="${bottom}"/><text class="small" x="${x}" y="${bottom + 18}" text-anchor="middle">${at}</text>`;
  });
  const legend = contenders.map(({ name }, at) => {
    const x = LEFT + at * 140;
    return `<rect class="c${at % 4}" x="${x}" y="64" width="12" height="12" rx="2"/><text x="${x + 18}" y="75">${escapeXml(name)}</text>`;
  });
  const bars = METRICS.flatMap((metric, row) => {
    const top = TOP + row * group;
    const middle = top + (contenders.length * (BAR + GAP) - GAP) / 2 + 5;
    return [
      `<text x="${LEFT - 10}" y="${middle}" text-anchor="end">${METRIC_NAMES[metric]}</text>`,
      ...contenders.map((contender, at) => {
        const [y, width] = [top + at * (BAR + GAP), contender[metric] * SCALE];
        const value = contender[metric].toFixed(3);
        return `<rect class="c${at % 4}" x="${LEFT}" y="${y}" width="${width.toFixed(1)}" height="${BAR}" rx="2"><title>${escapeXml(contender.name)}: ${value}</title></rect><text class="small" x="${(LEFT + width + 6).toFixed(1)}" y="${y + 13}">${value}</text>`;
      }),
    ];
  });
  const words = contenders.map(
    (one) =>
      `${one.name}: ${METRICS.map((metric) => `${METRIC_NAMES[metric]} ${one[metric].toFixed(3)}`).join(', ')}`,
  );
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" aria-labelledby="title description">`,
    `<title id="title">${escapeXml(EVALUATION.chartTitle)}</title><desc id="description">${escapeXml(words.join('. '))}</desc>`,
    `<style>${STYLE}\n</style>`,
    `<text class="title" x="16" y="26">${escapeXml(EVALUATION.chartTitle)}</text><text class="small" x="16" y="46">${escapeXml(subtitle)}</text>`,
    ...legend,
    ...grid,
    ...bars,
    '</svg>\n',
  ].join('\n');
}

function escapeXml(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}
