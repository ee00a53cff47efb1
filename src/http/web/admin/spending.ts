import { html } from 'hono/html';
import { visible } from '../../../presentation/text/visible.ts';
import { type DayUse, formatDollars, type LimitSettings } from '../../../runs/index.ts';
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
export function spendingPage(shell: AdminShell, ports: AdminPorts): void {
  shell.show('spending', async () => {
    const now = ports.clock();
    const uses = await ports.usage(DAYS);
    const days = Array.from({ length: DAYS }, (_, index) => toDay(now - (DAYS - 1 - index) * DAY_MS));
    // Of a channel, it's what the people in it used, once more.
    const owners = uses.filter(({ subject }) => !subject.startsWith('channel '));
    const charts = MEASURES.map((measure) =>
      barChart(
        SPENDING.chart[measure](DAYS),
        days.map((day) => ({
          label: day,
          value: sum(
            owners.filter((it) => it.day === day),
            measure,
          ),
        })),
        SPENDING.chartHeadings,
      ),
    );
    return {
      body: html`<p class="soft">${SPENDING.about}</p>
${card(SPENDING.perDay, uses.length === 0 ? html`<p class="soft">${SPENDING.nothing}</p>` : charts)}
${card(SPENDING.today, await todayTable(uses, toDay(now), ports))}`,
    };
  });
}

async function todayTable(
  uses: readonly DayUse[],
  today: string,
  { limits, nameOf }: Pick<AdminPorts, 'limits' | 'nameOf'>,
) {
  const of = uses
    .filter(({ day }) => day === today)
    .toSorted((one, other) => other.tokens - one.tokens || other.calls - one.calls);
  const rows = await Promise.all(
    of.slice(0, LISTED).map(async (use) => {
      const { kind, id } = readSubject(use.subject);
      const name = kind === 'person' ? await nameOf(id) : id;
      return [
        SPENDING.kinds[kind],
        visible(name),
        ...MEASURES.map((measure) => describeUse(measure, use, limits[kind][`${measure}_per_day`])),
      ];
    }),
  );
  return table({ caption: SPENDING.today, headings: SPENDING.headings, rows, empty: SPENDING.nothingToday });
}

/** A limit in dollars is for a cost. */
function describeUse(measure: Measure, use: DayUse, limit: number | undefined): string {
  const all = limit !== undefined && measure === 'cost' ? limit * MICROS : limit;
  const shown = (amount: number) =>
    measure === 'cost' ? formatDollars(amount) : amount.toLocaleString('en-US');
  const used = use[measure];
  return all === undefined
    ? shown(used)
    : SPENDING.share(shown(used), shown(all), Math.round((used / Math.max(1, all)) * 100));
}

/** A subject is `person`, `key` or `channel`, and the id. */
function readSubject(subject: string): { readonly kind: keyof LimitSettings; readonly id: string } {
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
