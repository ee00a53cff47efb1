import type { Gate } from '../gate/index.ts';
import { callKey } from '../gate/index.ts';
import type { CallRecord, RequestRecord } from '../gate/types.ts';
import type { CallView } from './cards/call-view.ts';
import type { NeedView } from './cards/need-cards.ts';
import type { QuestionView } from './cards/question-card.ts';
import type { RequestView } from './cards/request-header.ts';
import type { Directory } from './directory.ts';
import { slackUserOf } from './thread-id.ts';

/** Records as cards, modals and Home show them: with names looked up. */
export function createViews({ gate, directory }: { readonly gate: Gate; readonly directory: Directory }) {
  async function callViews(
    calls: readonly CallRecord[],
    requestOf: (call: CallRecord) => RequestRecord | null,
  ): Promise<CallView[]> {
    const viewer = calls[0] ? slackUserOf(calls[0].requester.id) : null;
    const args = calls.flatMap((call) => [call.arguments, call.proposedArguments]);
    const resolve = await directory.resolverFor(args, viewer);
    return calls.map((call) => ({
      callKey: callKey(call.threadId, call.callId),
      call,
      deciders: call.requester.name,
      expiresAt: requestOf(call)?.expiresAt ?? null,
      risk: null,
      resolve,
    }));
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
  };
}
