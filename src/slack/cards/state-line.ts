import type { RichTextElement } from '@slack/types';
import { tallyOf } from '../../gate/approvers.ts';
import { type CallRecord, type Decision, hasEarlierDoubt, nameOfVoice } from '../../gate/types.ts';
import { oneLine } from '../text/clip.ts';
import { bold, instant, text } from '../text/elements.ts';
import { type ArgumentChange, type ArgumentRow, diffArguments } from './arguments.ts';
import type { CallView } from './call-view.ts';
import { resultInWords, sentence } from './outcome-words.ts';

/** Pieces of a line; the same pieces as plain words make the notification. */
export type StateLine = readonly RichTextElement[];

/** How the call stands, in one line: the state first, then who, when, and what came of it. */
export function stateLine(view: CallView): StateLine {
  const { call } = view;
  switch (call.state) {
    case 'pending':
      return [text('⏳ '), bold('Waits for a decision')];
    case 'allowed':
      if (call.grant) return [text('▶️ '), ...decided(view), bold('running…')];
      return [text('▶️ '), bold('Allowed'), text(` by the rule ${sentence(call.verdict.rule)}`)];
    case 'denied':
      return [text('⛔ '), bold('Not allowed'), text(reasonOf(call))];
    case 'approved':
    case 'executing':
      return [text('▶️ '), ...decided(view), bold('running…')];
    case 'blocked':
      return [text('✋ '), ...decided(view), bold(`waits for ${needInWords(call)}`)];
    case 'succeeded':
      return succeeded(view);
    case 'failed':
      return [text('❌ '), ...decided(view), bold('Failed'), ...failure(call)];
    case 'in_doubt':
      return [text('❓ '), ...decided(view), bold('Unclear whether it happened'), ...failure(call)];
    case 'rejected':
      if (call.decision?.instruction?.kind === 'override') {
        return [text('↪️ '), ...ended(view, 'Turned back'), ...feedback(call), ...before(call)];
      }
      return [text('🚫 '), ...ended(view, 'Rejected'), ...feedback(call), ...before(call)];
    case 'ignored':
      return [text('🚫 '), ...ended(view, 'Ignored'), ...feedback(call), ...before(call)];
    case 'expired':
      return [text('⌛ '), bold('Expired'), text(`, ${tooFew(view)}`), ...until(view)];
    case 'cancelled':
      return [text('↩️ '), ...ended(view, 'Withdrawn'), ...feedback(call)];
    case 'superseded':
      return [text('↩️ '), bold('Superseded'), text(' by a later message; this was not done')];
  }
}

/** A line as plain words. */
export function lineInWords(line: StateLine): string {
  return line
    .map((element) =>
      element.type === 'text' ? element.text : element.type === 'date' ? (element.fallback ?? '') : '',
    )
    .join('');
}

/** "Approved by Ana, 09:12 · ", by whose grant it ran, or nothing for a call that needed neither. */
function decided(view: CallView): RichTextElement[] {
  const { decision, grant } = view.call;
  if (decision === null && grant) {
    const { by, until } = grant;
    return [
      bold('Allowed'),
      text(` by a grant of ${nameOf(by.name)} until `),
      instant(until, view.resolve.timeZone),
      text(' · '),
    ];
  }
  if (decision === null) return [];
  const changes = decision.type === 'edit' ? changesInLine(view) : null;
  const verb = decision.type === 'edit' ? 'Approved with changes' : 'Approved';
  return [
    bold(verb),
    text(` by ${voicesOf(view.call, decision)}, `),
    instant(decision.at, view.resolve.timeZone),
    text(`${changes === null ? '' : `: ${changes}`}${added(view.call)} · `),
  ];
}

/** Everybody whose word it took: `Ana`, `Bob and Carol`. */
function voicesOf({ votes = [] }: CallRecord, decision: Decision): string {
  const said = votes.filter(({ type }) => type !== 'reject');
  const names = [...new Set((said.length > 0 ? said : [decision]).map(nameOfVoice))].map(nameOf);
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}

/** What the approver wants besides. */
function added({ decision }: CallRecord): string {
  return decision?.instruction ? ` with a word: “${sentence(decision.instruction.text)}”` : '';
}

/** One or two short changes, for the line itself; null where they need a block of their own. */
export function changesInLine({ call, resolve }: CallView): string | null {
  const changes = diffArguments(call.tool, call.proposedArguments, call.arguments, resolve);
  const isShort = changes.every(({ before, after }) => lengthOf(before) + lengthOf(after) < 150);
  if (changes.length === 0 || changes.length > 2 || !isShort) return null;
  return changes.map(changeInWords).join(', ');
}

function changeInWords({ label, before, after }: ArgumentChange): string {
  if (before === null) return `${label} added`;
  if (after === null) return `${label} removed`;
  return `${label} ${oneLine(before.value)} → ${oneLine(after.value)}`;
}

function lengthOf(row: ArgumentRow | null): number {
  if (row === null) return 0;
  return row.truncated ? Number.POSITIVE_INFINITY : row.value.length;
}

function ended(view: CallView, state: string): RichTextElement[] {
  const { decision, endedAt } = view.call;
  const at = decision?.at ?? endedAt;
  return [
    bold(state),
    text(decision === null ? '' : ` by ${nameOf(nameOfVoice(decision))}`),
    ...(at === null ? [] : [text(', '), instant(at, view.resolve.timeZone)]),
  ];
}

function succeeded(view: CallView): StateLine {
  const { call } = view;
  if (call.kind === 'question') {
    const answer =
      call.decision === null ? [] : [text(` by ${nameOf(nameOfVoice(call.decision))}`), ...feedback(call)];
    return [text('💬 '), bold('Answered'), ...answer];
  }
  const result = call.outcome?.status === 'succeeded' ? resultInWords(call.outcome) : null;
  return [text('✅ '), ...decided(view), bold('done'), text(result === null ? '' : `: ${result}`)];
}

function failure({ outcome }: CallRecord): RichTextElement[] {
  return outcome === null || outcome.status === 'succeeded' ? [] : [text(`: ${sentence(outcome.message)}`)];
}

/** What a call that was not sent again leaves open. */
function before(call: CallRecord): RichTextElement[] {
  return hasEarlierDoubt(call) ? [text(' · an earlier attempt may have happened')] : [];
}

function feedback({ decision }: CallRecord): RichTextElement[] {
  return decision?.feedback ? [text(`: “${sentence(decision.feedback)}”`)] : [];
}

/** Where several had to approve, some may have. */
function tooFew({ call }: CallView): string {
  const { approved, needed } = tallyOf(call);
  if (needed < 2 || approved.length === 0) return 'nobody decided';
  return `${approved.length} of ${needed} had approved: ${approved.map(nameOf).join(', ')}`;
}

function until({ call, expiresAt, resolve }: CallView): RichTextElement[] {
  const at = expiresAt ?? call.endedAt;
  return at === null ? [] : [text(' until '), instant(at, resolve.timeZone)];
}

function reasonOf({ verdict }: CallRecord): string {
  return verdict.reason === null ? ` by the rule ${sentence(verdict.rule)}` : `: ${sentence(verdict.reason)}`;
}

function needInWords({ need }: CallRecord): string {
  if (need === null) return 'the server';
  return need.kind === 'oauth_url' ? 'a sign-in' : 'a form';
}

function nameOf(name: string): string {
  return sentence(name);
}
