import type { Gate } from '../gate/index.ts';
import { callKey } from '../gate/index.ts';
import type { CallRecord, RequestRecord } from '../gate/types.ts';
import type { CallView } from './cards/call-view.ts';
import type { NeedView } from './cards/need-cards.ts';
import type { QuestionView } from './cards/question-card.ts';
import type { RequestView } from './cards/request-header.ts';
import { type FindThing, thingsIn } from './cards/things.ts';
import type { Directory } from './directory.ts';
import { slackUserOf } from './thread-id.ts';

/** Of so many of a thread's newest calls the answers are looked through for the names of things. */
const REMEMBERED_CALLS = 30;

/** Records as cards, modals and Home show them: with names looked up. */
export function createViews({ gate, directory }: { readonly gate: Gate; readonly directory: Directory }) {
  async function callViews(
    calls: readonly CallRecord[],
    requestOf: (call: CallRecord) => RequestRecord | null,
  ): Promise<CallView[]> {
    const viewer = calls[0] ? slackUserOf(calls[0].requester.id) : null;
    const args = calls.flatMap((call) => [call.arguments, call.proposedArguments]);
    const [names, findThing] = await Promise.all([
      directory.resolverFor(args, viewer),
      thingsFor(calls.map((call) => call.threadId)),
    ]);
    return calls.map((call) => ({
      callKey: callKey(call.threadId, call.callId),
      call,
      deciders: call.requester.name,
      expiresAt: requestOf(call)?.expiresAt ?? null,
      risk: null,
      resolve: { ...names, thing: findThing(call) },
    }));
  }

  /** What servers said in these threads, for each call what its own server had said when it was decided. */
  async function thingsFor(threadIds: readonly string[]): Promise<(call: CallRecord) => FindThing> {
    const ids = [...new Set(threadIds)];
    const proposed = await Promise.all(ids.map((id) => gate.proposedIn(id, REMEMBERED_CALLS)));
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
      return thingsIn(earlier);
    };
  }

  return {
    async call(key: string): Promise<CallView | null> {
      const call = await gate.call(key);
      if (!call) return null;
      const request = call.requestId === null ? null : await gate.request(call.requestId);
      return (await callViews([call], () => request))[0] ?? null;
    },

    async request(requestId: string): Promise<RequestView | null> {
      const request = await gate.request(requestId);
      if (!request) return null;
      const records = await gate.callsOf(request.threadId, request.callIds);
      const tools = records.filter((call) => call !== null).filter((call) => call.kind === 'tool');
      return { requestKey: requestId, calls: await callViews(tools, () => request) };
    },

    /** Calls of several requests, as Home lists them. */
    async calls(calls: readonly CallRecord[]): Promise<CallView[]> {
      const ids = [...new Set(calls.flatMap((call) => call.requestId ?? []))];
      const requests = await Promise.all(ids.map((id) => gate.request(id)));
      const byId = new Map(requests.filter((request) => request !== null).map((r) => [r.requestId, r]));
      return callViews(calls, (call) => byId.get(call.requestId ?? '') ?? null);
    },
  };
}
export type Views = ReturnType<typeof createViews>;

export function questionView(view: CallView): QuestionView {
  const { question, context } = view.call.arguments;
  return {
    ...view,
    question: typeof question === 'string' ? question : '',
    context: typeof context === 'string' ? context : null,
  };
}

export function needView({ callKey: key, call }: CallView): NeedView {
  return {
    callKey: key,
    server: call.tool.server,
    title: call.tool.title,
    message: call.need?.message ?? '',
    requester: { name: call.requester.name, slackUser: slackUserOf(call.requester.id) },
  };
}
