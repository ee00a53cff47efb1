import { html } from 'hono/html';
import type { Html, HtmlPart } from '../pages/layout.ts';

interface Table {
  readonly caption: string;
  readonly headings: readonly string[];
  readonly rows: readonly (readonly HtmlPart[])[];
  /** What stands there where there are no rows. */
  readonly empty: string;
}

/** The most columns that a phone has room for. */
const ON_A_PHONE = 3;

/** A table. A phone shows each row of a wide one as a block of its own, and each cell below what heads it. */
export function table({ caption, headings, rows, empty }: Table): Html {
  if (rows.length === 0) return html`<p class="soft">${empty}</p>`;
  const head = headings.map((heading) => html`<th scope="col">${heading}</th>`);
  const isWide = headings.length > ON_A_PHONE;
  const toCell = (cell: HtmlPart, index: number) =>
    isWide ? html`<td data-heading="${headings[index] ?? ''}">${cell}</td>` : html`<td>${cell}</td>`;
  const body = rows.map((row) => html`<tr>${row.map(toCell)}</tr>`);
  return html`<div class="${isWide ? 'scroll stacks' : 'scroll'}" tabindex="0" role="region" aria-label="${caption}"><table>
<caption class="hidden">${caption}</caption><thead><tr>${head}</tr></thead><tbody>${body}</tbody></table></div>`;
}

/** A part of a page under a heading. */
export function card(heading: string, ...parts: readonly HtmlPart[]): Html {
  return html`<section class="card"><h2>${heading}</h2>${parts}</section>`;
}

interface Bar {
  readonly label: string;
  readonly value: number;
}

/** The size of a chart, and of the gap between bars, in units of its view box. */
const CHART = { width: 600, height: 80, gap: 2 };

/** A chart of bars, oldest first, with its figures as a table for whoever can't see it. */
export function barChart(title: string, bars: readonly Bar[], headings: readonly [string, string]): Html {
  const most = Math.max(1, ...bars.map(({ value }) => value));
  const step = CHART.width / Math.max(1, bars.length);
  const shown = bars.map(({ value }, index) => {
    const height = (value / most) * CHART.height;
    return html`<rect x="${(index * step).toFixed(1)}" y="${(CHART.height - height).toFixed(1)}" width="${(step - CHART.gap).toFixed(1)}" height="${height.toFixed(1)}"/>`;
  });
  const rows = bars.map(({ label, value }) => [label, value.toLocaleString('en-US')]);
  return html`<figure><figcaption>${title}</figcaption>
<svg class="chart" viewBox="0 0 ${CHART.width} ${CHART.height}" preserveAspectRatio="none" aria-hidden="true">${shown}</svg>
<p class="ends small soft"><span>${bars[0]?.label ?? ''}</span><span>${bars.at(-1)?.label ?? ''}</span></p>
<details><summary class="small">${headings[1]}</summary>${table({ caption: title, headings, rows, empty: '' })}</details></figure>`;
}
