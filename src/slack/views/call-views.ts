import type { RichTextElement } from '@slack/types';
import type { Gate } from '../../gate/index.ts';
import type { ApproverRef, CallRecord, Need } from '../../gate/types.ts';
import { approvalTally, callKey, currentClaim } from '../../gate/types.ts';
import { type FindNamedObject, findNamedObjects } from '../../presentation/id-names.ts';
import { serverToConnect } from '../../tools/ports.ts';
import type { CallView } from '../cards/call-view.ts';
import type { NeedView } from '../cards/elicitation-cards.ts';
import type { QuestionView } from '../cards/question-card.ts';
import type { ReminderView } from '../cards/reminder-card.ts';
import type { RequestView } from '../cards/request-card.ts';
import { readSlackUser } from '../ids.ts';
import { mentioning } from '../people/approver-names.ts';
import { summarizeApprovers } from '../people/approver-progress.ts';
import { isDirect, isForOthers } from '../people/approvers.ts';
import type { Directory } from '../people/directory.ts';
import { slackIdentity } from '../people/identity.ts';
import { findMentions } from '../people/mentions.ts';
import type { Named } from '../people/types.ts';
import { CARD_LINE } from '../texts/cards.ts';

/** How many of a thread's newest calls are searched for the names of things. */
const REMEMBERED_CALLS = 30;

export interface ViewPorts {
  readonly gate: Gate;
  readonly directory: Directory;
  /** See {@link CallView.canSignIn}. */
  readonly canSignIn: boolean;
}

/** Views of records for cards, modals and Home, with names looked up. */
export function createViews({ gate, directory, canSignIn }: ViewPorts) {
  async function callViews(calls: readonly CallRecord[]): Promise<CallView[]> {
    const viewer = calls[0] ? readSlackUser(calls[0].requester.id) : null;
    const args = calls.flatMap((call) => [call.arguments, call.proposedArguments]);
    const [names, findIn] = await Promise.all([
      directory.resolverFor(args, viewer),
      objectsFor(calls.map((call) => call.threadId)),
    ]);
    const approvers = await Promise.all(calls.map((call) => summarizeApprovers(call, { directory, gate })));
    return calls.map((call, index) => ({
      callKey: callKey(call.threadId, call.callId),
      call,
      approvers: approvers[index] ?? {
        who: call.requester.name,
        isOnly: true,
        verb: CARD_LINE.canApprove,
        progress: null,
      },
      expiresAt: call.timing?.decideBy ?? null,
      resolve: { ...names, findObject: findIn(call) },
      canSignIn,
    }));
  }

  /**
   * The objects that servers named earlier in these threads. Each call sees only what its own server had said
   * by the time it was decided.
   */
  async function objectsFor(threadIds: readonly string[]): Promise<(call: CallRecord) => FindNamedObject> {
    const ids = [...new Set(threadIds)];
    const proposed = await Promise.all(ids.map((id) => gate.calls.proposedIn(id, REMEMBERED_CALLS)));
    const byThread = new Map(ids.map((id, index) => [id, proposed[index] ?? []]));
    return (call) => {
      const decidedAt = call.decision?.at ?? Number.POSITIVE_INFINITY;
      const earlier = (byThread.get(call.threadId) ?? []).filter(
        ({ callId, tool, endedAt }) =>
          callId !== call.callId &&
          tool.server === call.tool.server &&
          endedAt !== null &&
          endedAt <= decidedAt,
      );
      return findNamedObjects(earlier);
    };
  }

  return {
    async call(key: string): Promise<CallView | null> {
      const call = await gate.calls.get(key);
      return call ? ((await callViews([call]))[0] ?? null) : null;
    },

    /**
     * The call's card in its thread, which mentions its approvers; with several calls, the message above them
     * does.
     */
    async card(key: string): Promise<CallView | null> {
      const call = await gate.calls.get(key);
      const [view] = call ? await callViews([call]) : [];
      if (!call || !view) return null;
      const request = call.requestId === null ? null : await gate.requests.get(call.requestId);
      const told = (request?.callIds.length ?? 0) > 1 ? null : await mentioning(call, { directory, gate });
      return told === null ? view : { ...view, approvers: { ...view.approvers, mentioning: told } };
    },

    /** The people whom the message above several cards mentions, each once. */
    async mentions(calls: readonly CallRecord[]): Promise<readonly Named[]> {
      const asked = calls.filter(
        (call) => call.state === 'pending' && isForOthers(call) && !isDirect(call.threadId),
      );
      const found = await Promise.all(
        asked.map((call) => findMentions(approvalTally(call).from, call, { directory, gate })),
      );
      const others = found
        .flat()
        .filter(({ element }) => element.type !== 'text' && !isRequester(element, asked));
      return dedupeNames(others, []).reminded;
    },

    async request(requestId: string): Promise<RequestView | null> {
      const request = await gate.requests.get(requestId);
      if (!request) return null;
      const records = await gate.calls.inThread(request.threadId, request.callIds);
      const tools = records.filter((call) => call !== null).filter((call) => call.kind === 'tool');
      return { requestKey: requestId, calls: await callViews(tools) };
    },

    /** The escalation reminder of that time: the calls of a request that still wait for the same people. */
    async reminder(requestId: string, at: number): Promise<ReminderView | null> {
      const request = await gate.requests.get(requestId);
      if (!request) return null;
      const records = await gate.calls.inThread(request.threadId, request.callIds);
      const told = records.flatMap((call) => (call ? { call, rungs: escalationStepsAt(call, at) } : []));
      const waiting = told.filter(({ rungs }) => rungs.length > 0);
      const namesOf = (refsOf: (one: (typeof waiting)[number]) => readonly ApproverRef[]) =>
        Promise.all(waiting.map((one) => findMentions(refsOf(one), one.call, { directory, gate })));
      const [calls, reminded, added] = await Promise.all([
        callViews(waiting.map(({ call }) => call)),
        namesOf(({ call, rungs }) => (rungs.some(({ remind }) => remind) ? findReminded(call) : [])),
        namesOf(({ rungs }) => rungs.flatMap(({ add }) => add)),
      ]);
      return { key: `${requestId}:${at}`, calls, ...dedupeNames(reminded.flat(), added.flat()) };
    },

    /** The views of calls of several requests, as Home lists them. */
    calls: callViews,
  };
}
export type Views = ReturnType<typeof createViews>;

/** The escalation steps taken at that time for the approval step that the call still waits for. */
function escalationStepsAt(call: CallRecord, at: number): NonNullable<CallRecord['timing']>['climbed'] {
  if (call.state !== 'pending') return [];
  const { step } = approvalTally(call);
  return call.timing?.climbed.filter((rung) => rung.at === at && rung.step === step) ?? [];
}

/** Whom a reminder addresses: whoever claimed the call; without a claim, all whose approval is missing. */
function findReminded(call: CallRecord): readonly ApproverRef[] {
  const user = readSlackUser(currentClaim(slackIdentity, call)?.by.id ?? '');
  return user === null ? approvalTally(call).from : [`user:${user}`];
}

/** Names nobody twice: whoever has just been added isn't reminded as well. */
function dedupeNames(
  reminded: readonly Named[],
  added: readonly Named[],
): Pick<ReminderView, 'reminded' | 'added'> {
  const news = new Map(added.map((one) => [one.name, one]));
  const others = reminded.filter(({ name }) => !news.has(name)).map((one) => [one.name, one] as const);
  return { reminded: [...new Map(others).values()], added: [...news.values()] };
}

/** The requester needs no mention. */
function isRequester(element: RichTextElement, calls: readonly CallRecord[]): boolean {
  return (
    element.type === 'user' && calls.some(({ requester }) => readSlackUser(requester.id) === element.user_id)
  );
}

export function questionView(view: CallView): QuestionView {
  const { question, context } = view.call.arguments;
  return {
    ...view,
    question: typeof question === 'string' ? question : '',
    context: typeof context === 'string' ? context : null,
  };
}

export function needView({ callKey: key, call }: CallView): NeedView {
  const toConnect = serverToConnect(call.tool.server, call.tool.name);
  return {
    callKey: key,
    server: toConnect ?? call.tool.server,
    title: toConnect === null ? call.tool.title : null,
    message: call.need?.message ?? '',
    ...(call.need?.kind === 'form_elicitation' ? formIn(call.need) : {}),
    requester: { name: call.requester.name, slackUser: readSlackUser(call.requester.id) },
  };
}

function formIn({ elicitationId, url, sampling }: Extract<Need, { kind: 'form_elicitation' }>) {
  return { elicitationId, ...(url ? { url } : {}), ...(sampling ? { isForModel: true } : {}) };
}
