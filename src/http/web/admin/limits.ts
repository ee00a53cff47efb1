import { html } from 'hono/html';
import { z } from 'zod';
import { visible } from '../../../presentation/text/visible.ts';
import { type LimitUse, limitFigure, MEASURE_NAMES, moreOfLimit } from '../../../runs/index.ts';
import {
  extendLimit,
  limitExtensionSchema,
  limitQuestionSchema,
  takeBackExtension,
} from '../../api/limits.ts';
import { type Html, redirect } from '../pages/layout.ts';
import type { WebPorts } from '../ports.ts';
import { table } from './parts.ts';
import type { AdminPorts } from './ports.ts';
import { type Admin, type AdminShell, adminForm } from './shell.ts';
import { SPENDING } from './texts.ts';

/** The most limits that are listed, the fullest first. */
const LISTED = 50;

const extendSchema = z.object({
  about: z.string(),
  amount: z.coerce.number().pipe(limitExtensionSchema.shape.amount.unwrap()),
});
const takeBackSchema = z.object({ about: z.string() });

/** Registers what the forms of {@link limitsTable} do. */
export function limitForms(shell: AdminShell, { limits }: AdminPorts): void {
  const back = () => redirect(shell.url('spending'));
  shell.act('spending', 'extend', {
    schema: extendSchema,
    async act({ about, amount }, { actor }) {
      await extendLimit(limits, { ...readAbout(about), amount }, actor);
      return back();
    },
  });
  shell.act('spending', 'take-back', {
    schema: takeBackSchema,
    async act({ about }, { actor }) {
      await takeBackExtension(limits, readAbout(about), actor);
      return back();
    },
  });
}

/** The limits of which some was used today, each with a form that allows more. */
export async function limitsTable(
  uses: readonly LimitUse[],
  {
    limits,
    limitOwner,
    web,
    admin,
  }: Pick<AdminPorts, 'limits' | 'limitOwner'> & { readonly web: WebPorts; readonly admin: Admin },
): Promise<Html> {
  const until = new Date(limits.countedUntil()).toISOString();
  const rows = await Promise.all(
    uses.slice(0, LISTED).map(async (use) => {
      const who = visible(await limitOwner(use));
      const given =
        use.allowed &&
        SPENDING.allowed(visible(use.allowed.by.name), moreOfLimit(use.measure, use.allowed.amount));
      return [
        SPENDING.kinds[use.kind],
        who,
        MEASURE_NAMES[use.measure],
        describeShare(use.measure, use.used, use.limit),
        html`${given}${use.allowed && takeBackForm(use, use.allowed.question)}${extendForm(use, who)}`,
      ];
    }),
  );
  return table({
    caption: SPENDING.limits,
    headings: SPENDING.limitHeadings,
    rows,
    empty: SPENDING.nothingToday,
  });

  function extendForm(use: LimitUse, who: string): Html {
    const id = `more-${use.kind}-${use.measure}-${use.id}`;
    const [amount, step] = use.measure === 'cost' ? [use.daily / MICROS, 'any'] : [use.daily, '1'];
    return html`<details><summary>${SPENDING.extend(who, MEASURE_NAMES[use.measure])}</summary>${adminForm(
      web,
      admin,
      {
        page: 'spending',
        part: 'extend',
        about: writeAbout(use, use.question, until),
        fields: html`<label for="${id}">${SPENDING.howMuch[use.measure]}</label><input type="number" id="${id}" name="amount" value="${amount}" min="0" step="${step}" required><p><button class="go">${SPENDING.extendIt}</button></p>`,
      },
    )}</details>`;
  }

  function takeBackForm(use: LimitUse, question: number): Html {
    return adminForm(web, admin, {
      page: 'spending',
      part: 'take-back',
      about: writeAbout(use, question, until),
      fields: html`<p><button class="other">${SPENDING.takeBack}</button></p>`,
    });
  }
}

/** So much of a limit; costs are in millionths of a dollar. */
export function describeShare(measure: LimitUse['measure'], used: number, limit: number): string {
  const percent = Math.round((used / Math.max(1, limit)) * 100);
  return SPENDING.share(limitFigure(measure, used), limitFigure(measure, limit), percent);
}

/** Costs are counted in millionths of a dollar. */
const MICROS = 1_000_000;

function writeAbout({ kind, id, measure }: LimitUse, question: number, until: string): string {
  return JSON.stringify({ kind, id, measure, question, until });
}

/** Of a form of ours, whose token is for this. */
function readAbout(about: string) {
  return limitQuestionSchema.parse(JSON.parse(about));
}
