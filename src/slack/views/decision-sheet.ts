import { type Actor, actorLabel, type CallRecord, hasEarlierDoubt, recordKey } from '../../gate/types.ts';
import type { ArgumentRow } from '../../presentation/argument-row.ts';
import { describeArgumentsWhole, diffBesideArguments } from '../../presentation/arguments.ts';
import type { DecisionSheet, PlanSheet } from '../../presentation/decision-sheet.ts';
import { sentence } from '../../presentation/outcome-text.ts';
import { describeRisk } from '../../presentation/risk-text.ts';
import { describeRule } from '../../presentation/rule-text.ts';
import { propertiesInOrder } from '../../presentation/schema-labels.ts';
import { oneLine } from '../../presentation/text/clip.ts';
import { describeTool, toolName } from '../../presentation/text/title.ts';
import { visible } from '../../presentation/text/visible.ts';
import { CALL_FACTS } from '../../presentation/texts.ts';
import { describeUnsentDefaults } from '../../presentation/unsent-defaults.ts';
import { destructiveConfirm } from '../cards/call-buttons.ts';
import { claimLine } from '../cards/call-card.ts';
import {
  type CallView,
  callReference,
  callTitle,
  describeNeededBy,
  describePlanStep,
  describeUnneeded,
  quotedServer,
} from '../cards/call-view.ts';
import { accountName, approverFacts, extendedBy, requestedBy } from '../cards/card-facts.ts';
import { type PlanView, planTitle } from '../cards/plan-block.ts';
import { shownQuestion } from '../cards/question-card.ts';
import { saidWords } from '../cards/quoted-blocks.ts';
import { listLines, type RequestView } from '../cards/request-card.ts';
import { lineText, stateLine } from '../cards/state-line.ts';
import { toolChanges } from '../cards/tool-change-blocks.ts';
import { parseSlackPlace } from '../ids.ts';
import { toActor } from '../people/actor.ts';
import { isDirect, isInChannel } from '../people/approvers.ts';
import type { Directory } from '../people/directory.ts';
import { slackIdentity } from '../people/identity.ts';
import type { BotIdentity } from '../people/types.ts';
import { answerMarks } from '../text/answer-pair.ts';
import { askedAboutLine } from '../text/answered-mail.ts';
import { instant } from '../text/block-kit.ts';
import { CARD } from '../texts/cards.ts';
import { PLACE } from '../texts/people.ts';
import { questionView, type Views } from './call-views.ts';

interface DecisionPagePorts {
  readonly views: Views;
  readonly directory: Directory;
  readonly bot: BotIdentity;
}

/** Calls and people for the web decision page: the same text as on cards, without formatting. */
export function createDecisionPages({ views, directory, bot }: DecisionPagePorts) {
  return {
    /** The workspace that people must sign in to. */
    teamId: (): string => bot().teamId,
    /** The actor of a Slack user, the same as for their clicks. */
    actor: (user: string): Promise<Actor> => toActor({ bot, directory }, user),
    /** What this reader sees of a call; null when there is none. */
    async sheet(callKey: string, reader: Actor) {
      const view = await views.call(callKey, reader);
      return view === null ? null : toDecisionPage(forReader(view, reader));
    },
    /** The same of several calls, in order. */
    async sheets(calls: readonly CallRecord[], reader: Actor) {
      // As each person reads times in a zone of their own.
      const groups = [...Map.groupBy(calls, ({ requester }) => requester.id).values()];
      const shown = (await Promise.all(groups.map((own) => views.calls(own, reader)))).flat();
      const byKey = new Map(
        shown.map((view) => [recordKey(view.call), toDecisionPage(forReader(view, reader))]),
      );
      return calls.flatMap((call) => byKey.get(recordKey(call)) ?? []);
    },
    /** What heads each of these calls for this reader, by its key: its sentence, and which step of a plan it is. */
    async headlines(calls: readonly CallRecord[], reader: Actor): Promise<ReadonlyMap<string, string>> {
      const groups = [...Map.groupBy(calls, ({ requester }) => requester.id).values()];
      const headed = groups.map(async (own) => {
        const headings = await views.headings(own, reader);
        return own.map((call, index) => {
          const { sentence: words = '', step = null } = headings[index] ?? {};
          return [recordKey(call), step === null ? words : `${words} · ${step}`] as const;
        });
      });
      return new Map((await Promise.all(headed)).flat());
    },
    /** What this reader sees of a plan, whose steps they may all see; null for a request that is none. */
    async plan(requestId: string, reader: Actor): Promise<PlanSheet | null> {
      const view = await views.request(requestId, reader);
      return view?.plan ? toPlanSheet(view, view.plan, reader) : null;
    },
    /** Where a thread is, as people know it; null for one that isn't in Slack, or that Slack doesn't name. */
    async place(threadId: string): Promise<string | null> {
      const channel = parseSlackPlace(threadId)?.channel;
      if (channel === undefined) return null;
      return isDirect(threadId) ? PLACE.direct : directory.channelName(channel);
    },
  };
}

export type DecisionPages = ReturnType<typeof createDecisionPages>;

/**
 * A call without what somebody's own account answered, and what the agent told them alone, which may quote it: that is theirs.
 * A card in their direct messages says it, and others read this call too.
 */
function forReader(view: CallView, reader: Actor): CallView {
  const { outcome, requester, threadId } = view.call;
  if (slackIdentity.samePerson(reader, requester)) return view;
  const isOwn = outcome !== null && outcome.status !== 'in_doubt' && outcome.ownAccount === true;
  const { said, ...call } = view.call;
  const isSaid = said !== undefined && isInChannel(threadId);
  return { ...view, call: { ...call, ...(isSaid && { said }), outcome: isOwn ? null : outcome } };
}

/** A plan with the lines of its card; of a later step, the call that it became, if it's one. */
function toPlanSheet(view: RequestView, plan: PlanView, reader: Actor): PlanSheet {
  const calls = [...view.calls, ...plan.later.map(({ view: later }) => later)];
  const later = plan.later.map((one) => ({ ...one, view: one.view && forReader(one.view, reader) }));
  const shown = view.calls.map((call) => forReader(call, reader));
  const steps = listLines({ ...view, calls: shown, plan: { ...plan, later } }).map(
    ({ act, state }, index) => {
      return { call: calls[index]?.call ?? null, act, state };
    },
  );
  return { title: planTitle(plan), steps };
}

/** Everything that a card and its full view show of a call. Every text has passed through `visible`. */
export function toDecisionPage(view: CallView) {
  const { call, approvers, expiresAt, resolve } = view;
  const account = accountName(view);
  const rows = describeArgumentsWhole(call.tool, call.arguments, resolve);
  const source = quotedServer(call, rows);
  return {
    call,
    name: toolName(call.tool),
    summary: callTitle(view),
    step: toSheetStep(view),
    description: describeTool(call.tool),
    account: account === null ? null : CALL_FACTS.account(account),
    requester: requestedBy(view),
    approvers:
      approvers === null
        ? []
        : [...approverFacts(approvers), ...describeClaim(view), ...describeExtension(view)],
    until: expiresAt === null ? null : lineText([instant(expiresAt, resolve.timeZone)]),
    rows: rows.map(({ label, value, raw, exact, box, was, note }) => ({
      label,
      value,
      raw,
      exact,
      box,
      was,
      note,
    })),
    source: source === null ? null : CARD.source(source),
    defaults: describeUnsentDefaults(call.tool, call.arguments, resolve, 'whole'),
    said: call.said === undefined ? null : { mark: CARD.agentSays, words: saidWords(call.said) },
    warnings: collectWarnings(view),
    news: callReference(view).news ?? null,
    correction: describeCorrection(view),
    rule: describeRule(call.verdict),
    // The emoji is for cards, where several stand side by side.
    state: lineText(stateLine(view)).replace(/^\p{Extended_Pictographic}\uFE0F? */u, ''),
    typed: toTypedValues(view),
    confirm: destructiveConfirm(view),
    question:
      call.kind === 'question' ? { ...shownQuestion(questionView(view)), about: askedAboutLine(view) } : null,
  };
}

function toSheetStep(view: CallView): DecisionSheet['step'] {
  const words = describePlanStep(view);
  return words === null ? null : { words, neededBy: view.neededBy };
}

/** Who claimed it, and since when, without the mark that a card has before it. */
function describeClaim(view: CallView): readonly string[] {
  const line = lineText(claimLine(view)).replace(/^\s*👋 /u, '');
  return line === '' ? [] : [line];
}

/** Who extended its deadline, as a fact without its full stop. */
function describeExtension(view: CallView): readonly string[] {
  const words = extendedBy(view).trim().replace(/\.$/, '');
  return words === '' ? [] : [words];
}

/** What to know before deciding a call, besides what it does, as plain text. */
export function collectWarnings(view: CallView): readonly string[] {
  const { call, approval } = view;
  return [
    ...answerMarks(view, { isWhole: true }),
    ...describeSessionRisk(view),
    ...(call.program?.leftAt === undefined ? [] : [CARD.programLeft(sentence(call.program.name))]),
    ...(call.tool.destructive ? [CARD.destructive] : []),
    ...(hasEarlierDoubt(call) ? [CARD.sentBefore] : []),
    ...(call.state === 'pending' ? approval.instructions : []).map(
      ({ by, text }) => `${CARD.note(sentence(by))}“${visible(text)}”`,
    ),
    ...(call.askedAgain === undefined ? [] : [CARD.askedAgain(sentence(call.askedAgain))]),
    ...describeUnneeded(view),
    ...describeNeededBy(view),
    ...toolChanges(call)
      .split('\n')
      .filter((line) => line !== ''),
  ];
}

/** What its session had read and written, and by which calls. */
function describeSessionRisk({ call, resolve }: CallView): readonly string[] {
  const risk = describeRisk(call);
  if (risk === null) return [];
  const sources = risk.sources.map(
    ({ words, at }) => `${words}, ${lineText([instant(at, resolve.timeZone)])}.`,
  );
  return [[risk.summary, ...sources].join(' ')];
}

function describeCorrection({ call, corrects, resolve }: CallView): DecisionSheet['correction'] {
  if (corrects?.decision?.feedback == null) return null;
  const by = sentence(actorLabel(corrects.decision));
  const words = sentence(corrects.decision.feedback);
  const changes = diffBesideArguments(call.tool, corrects.arguments, call.arguments, resolve);
  const show = (row: ArgumentRow | null) => row && `${row.value}${row.hidden === null ? '' : '…'}`;
  return {
    words: changes.length === 0 ? CARD.sameAgain(by, words) : CARD.afterFeedback(by, words),
    changes: changes.map(({ label, before, after }) => ({
      label,
      before: show(before),
      after: show(after),
      box: before?.box === true || after?.box === true,
    })),
  };
}

/**
 * The values that must be typed to approve the call, exactly as they must be typed; null for a value that the
 * call lacks, so that nobody can.
 */
function toTypedValues({ call, approval }: CallView) {
  return approval.confirmations.map(({ argument, expected }) => {
    const properties = propertiesInOrder(call.tool, [argument]);
    const label = properties.find(({ name }) => name === argument)?.label ?? argument;
    return {
      argument,
      label: oneLine(visible(label)),
      expected: expected === null ? null : oneLine(visible(expected)),
    };
  });
}
