import { html } from 'hono/html';
import type { DecisionSheet } from '../../../presentation/decision-sheet.ts';
import { askedByProgram } from '../../../presentation/outcome-text.ts';
import { DASHBOARD, DECIDE_PAGE } from '../texts.ts';
import { answerForm, approveButton, hidden, isLong, rejectButton, sheetCard, typedInputs } from './decide.ts';
import type { Html, HtmlPart } from './layout.ts';

/** A call that waits for somebody. */
export interface ShownCall {
  /** The call's key, of letters, digits, `-` and `_`. */
  readonly key: string;
  readonly sheet: DecisionSheet;
  /** Its card in Slack; null where there is none. */
  readonly url: string | null;
  /** Differs where the page would show something else of it. */
  readonly version: string;
  /** Where its form is sent; null for what is answered in Slack, such as a form. */
  readonly action: string | null;
  /** Binds the form to the session and to what it shows. */
  readonly token: string;
  /** Said in place of its form where it needs another sign-in; else null. */
  readonly signIn: readonly HtmlPart[] | null;
}

/** What the dashboard shows. */
export interface Listed {
  readonly waiting: readonly ShownCall[];
  /** How many wait, in words for a heading. */
  readonly count: string;
  readonly isMore: boolean;
  /** What this person asked for last, newest first. */
  readonly asked: readonly DecisionSheet[];
  readonly version: string;
}

/** The whole page below its top line. */
export function dashboardBody(listed: Listed): Html {
  return html`<p id="said" class="hidden" role="status"></p>
<p id="away" class="warning" role="alert" hidden>${DASHBOARD.away}</p>
<div id="list">${waitingPart(listed)}</div>`;
}

/** The part of the page that changes. */
export function waitingPart({ waiting, count, isMore, asked, version }: Listed): Html {
  const said = DASHBOARD.heading(count);
  return html`<div data-version="${version}" data-said="${said}" data-title="${DASHBOARD.title(count)} · Countersign">
<h1>${said}</h1>
${waiting.length === 0 ? html`<p class="soft">${DASHBOARD.none}</p>` : null}
${waiting.map(waitingCall)}
${isMore ? html`<p class="soft">${DASHBOARD.more}</p>` : null}
<section class="card"><h2>${DASHBOARD.asked}</h2>
${asked.length === 0 ? html`<p class="soft">${DASHBOARD.askedNone}</p>` : html`<ul>${asked.map(askedCall)}</ul>`}
</section></div>`;
}

function askedCall({ call, summary, step, state }: DecisionSheet): Html {
  const facts = [...(step === null ? [] : [step.words]), state].map((words) => `· ${words}`);
  return html`<li>${summary}${askedByProgram(call)} <small class="soft">${facts.join(' ')}</small></li>`;
}

function waitingCall(shown: ShownCall): Html {
  const { key, sheet, url, version, action } = shown;
  const asked = sheet.question === null ? DASHBOARD.inSlack : DASHBOARD.questionInSlack;
  const words = action === null ? DASHBOARD.answerInSlack : asked;
  const link = url === null ? null : html`<p class="small"><a href="${url}">${words}</a></p>`;
  const isStep = sheet.step !== null && action !== null;
  const plan = isStep ? html`<p class="small"><a href="${action}#plan">${DASHBOARD.plan}</a></p>` : null;
  return html`<article id="call-${key}" data-version="${version}" class="card${sheet.rows.some(isLong) ? ' folds' : ''}">
${sheetCard(sheet, 'h2')}
${action === null ? null : shown.signIn === null ? decideForm(shown, action) : shown.signIn.map((part) => html`<p>${part}</p>`)}
${plan}${link}
</article>`;
}

function decideForm({ key, sheet, token }: ShownCall, action: string): HtmlPart {
  if (sheet.question !== null)
    return answerForm(sheet, { token, feedback: '', back: 'dashboard' }, `${key}-`, action);
  const { call, typed } = sheet;
  const id = `why-${key}`;
  // The first button is what Enter in a field would press: it does nothing, so that only a click on what is seen decides.
  return html`<form method="post" action="${action}" autocomplete="off">
<button disabled hidden></button>
${hidden(token, call, 'dashboard')}
${typedInputs(typed, `${key}-`)}
<details><summary class="small">${DASHBOARD.why}</summary>
<label for="${id}">${DASHBOARD.whyLabel}</label><p class="soft small" id="${id}-hint">${DECIDE_PAGE.whyHint}</p>
<textarea id="${id}" name="feedback" aria-describedby="${id}-hint" maxlength="3000"></textarea></details>
<p class="soft small unfolded">${DASHBOARD.showAllFirst}</p>
<div class="buttons">${approveButton(sheet)}
${rejectButton(sheet)}</div>
</form>`;
}
