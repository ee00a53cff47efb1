import { isDeepStrictEqual } from 'node:util';
import { Command } from '@langchain/langgraph';
import { type CallRecord, finalState, type ProposedCall } from '../../gate/types.ts';
import { createRetryBudget, retriesAfter } from '../../lib/retry-budget.ts';
import type { RunContext } from '../../runs/ports.ts';
import type { CallTool } from '../../tools/ports.ts';
import type { AgentPorts } from '../ports.ts';
import type { Contexts } from '../runtime/run-contexts.ts';
import { viewConversation } from '../shared/conversation-view.ts';
import { describeStep } from '../shared/describe-step.ts';
import { countInvalidArguments, findGivenUp } from '../shared/invalid-argument-limit.ts';
import { isReading, readingMessage } from '../shared/read-result.ts';
import { mergeResourceTools } from '../shared/resource-tools.ts';
import { isAnsweredHere, openToolCalls, proposedCall, toolsFor } from '../shared/tool-calls.ts';
import { toToolMessage, unknownToolMessage } from '../shared/tool-messages.ts';
import { THINKING } from '../texts.ts';
import { findingMessage } from '../tool-search/find-tools.ts';
import type { SearchTools } from '../tool-search/search.ts';
import type { State, ToolCounts, Update } from './state.ts';

/**
 * Turns every unanswered call of the last assistant message into its ToolMessage. Approved calls have run by
 * now and are read from the record; calls that need no approval run here. If a server first needs something
 * from a person, nothing is answered yet and the run pauses again. A tool whose arguments the model can't get
 * right ends the run, and the person learns what was invalid.
 *
 * @param options.modelNode the node that asks the model next.
 */
export function runTools(
  ports: Pick<AgentPorts, 'tools' | 'gate'>,
  contexts: Contexts,
  { search, modelNode }: { readonly search: SearchTools; readonly modelNode: string },
) {
  const { tools } = ports;
  return async (
    state: State,
    config: { configurable?: Record<string, unknown> },
  ): Promise<Command<unknown, Update>> => {
    const context = contexts.of(config);
    // A tool that the router left out wasn't offered; a model that calls it anyway finds no such tool.
    const { tools: all } = await context.whileWaiting(() => tools.offer(context.requester, context));
    const usable = toolsFor(state.allowedToolTypes, all);
    const calls = openToolCalls(state.messages).map((call) => proposedCall(call, usable));
    const steps = [...new Set(calls.map(describeStep))];
    if (steps.length > 0) context.emit({ type: 'status', text: `${steps.join(', ')}…` });
    const [ownCalls, sent] = [calls.filter(isAnsweredHere), calls.filter((call) => !isAnsweredHere(call))];
    const budget = createRetryBudget(state.counts.retries ?? {});
    const settled = await context.whileWaiting(() =>
      Promise.allSettled(
        sent.map((call) =>
          showStep(
            context,
            call,
            tools.call({ ...toSend(context, call), mayRetry: () => budget.take(call.modelName) }),
          ),
        ),
      ),
    );
    // Waits for all calls before a failed one ends the run, so that nothing is in flight afterwards.
    const failed = settled.find((result) => result.status === 'rejected');
    if (failed) throw failed.reason;
    context.signal.throwIfAborted();
    const records = settled.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
    const waiting = records.filter((call) => finalState(call) === null);
    if (waiting.length > 0) {
      const awaiting = waiting.map((call) => call.callId);
      return new Command({ update: { awaiting }, goto: 'human_confirmation' });
    }
    const view = ownCalls.some(isReading)
      ? (await viewConversation(ports, context, state.messages)).messages
      : [];
    const answered = await Promise.all(
      ownCalls.map((call) =>
        isReading(call)
          ? readingMessage(tools.readKept, view, context, call)
          : findingMessage((texts) => search(all, texts), mergeResourceTools(usable).rest, context, call),
      ),
    );
    const names = usable.map(({ modelName }) => modelName);
    const unknown = new Set(sent.flatMap(({ tool, callId }) => (tool === null ? [callId] : [])));
    const results = records.map((call) =>
      unknown.has(call.callId) ? unknownToolMessage(call, names) : toToolMessage(call),
    );
    const messages = [...results, ...answered];
    const misfits = countInvalidArguments(state.counts.misfits ?? {}, records);
    const retries = retriesAfter(state.counts.retries ?? {}, records);
    const counts = whereNew(state.counts, { misfits, retries });
    const givenUp = findGivenUp(misfits, records).map(({ tool, outcome }) => ({
      title: tool.title,
      why: outcome?.status === 'failed' ? outcome.message : '',
    }));
    if (givenUp.length > 0) {
      const update = { messages, ...counts, givenUp, awaiting: [], ending: 'misfit' as const };
      return new Command({ update, goto: 'response_formatter' });
    }
    context.emit({ type: 'status', text: THINKING });
    return new Command({ update: { messages, ...counts, awaiting: [] }, goto: modelNode });
  };
}

/** What a call is sent with in this run. */
function toSend(
  { threadId, runId, requester, task, account, fence, confirmLease, signal, emit, trace }: RunContext,
  call: ProposedCall,
): Omit<Parameters<CallTool>[0], 'mayRetry'> {
  const title = call.tool?.title ?? call.modelName;
  return {
    threadId,
    runId,
    requester,
    task,
    account,
    call,
    fence,
    confirmLease,
    signal,
    trace,
    onProgress: (progress) => emit({ type: 'tool_progress', callId: call.callId, title, progress }),
  };
}

/** Shows the call as a step while it runs; one that was approved has a card that does. */
async function showStep(
  { emit }: Pick<RunContext, 'emit'>,
  call: ProposedCall,
  running: Promise<CallRecord>,
): Promise<CallRecord> {
  const step = { type: 'step', stepId: call.callId, text: describeStep(call) } as const;
  emit({ ...step, state: 'running' });
  try {
    const record = await running;
    emit({ ...step, state: record.state === 'failed' ? 'failed' : 'done' });
    return record;
  } catch (error) {
    emit({ ...step, state: 'failed' });
    throw error;
  }
}

/** Leaves out unchanged counts, which would be written again. */
function whereNew(before: ToolCounts, { misfits = {}, retries = {} }: ToolCounts): Pick<Update, 'counts'> {
  const counts = {
    ...(Object.keys(misfits).length > 0 && { misfits }),
    ...(Object.keys(retries).length > 0 && { retries }),
  };
  return isDeepStrictEqual(before, counts) ? {} : { counts };
}
