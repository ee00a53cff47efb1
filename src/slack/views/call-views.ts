import type { Gate } from '../../gate/index.ts';
import type { Actor, CallRecord, Need, RequestRecord } from '../../gate/types.ts';
import {
  approvalStatus,
  callKey,
  dependentSteps,
  finalState,
  recordKey,
  serverToConnect,
  unneededSteps,
} from '../../gate/types.ts';
import type { PersonInbox } from '../../inbox/ports.ts';
import { headline } from '../../presentation/headline.ts';
import { type FindNamedObject, findNamedObjects, isIdName } from '../../presentation/id-names.ts';
import { readFreeTime } from '../../presentation/people/free-time.ts';
import { currentTaints } from '../../presentation/risk-text.ts';
import { nameTool } from '../../presentation/text/title.ts';
import { type CallView, describePlanStep, type StepView } from '../cards/call-view.ts';
import type { NeedView } from '../cards/elicitation-cards.ts';
import type { QuestionView } from '../cards/question-card.ts';
import { readSlackUser } from '../ids.ts';
import { mentioning } from '../people/approver-names.ts';
import { summarizeApprovers } from '../people/approver-progress.ts';
import type { Directory } from '../people/directory.ts';
import { slackIdentity } from '../people/identity.ts';
import { findAskedMail, findNewerMail, findOtherHalf } from './answer-pairs.ts';
import { isAlone, isShown, readLookUps } from './look-ups.ts';
import { createRequestViews } from './request-views.ts';

/** How many of a thread's newest calls are searched for the names of things. */
const REMEMBERED_CALLS = 30;

interface ViewPorts {
  readonly gate: Gate;
  readonly directory: Directory;
  readonly inbox: Pick<PersonInbox, 'answeredAt' | 'newerThan'>;
  /** See {@link CallView.canSignIn}. */
  readonly canSignIn: boolean;
}

/** Views of records for cards, modals and Home, with names looked up. */
export function createViews(ports: ViewPorts) {
  const { gate, directory, canSignIn } = ports;
  async function callViews(calls: readonly CallRecord[], reader: Actor | null): Promise<CallView[]> {
    const [resolved, withApprovers, plans] = await Promise.all([
      resolveValues({ gate, directory }, calls, reader),
      Promise.all(calls.map((call) => readAround(ports, call))),
      readPlans(gate, calls),
    ]);
    return resolved.flatMap(({ call, ...read }, index) => {
      const known = withApprovers[index];
      const { request = null, steps = [] } = plans.get(call.requestId) ?? {};
      const inPlan = {
        step: toStep(call, request),
        unneeded: unneededSteps(call, steps),
        neededBy: dependentSteps(call, steps),
      };
      const at = { callKey: recordKey(call), expiresAt: call.timing?.decideBy ?? null, canSignIn };
      return known ? { ...known, ...inPlan, ...at, ...read } : [];
    });
  }

  return {
    /** `reader`: see {@link isShown}. */
    async call(key: string, reader: Actor | null): Promise<CallView | null> {
      const call = await gate.calls.get(key);
      return call ? ((await callViews([call], reader))[0] ?? null) : null;
    },

    /**
     * The call's card in its thread, which mentions its approvers; with several calls, the message above them
     * does.
     */
    async card(key: string): Promise<CallView | null> {
      const call = await gate.calls.get(key);
      if (!call) return null;
      const { requestId, state } = call;
      const [[view = null], request] = await Promise.all([
        callViews([call], null),
        requestId === null || state !== 'pending' ? null : gate.requests.get(requestId),
      ]);
      if (!view?.approvers) return view;
      const line = (request?.callIds.length ?? 0) > 1 ? null : await mentioning(call, { directory, gate });
      return line === null ? view : { ...view, approvers: { ...view.approvers, mentioning: line } };
    },

    ...createRequestViews({ gate, directory, callViews }),

    /** The views of calls of several requests, as Home lists them. `reader`: see {@link isShown}. */
    calls: callViews,

    /**
     * What heads the card of each of these calls, in order: its sentence, and which step of a plan it is. Their first one's
     * requester says the zone. `reader`: see {@link isShown}.
     */
    async headings(
      calls: readonly CallRecord[],
      reader: Actor,
    ): Promise<readonly { readonly sentence: string; readonly step: string | null }[]> {
      const [resolved, plans] = await Promise.all([
        // A list has calls of many threads, of which each would be read.
        resolveValues({ gate, directory }, calls, reader, calls.filter(hasId)),
        readPlans(gate, calls),
      ]);
      return resolved.map(({ call, resolve }) => {
        const request = plans.get(call.requestId)?.request ?? null;
        return { sentence: headline(call, resolve), step: describePlanStep({ step: toStep(call, request) }) };
      });
    },
  };
}
export type Views = ReturnType<typeof createViews>;

/** Who can decide a call, and what stands beside it on its card. */
async function readAround({ gate, directory, inbox }: ViewPorts, call: CallRecord) {
  const approval = approvalStatus(slackIdentity, call);
  const approvers = await summarizeApprovers({ call, approval }, { directory, gate });
  const corrects = await findCorrected(gate, call);
  const beside = call.state === 'pending' ? await findOtherHalf(gate, call) : null;
  const newer = await findNewerMail(inbox, call);
  const about = await findAskedMail(inbox, call);
  return { call, approval, approvers, corrects, beside, newer, about };
}

/** Whether one of a call's arguments is called an id. */
function hasId({ arguments: args }: CallRecord): boolean {
  return Object.keys(args).some(isIdName);
}

type ResolvedCall = Pick<CallView, 'call' | 'resolve' | 'withheld' | 'freeTime' | 'calendars' | 'isForOwner'>;

/** What the values of these calls are shown by, in the zone of the first one's requester; ids only in threads of `named`. */
async function resolveValues(
  { gate, directory }: Pick<ViewPorts, 'gate' | 'directory'>,
  calls: readonly CallRecord[],
  reader: Actor | null,
  named: readonly CallRecord[] = calls,
): Promise<ResolvedCall[]> {
  const viewer = calls[0] ? readSlackUser(calls[0].requester.id) : null;
  const args = calls.flatMap((call) => [call.arguments, call.proposedArguments]);
  // At once, so that they share commands.
  const [own, findIn, readings] = await Promise.all([
    directory.resolverFor(args, viewer),
    namedObjectsIn(
      gate,
      named.map((call) => call.threadId),
      reader,
    ),
    Promise.all(calls.map((call) => readLookUps(gate, call, reader))),
  ]);
  const read = calls.map(({ arguments: given }, index) => ({
    given,
    read: readings[index]?.subject?.shown?.map(({ value }) => value) ?? [],
  }));
  const names = read.some(({ read: shown }) => shown.length > 0)
    ? await directory.resolverFor([...args, ...read], viewer)
    : own;
  return calls.map((call, index) => {
    const { subject = null, withheld = null, agenda = null, calendars = [] } = readings[index] ?? {};
    const [findObject, asOf, taints] = [findIn(call), call.proposedAt, currentTaints(call)];
    const resolve = { ...names, findObject, asOf, ...(subject && { subject }), taints };
    // When somebody is busy is for nobody else.
    const isForOwner = isAlone(call, reader);
    const isAsked = isForOwner && call.state === 'pending';
    const freeTime = isAsked ? readFreeTime(call, agenda, resolve) : null;
    return { call, withheld, resolve, calendars, freeTime, isForOwner };
  });
}

async function findCorrected({ calls }: Gate, call: CallRecord): Promise<CallRecord | null> {
  if (call.follows === undefined || call.state !== 'pending') return null;
  const { threadId, tool } = call;
  const before = await calls.get(callKey(threadId, call.follows));
  const isSameTool = before?.tool.server === tool.server && before.tool.name === tool.name;
  return before?.state === 'rejected' && isSameTool ? before : null;
}

/**
 * The plans that these calls are steps of, by their requests, each with all its steps if one of these calls still waits for
 * something.
 */
async function readPlans(
  gate: Gate,
  calls: readonly CallRecord[],
): Promise<ReadonlyMap<string | null, ReadPlan>> {
  const byRequest = Map.groupBy(
    calls.filter(({ after }) => after !== undefined),
    ({ requestId }) => requestId,
  );
  const plans = [...byRequest].map(async ([requestId, own]) => {
    const request = requestId === null ? null : await gate.requests.get(requestId);
    const isOpen = own.some((call) => finalState(call) === null);
    const steps = request && isOpen ? await gate.calls.inThread(request.threadId, request.callIds) : [];
    return [requestId, { request, steps: steps.filter((step) => step !== null) }] as const;
  });
  return new Map(await Promise.all(plans));
}

interface ReadPlan {
  readonly request: RequestRecord | null;
  readonly steps: readonly CallRecord[];
}

function toStep({ ordinal }: CallRecord, request: RequestRecord | null): StepView | null {
  if (request?.plan === undefined || ordinal === undefined) return null;
  const { callIds, plan } = request;
  return { title: plan.title, number: ordinal + 1, count: callIds.length + plan.later.length };
}

/**
 * The objects that servers named earlier in these threads. Each call sees only what its own server had said
 * by the time it was decided, and what its reader may read: see {@link isShown}.
 */
async function namedObjectsIn(
  gate: ViewPorts['gate'],
  threadIds: readonly string[],
  reader: Actor | null,
): Promise<(call: CallRecord) => FindNamedObject> {
  const ids = [...new Set(threadIds)];
  const proposed = await Promise.all(ids.map((id) => gate.calls.proposedIn(id, REMEMBERED_CALLS)));
  const byThread = new Map(ids.map((id, index) => [id, proposed[index] ?? []]));
  return (call) => {
    const decidedAt = call.decision?.at ?? Number.POSITIVE_INFINITY;
    const thread = byThread.get(call.threadId) ?? [];
    const earlier = thread.filter(
      (read) =>
        read.callId !== call.callId &&
        read.tool.server === call.tool.server &&
        read.endedAt !== null &&
        read.endedAt <= decidedAt &&
        isShown(read, reader),
    );
    // Also of calls that it's compared with, such as one that was rejected.
    const within = [call, ...thread].flatMap((it) => [it.arguments, it.proposedArguments]);
    return findNamedObjects(earlier, within);
  };
}

export function questionView(view: CallView): QuestionView {
  const { question, context } = view.call.arguments;
  return {
    ...view,
    question: typeof question === 'string' ? question : '',
    context: typeof context === 'string' ? context : null,
  };
}

export function needView({ callKey: key, call, isForOwner }: CallView): NeedView {
  const toConnect = serverToConnect(call.tool.server, call.tool.name);
  const account = call.need?.kind === 'oauth_url' ? call.need.connect?.server : undefined;
  return {
    callKey: key,
    // Servers may share an account, which then has a name of its own.
    server: account ?? toConnect ?? call.tool.server,
    title: toConnect === null ? nameTool(call.tool) : null,
    message: call.need?.message ?? '',
    ...(call.need?.kind === 'form_elicitation' ? formIn(call.need) : {}),
    isHidden: call.need?.kind === 'form_elicitation' && call.need.isOwn === true && !isForOwner,
    requester: { name: call.requester.name, slackUser: readSlackUser(call.requester.id) },
  };
}

function formIn({ elicitationId, url, sampling }: Extract<Need, { kind: 'form_elicitation' }>) {
  return { elicitationId, ...(url ? { url } : {}), ...(sampling ? { isForModel: true } : {}) };
}
