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
  /** Said in place of what approves it where that takes another sign-in; else null. */
  readonly signIn: readonly HtmlPart[] | null;
}

/** Several calls of one request that one click decides, as they are shown. */
export interface Together {
  /** Where the form is sent, and what binds it to the session and to what it shows. */
  readonly action: string;
  readonly token: string;
  readonly calls: string;
  /** What each is called. */
  readonly acts: readonly string[];
  /** Whether one of them is rejected only with a reason. */
  readonly isReasonRequired: boolean;
}

/** What the dashboard shows. */
export interface Listed {
  readonly waiting: readonly ShownCall[];
  /** By request. */
  readonly together: ReadonlyMap<string | null, Together>;
  /** How many wait, in words for a heading. */
  readonly count: string;
  readonly isMore: boolean;
  /** What this person asked for last, newest first, each with the address of its page. */
  readonly asked: readonly { readonly sheet: DecisionSheet; readonly page: string }[];
  readonly version: string;
  /** The id of the person. */
  readonly who: string;
}

/** The whole page below its top line. */
export function dashboardBody(listed: Listed): Html {
  return html`<p id="said" class="hidden" role="status"></p>
<p id="away" class="warning" role="alert" hidden>${DASHBOARD.away}</p>
<div id="list">${waitingPart(listed)}</div>`;
}

/** The part of the page that changes. */
export function waitingPart({ waiting, together, count, isMore, asked, version, who }: Listed): Html {
  const said = DASHBOARD.heading(count);
  return html`<div data-version="${version}" data-who="${who}" data-said="${said}" data-title="${DASHBOARD.title(count)} · Countersign">
<h1>${said}</h1>
${waiting.length === 0 ? html`<p class="soft">${DASHBOARD.none}</p>` : null}
${[...Map.groupBy(waiting, ({ sheet }) => sheet.call.requestId)].map(([id, calls]) => {
  const all = together.get(id);
  const shown = calls.map(waitingCall);
  return all === undefined ? shown : html`<div class="group">${shown}${togetherForm(all, `why-${id}`)}</div>`;
})}
${isMore ? html`<p class="soft">${DASHBOARD.more}</p>` : null}
<section class="card"><h2>${DASHBOARD.asked}</h2>
${asked.length === 0 ? html`<p class="soft">${DASHBOARD.askedNone}</p>` : html`<ul>${asked.map(askedCall)}</ul>`}
</section></div>`;
}

function togetherForm({ action, token, calls, acts, isReasonRequired }: Together, id: string): Html {
  const summary = html`<summary class="small">${DASHBOARD.whyAll}</summary>`;
  const field = html`${summary}${whyField(id, isReasonRequired ? DASHBOARD.whyRequired : DECIDE_PAGE.whyHint)}`;
  return html`<form class="card all" method="post" action="${action}">
<h2>${DASHBOARD.togetherTitle(acts.length)}</h2>
<ul>${acts.map((act) => html`<li>${act}</li>`)}</ul>
<input type="hidden" name="token" value="${token}"><input type="hidden" name="calls" value="${calls}">
${isReasonRequired ? html`<details open>${field}</details>` : html`<details>${field}</details>`}
<p class="soft small unfolded">${DASHBOARD.showAllFirst}</p><p class="soft small written">${DASHBOARD.written}</p>
<div class="buttons"><button class="go" name="word" value="approve">${DASHBOARD.approveAll(acts.length)}</button>
<button class="stop" name="word" value="reject">${DASHBOARD.rejectAll(acts.length)}</button></div>
</form>`;
}

function askedCall({ sheet, page }: Listed['asked'][number]): Html {
  const { call, summary, step, state } = sheet;
  const facts = [...(step === null ? [] : [step.words]), state].map((words) => `· ${words}`);
  return html`<li><a href="${page}">${summary}</a>${askedByProgram(call)} <small class="soft">${facts.join(' ')}</small></li>`;
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
${action === null ? null : decideForm(shown, action)}
${plan}${link}
</article>`;
}

function decideForm({ key, sheet, token, signIn }: ShownCall, action: string): HtmlPart {
  if (sheet.question !== null)
    return answerForm(sheet, { token, feedback: '', back: 'dashboard' }, `${key}-`, action);
  const { typed } = sheet;
  const id = `why-${key}`;
  // The first button is what Enter in a field would press: it does nothing, so that only a click on what is seen decides.
  return html`<form method="post" action="${action}" autocomplete="off">
<button disabled hidden></button>
${hidden(token, sheet, 'dashboard')}
${signIn === null ? typedInputs(typed, `${key}-`) : signIn.map((part) => html`<p>${part}</p>`)}
<details><summary class="small">${DASHBOARD.why}</summary>${whyField(id, DECIDE_PAGE.whyHint)}</details>
<p class="soft small unfolded">${DASHBOARD.showAllFirst}</p>
<div class="buttons">${signIn === null ? approveButton(sheet) : null}
${rejectButton(sheet)}</div>
</form>`;
}

/** Why something is rejected. By its placeholder the style tells whether anything is written in it. */
function whyField(id: string, hint: string): Html {
  return html`<label for="${id}">${DASHBOARD.whyLabel}</label><p class="soft small" id="${id}-hint">${hint}</p>
<textarea id="${id}" name="feedback" placeholder=" " aria-describedby="${id}-hint" maxlength="3000"></textarea>`;
}
