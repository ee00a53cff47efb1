import type { RichTextElement } from '@slack/types';
import type { CallRecord } from '../../gate/types.ts';
import { actorLabel, type Decision, hasEarlierDoubt, type Vote } from '../../gate/types.ts';
import type { ArgumentRow } from '../../presentation/argument-row.ts';
import { type ArgumentChange, diffArguments, diffBesideArguments } from '../../presentation/arguments.ts';
import { describePatterns } from '../../presentation/grant-text.ts';
import { saysNotDone, sentence, stopperName } from '../../presentation/outcome-text.ts';
import { ruleName } from '../../presentation/rule-text.ts';
import { clip, oneLine } from '../../presentation/text/clip.ts';
import { publicFailure, publicLink, publicResult } from '../people/public-outcome.ts';
import { approvedWord } from '../text/answered-mail.ts';
import { bold, instant, text } from '../text/block-kit.ts';
import { howFar } from '../text/progress.ts';
import { ARGUMENTS, DECIDED, STATE } from '../texts/cards.ts';
import type { CallView } from './call-view.ts';

/** Characters of a grant's limits; its giver's Home has all of them. */
const LIMITS_LENGTH = 300;

/** The elements of a line; as plain text they make the notification. */
type StateLine = readonly RichTextElement[];

interface StateView extends CallView {
  /** Its arguments stand above the line, and say the zone of their times. */
  readonly isBesideArguments?: boolean;
}

/** The state of a call in one line: the state first, then who, when, and the outcome. */
export function stateLine(view: StateView): StateLine {
  const { call } = view;
  switch (call.state) {
    case 'pending':
      return [text('⏳ '), bold(STATE.waiting)];
    case 'allowed':
      if (call.grant || call.after?.length) return [text('▶️ '), ...decided(view), ...running(call)];
      return [text('▶️ '), bold(STATE.allowed), text(byRule(call))];
    case 'denied':
      return [text('⛔ '), bold(STATE.denied), text(readReason(call))];
    case 'approved':
    case 'executing':
      if (isAway(call)) {
        return [text('⏸️ '), ...decided(view), bold(STATE.runsOnReturn(sentence(call.program?.name ?? '')))];
      }
      return [text('▶️ '), ...decided(view), ...running(call)];
    case 'blocked':
      return [text('✋ '), ...decided(view), bold(STATE.waitsFor(describeNeed(call)))];
    case 'succeeded':
      return succeeded(view);
    case 'failed': {
      const stopper = stopperName(call);
      const word = stopper === null ? STATE.failed : STATE.stoppedBy(sentence(stopper));
      return [text(stopper === null ? '❌ ' : '⏹️ '), ...decided(view), bold(word), ...failure(view)];
    }
    case 'in_doubt':
      return [text('❓ '), ...decided(view), bold(STATE.unclear), ...failure(view)];
    case 'rejected':
      if (call.decision?.instruction?.kind === 'override') {
        return [
          text('↪️ '),
          ...ended(view, STATE.overridden, view.approval.instructions[0]?.by),
          ...wanted(view),
          ...before(call),
        ];
      }
      return [
        ...(wasSentBack(call)
          ? [text('↩️ '), ...ended(view, STATE.sentBack)]
          : [text('🚫 '), ...ended(view, STATE.rejected)]),
        ...feedback(call),
        ...before(call),
      ];
    case 'ignored':
      return [text('🚫 '), ...ended(view, STATE.ignored), ...feedback(call), ...before(call)];
    case 'expired':
      return [
        text('⌛ '),
        bold(STATE.expired),
        ...expiredAt(view),
        text(`.${tooFew(view)}${call.kind === 'question' ? '' : STATE.nothingRan}`),
      ];
    case 'cancelled':
      if (call.withdrawnBecause !== undefined)
        return [text('↩️ '), bold(STATE.withdrawn), text(`: ${sentence(call.withdrawnBecause)}`)];
      return [text('↩️ '), ...ended(view, STATE.withdrawn), ...feedback(call)];
    case 'superseded':
      return [text('↩️ '), bold(STATE.superseded), text(STATE.supersededBy)];
  }
}

/** Whether the program that the call is for has gone away, so that nobody runs it. */
function isAway({ executor, program }: CallRecord): boolean {
  return executor === 'external' && program?.leftAt !== undefined;
}

/** That the call runs; of one that its program runs, only that no end is known: it may have ended, or never begun. */
function running(call: CallRecord): RichTextElement[] {
  const { executor, program, state, after = [] } = call;
  if (state !== 'executing' && after.length > 0) return [bold(STATE.inTurn)];
  if (executor !== 'external' || !program) {
    const far = howFar(call);
    return [bold(STATE.running), ...(far === '' ? [] : [text(` ${far}`)])];
  }
  return [bold(STATE.runsIn(sentence(program.name))), text(STATE.noEndYet)];
}

/** A line as plain text. */
export function lineText(line: StateLine): string {
  return line
    .map((element) =>
      element.type === 'text' ? element.text : element.type === 'date' ? (element.fallback ?? '') : '',
    )
    .join('');
}

/** "Approved by Ana, 09:12 · ", the grant it ran under, or nothing for a call that needed neither. */
function decided(view: StateView): RichTextElement[] {
  const { decision, grant } = view.call;
  if (decision === null && grant) {
    const { by, until, patterns = [] } = grant;
    const limits = clip(describePatterns(patterns, view.call.tool).join(', '), LIMITS_LENGTH);
    return [
      bold(STATE.allowed),
      text(DECIDED.byGrant(sentence(by.name))),
      instant(until, view.resolve.timeZone),
      text(`${limits === '' ? '' : DECIDED.forLimits(limits)} · `),
    ];
  }
  if (decision === null) return [];
  const changes = describeChanges(view);
  return [
    bold(approvedWord(view.call, decision)),
    text(`${DECIDED.by(listVotes(view.call, decision))}${decision.via === 'web' ? DECIDED.onTheWeb : ''}, `),
    instant(decision.at, view.resolve.timeZone),
    text(`${changes === null ? '' : `${changedBy(view.call, decision)}: ${changes}`}${added(view)}`),
    ...remembered(view),
    text(' · '),
  ];
}

/** Notes that the approval included a grant for similar calls. */
function remembered({ call, resolve }: CallView): RichTextElement[] {
  const until = call.decision?.remembered?.until;
  return until === undefined ? [] : [text(DECIDED.remembered), instant(until, resolve.timeZone)];
}

/** Everybody who approved: `Ana`, `Bob and Carol`. */
function listVotes(call: CallRecord, decision: Decision): string {
  const said = votesPart(call);
  return joinNames((said.length > 0 ? said : [decision]).map(actorLabel));
}

function votesPart({ votes = [] }: CallRecord): readonly Vote[] {
  return votes.filter(({ type }) => type !== 'reject');
}

function joinNames(people: readonly string[]): string {
  const names = [...new Set(people)].map(sentence);
  return names.length < 2 ? names.join('') : DECIDED.and(names.slice(0, -1).join(', '), names.at(-1) ?? '');
}

/** Who edited the call, and short changes, for a line that has nothing else of it; null where nobody did. */
export function describeEdits(view: CallView): string | null {
  const { edits = [], decision } = view.call;
  const editors = edits.map((edit) => actorLabel({ actor: edit.by, for: edit.for }));
  if (editors.length === 0 && decision?.type !== 'edit') return null;
  const names = editors.length > 0 || decision === null ? joinNames(editors) : listVotes(view.call, decision);
  return DECIDED.changedBy(names, describeChanges(view));
}

/** Who edited the call, where none of its approvers did. */
function changedBy({ edits = [] }: CallRecord, { type }: Decision): string {
  if (type === 'edit') return '';
  return DECIDED.asChangedBy(joinNames(edits.map((edit) => actorLabel({ actor: edit.by, for: edit.for }))));
}

/** The approvers' instructions to do something as well; with names where several had to approve. */
function added({ call, approval }: CallView): string {
  const isOne = votesPart(call).length < 2;
  return approval.instructions
    .map(({ by, text }) =>
      isOne ? DECIDED.withNote(sentence(text)) : DECIDED.withNoteFrom(sentence(by), sentence(text)),
    )
    .join(',');
}

/** The approvers' instructions to do something instead; with names where there are several. */
function wanted({ approval }: CallView): RichTextElement[] {
  const words = approval.instructions;
  const said = words.map(
    ({ by, text }) => `${words.length > 1 ? `${sentence(by)} ` : ''}“${sentence(text)}”`,
  );
  return said.length === 0 ? [] : [text(`: ${said.join(', ')}`)];
}

/** One or two short changes, of no lines of their own, that fit in the line itself; null where they need a block. */
export function describeChanges({ call, resolve, isBesideArguments = false }: StateView): string | null {
  const diff = isBesideArguments ? diffBesideArguments : diffArguments;
  const changes = diff(call.tool, call.proposedArguments, call.arguments, resolve);
  const isShort = changes.every(({ before, after }) => lineLength(before) + lineLength(after) < 150);
  if (changes.length === 0 || changes.length > 2 || !isShort) return null;
  return changes.map(describeChange).join(', ');
}

function describeChange({ label, before, after }: ArgumentChange): string {
  if (after === null) return ARGUMENTS.wasRemoved(label);
  if (before === null) return ARGUMENTS.wasAdded(label, inLine(after));
  return `${label} ${inLine(before)} → ${inLine(after)}`;
}

function inLine({ value }: ArgumentRow): string {
  const words = oneLine(value);
  return words.includes('→') ? JSON.stringify(words) : words;
}

function lineLength(row: ArgumentRow | null): number {
  if (row === null) return 0;
  return row.truncated || row.value.includes('\n') ? Number.POSITIVE_INFINITY : row.value.length;
}

function ended(view: CallView, state: string, by?: string): RichTextElement[] {
  const { decision, endedAt } = view.call;
  const at = decision?.at ?? endedAt;
  return [
    bold(state),
    text(decision === null ? '' : DECIDED.by(sentence(by ?? actorLabel(decision)))),
    ...(at === null ? [] : [text(', '), instant(at, view.resolve.timeZone)]),
  ];
}

function succeeded(view: StateView): StateLine {
  const { call } = view;
  if (call.kind === 'question') {
    const answer =
      call.decision === null
        ? []
        : [text(DECIDED.by(sentence(actorLabel(call.decision)))), ...feedback(call)];
    return [text('💬 '), bold(DECIDED.answered), ...answer];
  }
  const result = publicResult(view);
  const link = publicLink(view);
  const often = (call.tries ?? 1) > 1 ? DECIDED.tries(call.tries ?? 1) : '';
  const undone = wasDeclined(call) ? STATE.declined : saysNotDone(call) ? STATE.answeredOnly : null;
  return [
    text(undone === null ? '✅ ' : '↩️ '),
    ...decided(view),
    bold(undone ?? STATE.done),
    ...(link === null
      ? [text(`${often}${result === null ? '' : `: ${result}`}`)]
      : [text(`${often}: ${link.title} · `), { type: 'link', url: link.url, text: link.host } as const]),
  ];
}

/** Whether the server asked for something in the middle of the call and didn't get it: then it may have done nothing. */
export function wasDeclined({ elicitationAnswer: answer, state }: CallRecord): boolean {
  return state === 'succeeded' && answer !== null && answer.action !== 'accept' && answer.closed !== 'server';
}

/** Whether somebody wants it proposed again, with a difference. */
export function wasSentBack({ state, decision }: CallRecord): boolean {
  return state === 'rejected' && decision?.isSentBack === true;
}

function failure(view: CallView): RichTextElement[] {
  const why = publicFailure(view);
  return why === null ? [] : [text(`: ${why}`)];
}

/** What remains open after a call that wasn't sent again. */
function before(call: CallRecord): RichTextElement[] {
  return hasEarlierDoubt(call) ? [text(STATE.earlierAttempt)] : [];
}

function feedback({ decision }: CallRecord): RichTextElement[] {
  return decision?.feedback ? [text(DECIDED.said(sentence(decision.feedback)))] : [];
}

/** Who did approve, where too few did. */
function tooFew({ approval: { approved, needed } }: CallView): string {
  if (needed < 2 || approved.length === 0) return '';
  return STATE.approvedInPart(approved.length, needed, approved.map(sentence).join(', '));
}

function expiredAt({ call, expiresAt, resolve }: CallView): RichTextElement[] {
  const at = expiresAt ?? call.endedAt;
  return at === null ? [] : [text(' '), instant(at, resolve.timeZone)];
}

function readReason({ verdict }: CallRecord): string {
  return verdict.reason === null ? byRule({ verdict }) : `: ${sentence(verdict.reason)}`;
}

function byRule({ verdict }: Pick<CallRecord, 'verdict'>): string {
  const name = ruleName(verdict);
  return name === null ? '' : STATE.byRule(name);
}

function describeNeed({ need }: CallRecord): string {
  if (need === null) return DECIDED.theServer;
  return need.kind === 'oauth_url' ? DECIDED.aSignIn : DECIDED.aForm;
}
