import { html } from 'hono/html';
import { visible } from '../../../presentation/text/visible.ts';
import { type DayUse, type LimitUse, limitFigure } from '../../../runs/index.ts';
import type { WebPorts } from '../ports.ts';
import { describeShare, limitForms, limitsTable } from './limits.ts';
import { barChart, card, table } from './parts.ts';
import type { AdminPorts } from './ports.ts';
import type { AdminShell } from './shell.ts';
import { SPENDING } from './texts.ts';

const DAY_MS = 24 * 60 * 60 * 1_000;
const DAYS = 14;
/** The most people, keys and channels that are listed, those who used most first. */
const LISTED = 50;
const MEASURES = ['runs', 'calls', 'tokens', 'cost'] as const;
/** Costs are counted in millionths of a dollar. */
const MICROS = 1_000_000;

/** What people, keys and channels used, day by day, and how full their limits are today. */
export function spendingPage(shell: AdminShell, ports: AdminPorts, web: WebPorts): void {
  limitForms(shell, ports);
  shell.show('spending', async (_, admin) => {
    const now = ports.clock();
    const [uses, limits] = await Promise.all([ports.usage(DAYS), ports.limits.usesToday()]);
    const days = Array.from({ length: DAYS }, (_, index) => toDay(now - (DAYS - 1 - index) * DAY_MS));
    // Of a channel, it's what the people in it used, once more.
    const owners = uses.filter(({ subject }) => !subject.startsWith('channel '));
    const charts = MEASURES.map((measure) => {
      const bars = days.map((day) => {
        const value = sum(
          owners.filter((it) => it.day === day),
          measure,
        );
        return { label: day, value };
      });
      return html`${barChart(SPENDING.chart[measure](DAYS), bars, SPENDING.chartHeadings)}
<p class="small soft">${describeBars(measure, bars)}</p>`;
    });
    return {
      body: html`<p class="soft">${SPENDING.about}</p>
${card(SPENDING.limits, html`<p class="soft">${SPENDING.aboutLimits}</p>`, await limitsTable(limits, { ...ports, web, admin }))}
${card(SPENDING.today, await todayTable(uses, toDay(now), { ...ports, limits }))}
${card(SPENDING.perDay, uses.length === 0 ? html`<p class="soft">${SPENDING.nothing}</p>` : charts)}`,
    };
  });
}

async function todayTable(
  uses: readonly DayUse[],
  today: string,
  { limits, limitOwner }: Pick<AdminPorts, 'limitOwner'> & { readonly limits: readonly LimitUse[] },
) {
  const of = uses
    .filter(({ day }) => day === today)
    .toSorted((one, other) => other.tokens - one.tokens || other.calls - one.calls);
  const rows = await Promise.all(
    of.slice(0, LISTED).map(async (use) => {
      const { kind, id } = readSubject(use.subject);
      return [
        SPENDING.kinds[kind],
        visible(await limitOwner({ kind, id })),
        ...MEASURES.map((measure) => {
          const own = limits.find((it) => it.kind === kind && it.id === id && it.measure === measure);
          return describeUse(measure, use[measure], own?.limit);
        }),
      ];
    }),
  );
  return table({ caption: SPENDING.today, headings: SPENDING.headings, rows, empty: SPENDING.nothingToday });
}

/** What was used, of a limit with what was allowed besides; costs are in millionths of a dollar. */
function describeUse(measure: Measure, used: number, limit: number | undefined): string {
  return limit === undefined ? limitFigure(measure, used) : describeShare(measure, used, limit);
}

/** The sum of a chart and its highest bar, in words, as the chart has no scale. */
function describeBars(
  measure: Measure,
  bars: readonly { readonly label: string; readonly value: number }[],
): string {
  const shown = (value: number) => limitFigure(measure, measure === 'cost' ? value * MICROS : value);
  const total = bars.reduce((all, { value }) => all + value, 0);
  const [most] = bars.toSorted((one, other) => other.value - one.value);
  return SPENDING.total(shown(total), shown(most?.value ?? 0), total === 0 ? null : (most?.label ?? null));
}

/** A subject is `person`, `key` or `channel`, and the id. */
function readSubject(subject: string): { readonly kind: LimitUse['kind']; readonly id: string } {
  const [kind, ...id] = subject.split(' ');
  return { kind: kind === 'key' || kind === 'channel' ? kind : 'person', id: id.join(' ') };
}

type Measure = (typeof MEASURES)[number];

/** What was used; costs in dollars and cents. */
function sum(uses: readonly DayUse[], measure: Measure): number {
  const total = uses.reduce((sum, use) => sum + use[measure], 0);
  return measure === 'cost' ? Math.round(total / (MICROS / 100)) / 100 : total;
}

function toDay(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}
