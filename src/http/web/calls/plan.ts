import { html } from 'hono/html';
import { recordKey } from '../../../gate/types.ts';
import type { DecisionSheet, PlanSheet } from '../../../presentation/decision-sheet.ts';
import type { Html, HtmlPart } from '../pages/layout.ts';
import type { WebPorts } from '../ports.ts';
import { CALLS_PATH } from '../session/cookies.ts';
import { PLAN } from './texts.ts';
import { maySee, type SeePorts, type Viewer } from './viewer.ts';

interface PlanPorts {
  readonly gate: SeePorts['gate'];
  readonly web: Pick<WebPorts, 'publicUrl' | 'samePerson' | 'plan'>;
}

/**
 * The plan that a call is a step of: all its steps as its card has them, with links to the others, and which of them don't run
 * if this one is rejected. Of a step that this viewer may not see, only its number, and so of those that come later unless they
 * may see all others. Null for a call that is no step.
 */
export async function planPart(
  { gate, web }: PlanPorts,
  viewer: Viewer,
  { call, step }: DecisionSheet,
): Promise<Html | null> {
  const plan = step && call.requestId !== null ? await web.plan(call.requestId, viewer.actor) : null;
  if (step === null || plan === null) return null;
  const own = recordKey(call);
  const ports = { gate, samePerson: web.samePerson };
  const seen = await Promise.all(plan.steps.map(({ call: other }) => other && maySee(ports, viewer, other)));
  const seesLater = !seen.includes(false);
  const items = await Promise.all(
    plan.steps.map((one, index) => item(one, { number: index + 1, isSeen: seen[index] ?? seesLater })),
  );
  return html`<section class="card" id="plan"><h2>${plan.title}</h2><ul class="steps">${items}</ul></section>`;

  async function item(
    { call: other, act, state }: PlanSheet['steps'][number],
    { number, isSeen }: { readonly number: number; readonly isSeen: boolean },
  ): Promise<Html> {
    const goes = step?.neededBy.includes(number) ? [PLAN.goesToo] : [];
    if (other && recordKey(other) === own)
      return html`<li aria-current="step"><strong>${act}</strong>${behind([state, PLAN.thisOne])}</li>`;
    if (!isSeen) return html`<li class="soft">${PLAN.notForYou(number)}${behind(goes)}</li>`;
    return html`<li>${other ? await link(other, act) : act}${behind([state, ...goes])}</li>`;
  }

  /** To where this viewer decides it, if it waits for them, or else to where it is shown. */
  async function link(other: DecisionSheet['call'], words: string): Promise<Html> {
    const key = recordKey(other);
    const isTheirs = other.state === 'pending' && (await gate.calls.waitsFor(other, viewer.actor.id));
    const path = isTheirs ? `/decide/${key}` : `${CALLS_PATH}/${key}`;
    return html`<a href="${web.publicUrl()}${path}">${words}</a>`;
  }
}

function behind(facts: readonly string[]): HtmlPart {
  const words = facts.filter((fact) => fact !== '').join(' · ');
  return words === '' ? null : html` <small class="soft">· ${words}</small>`;
}
