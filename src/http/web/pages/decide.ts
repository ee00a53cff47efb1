import { html } from 'hono/html';
import { placeDigest } from '../../../gate/types.ts';
import type {
  DecisionSheet,
  SheetChange,
  SheetRow,
  TypedValue,
} from '../../../presentation/decision-sheet.ts';
import { clipAtWord } from '../../../presentation/text/clip.ts';
import { visible } from '../../../presentation/text/visible.ts';
import { CALL_FACTS, NO_ARGUMENTS, SENT_AS, TYPED_VALUE } from '../../../presentation/texts.ts';
import { DASHBOARD, DECIDE_PAGE, QUESTION } from '../texts.ts';
import type { Html, HtmlPart } from './layout.ts';

/** Shown of the digest in a line: enough to compare with a card by eye. */
const SHORT_DIGEST = 16;

/** Where there are several calls: from which length on a value is folded, and what is shown of it then. */
const FOLDED = { from: { characters: 800, lines: 16 }, shown: { characters: 300, lines: 5 } };

export interface DecideForm {
  /** Binds the form to the session and to what it shows. */
  readonly token: string;
  /** Why what was sent before approved or rejected nothing; empty at first. */
  readonly problems: readonly string[];
  /** What was typed before. */
  readonly typed: Readonly<Record<string, string>>;
  readonly feedback: string;
  /** The page that the form leads back to; absent: its own. */
  readonly back?: 'dashboard' | undefined;
  /** Said in place of what approves it where that takes another sign-in; else null. */
  readonly signIn: readonly HtmlPart[] | null;
}

/** The whole call, the plan that it is a step of, if any, and the form that decides it. */
export function decideBody(sheet: DecisionSheet, form: DecideForm, plan: HtmlPart = null): Html {
  return html`${sheetCard(sheet)}${plan}
<section class="card">
${form.problems.map((problem) => html`<p class="warning" role="alert">${problem}</p>`)}
${sheet.question === null ? decideForm(sheet, form) : answerForm(sheet, form, '')}
</section>`;
}

/** The form that answers a question. `prefix`: of its ids, where several calls are on one page. */
export function answerForm(
  sheet: DecisionSheet,
  { token, feedback, back }: Pick<DecideForm, 'token' | 'feedback' | 'back'>,
  prefix: string,
  action?: string,
): Html {
  const id = `${prefix}answer`;
  return html`<form method="post"${action === undefined ? null : html` action="${action}"`} autocomplete="off">
${hidden(token, sheet, back)}
<label for="${id}">${QUESTION.label}</label><p class="soft small" id="${id}-hint">${QUESTION.hint}</p>
<textarea id="${id}" name="feedback" aria-describedby="${id}-hint" maxlength="3000" required>${feedback}</textarea>
<button class="go" name="word" value="answer">${QUESTION.answer}</button>
</form>`;
}

/** A question as on its card: marked as the agent's, and nothing that reads as an approval. */
function questionCard({ call, until }: DecisionSheet, question: Question, heading: 'h1' | 'h2'): Html {
  const asks = QUESTION.asks(visible(call.requester.name));
  const isOpen = call.state === 'pending';
  const expires = until === null ? CALL_FACTS.neverExpires : CALL_FACTS.expires(until);
  return html`<section class="card">
${heading === 'h1' ? html`<h1>${asks}</h1>` : html`<h2>${asks}</h2>`}
${question.about === '' ? null : html`<p class="facts">${question.about}</p>`}
<pre>${question.text}</pre>
${question.context === null ? null : html`<p><em>${QUESTION.adds(question.context)}</em></p>`}
${isOpen ? html`<p class="facts">${expires}</p>` : null}
</section>`;
}
type Question = NonNullable<DecisionSheet['question']>;

/** The call for somebody who can't decide it any more, with its state and the ways on first. */
export function decidedBody(
  sheet: DecisionSheet,
  { title, ways }: { readonly title: string; readonly ways: readonly Html[] },
  plan: HtmlPart = null,
): Html {
  return html`<section class="card"><h1>${title}</h1><p>${sheet.state}</p>
${ways.map((way) => html`<p>${way}</p>`)}</section>
${sheetCard(sheet)}${plan}`;
}

/** The call, as its card shows it. `heading`: of its title; below an `h2`, among several calls, long values are folded. */
export function sheetCard(sheet: DecisionSheet, heading: 'h1' | 'h2' = 'h1'): Html {
  if (sheet.question !== null) return questionCard(sheet, sheet.question, heading);
  const { summary, name, account, requester, approvers, until, warnings, rows, source, defaults, said } =
    sheet;
  const asked = [...(account === null ? [] : [account]), requester].map((fact) => `${fact}.`).join(' ');
  const facts = [
    asked,
    ...approvers.map((fact) => `${fact}.`),
    until === null ? CALL_FACTS.neverExpires : CALL_FACTS.expires(until),
  ];
  const isOpen = sheet.call.state === 'pending';
  const titled = summary.includes(name) ? summary : html`${summary} <small>· ${name}</small>`;
  return html`<section class="card">
${heading === 'h1' ? html`<h1>${titled}</h1>` : html`<h2>${titled}</h2>`}
${sheet.step === null ? null : html`<p class="facts">${sheet.step.words}</p>`}
<p class="facts">${isOpen ? facts.join(' ') : asked}</p>
${isOpen ? warnings.map((warning) => html`<p class="warning">${warning}</p>`) : null}
${isOpen ? correctionPart(sheet) : null}
${rows.length === 0 ? html`<p class="soft">${NO_ARGUMENTS}</p>` : html`<dl class="arguments">${rows.map((row) => sheetRow(row, heading === 'h2'))}</dl>`}
${said === null ? null : html`<p><em>${said.mark}</em>${said.words}</p>`}
${defaults === null ? null : html`<p class="soft small">${defaults}</p>`}
${source === null ? null : html`<p class="soft small">${source}</p>`}
${sheet.rule === null ? null : html`<p class="soft small">${sheet.rule}</p>`}
${toolDetails(sheet)}
</section>`;
}

/** How the call differs from the one that a person sent back. */
function correctionPart({ correction }: DecisionSheet): HtmlPart {
  if (correction === null) return null;
  const { words, changes } = correction;
  const said = html`<p class="warning">${words}</p>`;
  return changes.length === 0 ? said : html`${said}<dl class="arguments">${changes.map(changeRow)}</dl>`;
}

function changeRow({ label, before, after, box }: SheetChange): Html {
  const shown = (value: string) => (box ? html`<pre>${value}</pre>` : value);
  const old = before === null ? DECIDE_PAGE.added : html`<del>${shown(before)}</del> →`;
  return html`<div><dt>${label}</dt><dd>${old} ${after === null ? DECIDE_PAGE.removed : shown(after)}</dd></div>`;
}

function sheetRow(row: SheetRow, isFolding: boolean): Html {
  const { label, value, raw, exact, box, was, note } = row;
  const shown = box ? html`<pre>${value}</pre>` : exact ? html`<code>${value}</code>` : value;
  const before = was === null ? null : html`<del>${was}</del> → `;
  const beside = note === null ? null : html` <span class="note">${note}</span>`;
  const whole = html`${before}${shown}${beside}${raw === null ? null : rawValue(raw)}`;
  return html`<div><dt>${label}</dt><dd>${isFolding && isLong(row) ? folded(value, whole) : whole}</dd></div>`;
}

export function isLong({ value, raw, was }: SheetRow): boolean {
  const texts = [value, raw ?? '', was ?? ''];
  const lines = texts.reduce((count, text) => count + text.split('\n').length, 0);
  return texts.join('').length > FOLDED.from.characters || lines > FOLDED.from.lines;
}

/** The beginning of a value, and all of it on request, which needs no script. */
function folded(value: string, whole: HtmlPart): Html {
  const first = clipAtWord(
    value.split('\n').slice(0, FOLDED.shown.lines).join('\n'),
    FOLDED.shown.characters,
  );
  const cut = first.endsWith('…') ? '' : ' …';
  return html`<span class="start">${first}${cut}</span><details class="whole"><summary class="small">${DASHBOARD.showAll(value.length)}</summary>${whole}</details>`;
}

function rawValue(raw: string): Html {
  const value = raw.includes('\n') ? html`<pre>${raw}</pre>` : html`<code>${raw}</code>`;
  return html`<span class="sent">${SENT_AS}${value}</span>`;
}

function toolDetails({ name, description, call }: DecisionSheet): Html {
  const says =
    description === '' ? null : html`<p class="small">${DECIDE_PAGE.serverSays}</p><pre>${description}</pre>`;
  return html`<p class="soft small">${DECIDE_PAGE.digest}<code>${call.digest.slice(0, SHORT_DIGEST)}…</code></p>
<details><summary class="small">${DECIDE_PAGE.details}</summary>
<p class="small">${DECIDE_PAGE.tool}<code>${name}</code></p>
${says}
<p class="small">${DECIDE_PAGE.wholeDigest}<code>${call.digest}</code></p></details>`;
}

/** One form for both, so that words typed for a rejection are never lost by a click on Approve. */
function decideForm(sheet: DecisionSheet, { token, typed, feedback, back, signIn }: DecideForm): Html {
  const { call } = sheet;
  const approve = html`${typedInputs(sheet.typed, '', typed)}
${approveButton(sheet)}`;
  const isRequired = call.verdict.rejectionReason === 'required';
  // The first button is what Enter in a field would press: it does nothing, so that only a click decides.
  return html`<form method="post" autocomplete="off">
<button disabled hidden></button>
${hidden(token, sheet, back)}
${signIn === null ? approve : signIn.map((part) => html`<p>${part}</p>`)}
<div class="or"><label for="feedback">${DECIDE_PAGE.why}</label><p class="soft small" id="feedback-hint">${isRequired ? DECIDE_PAGE.whyHint : DECIDE_PAGE.whyOptional}</p>
<textarea id="feedback" name="feedback" aria-describedby="feedback-hint" maxlength="3000">${feedback}</textarea>
${rejectButton(sheet)}</div>
</form>`;
}

/** What approves a call. A destructive one is asked about again, as on its card; that needs no script. */
export function approveButton({ call, confirm }: DecisionSheet): Html {
  const style = call.tool.destructive ? 'danger' : 'go';
  const button = (words: string) =>
    html`<button class="${style}" name="word" value="approve">${words}</button>`;
  if (confirm === null) return button(DECIDE_PAGE.approve);
  const { title, words, verb } = confirm;
  return html`<details class="confirm"><summary class="button danger">${DECIDE_PAGE.approve}</summary>
<p><strong>${title}</strong></p><pre>${words}</pre>${button(verb)}</details>`;
}

/** What rejects a call: red only where nothing else is. */
export function rejectButton({ call }: DecisionSheet): Html {
  // What has to be typed is for approving it.
  return html`<button class="${call.tool.destructive ? 'other' : 'stop'}" name="word" value="reject" formnovalidate>${DECIDE_PAGE.reject}</button>`;
}

/** Inputs for what has to be typed. `prefix`: of their ids, where several calls are on one page. */
export function typedInputs(
  values: readonly TypedValue[],
  prefix: string,
  typed: Readonly<Record<string, string>> = {},
): HtmlPart {
  return values.map((value, index) =>
    typedInput(value, index, { prefix, typed: typed[value.argument] ?? '' }),
  );
}

function typedInput(
  { label, expected }: TypedValue,
  index: number,
  { prefix, typed }: { readonly prefix: string; readonly typed: string },
): HtmlPart {
  const hint = expected === null ? TYPED_VALUE.missing : TYPED_VALUE.hint(expected);
  const name = typedField(index);
  const id = `${prefix}${name}`;
  return html`<label for="${id}">${TYPED_VALUE.label(label)}</label><p class="soft small" id="${id}-hint">${hint}</p>
<input type="text" id="${id}" name="${name}" value="${typed}" aria-describedby="${id}-hint" required>`;
}

/** What a form is bound to, what it shows, and the page that it leads back to, if that isn't its own. */
export function hidden(
  token: string,
  { call, news }: Pick<DecisionSheet, 'call' | 'news'>,
  back?: DecideForm['back'],
): Html {
  const others = Object.entries({ place: placeDigest(call), news: news ?? undefined, back });
  return html`<input type="hidden" name="token" value="${token}"><input type="hidden" name="digest" value="${call.digest}">${others.map(
    ([name, value]) =>
      value === undefined ? null : html`<input type="hidden" name="${name}" value="${value}">`,
  )}`;
}

/** The name of the input for the value at this index. */
export function typedField(index: number): string {
  return `typed.${index}`;
}
