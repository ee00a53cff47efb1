import { z } from 'zod';
import {
  approverInstructions,
  type CallRecord,
  finalState,
  type Outcome,
  repeatsStructured,
} from '../../gate/types.ts';
import { canonicalJson } from '../../lib/canonical-json.ts';
import { suggestName } from '../../lib/config-errors/did-you-mean.ts';
import type { JsonObject } from '../../lib/json.ts';
import type { MailboxItem } from '../collections.ts';
import type { AgentOutput, OutputSource, TeamTask } from '../ports.ts';
import { CHANGED } from '../texts.ts';
import { isWebAddress, readForeignResult } from './foreign-output.ts';

/** The longest result that an output has, in characters, and the longest of all of them together. */
const RESULT_LENGTH = 4_000;
const RESULTS_LENGTH = 24_000;
/** The longest name of a source, in characters. */
const NAME_LENGTH = 200;

/** The words for a call that didn't run as it was proposed, as agents are told them. */
const ENDS: Partial<Record<CallRecord['state'], string>> = {
  denied: 'denied_by_policy',
  rejected: 'denied_by_user',
  ignored: 'ignored_by_user',
  expired: 'approval_timed_out',
  cancelled: 'withdrawn',
  superseded: 'withdrawn',
};

/** A result that says itself where it is from. */
const sourcedSchema = z.looseObject({
  sources: z.array(
    z.looseObject({
      source: z.string().min(1),
      place: z.string().optional(),
      section: z.string().optional(),
      page: z.number().optional(),
      url: z.string().optional(),
    }),
  ),
});

/**
 * What became of a task, from the records of the message that gave it to its agent, and of the calls that its agent made.
 * The model's words are its answer, and never say whether something was done: the calls do.
 */
export function toOutput(
  task: TeamTask,
  item: MailboxItem | null,
  calls: readonly CallRecord[],
): AgentOutput {
  const done = calls.filter(({ state, kind }) => state === 'succeeded' && kind === 'tool');
  const undone = notMadeGood(calls);
  const isAnswered = item?.state === 'answered';
  if (task.isForeign && isAnswered && done.length > 0) {
    return { ...about(task, calls), ...ofForeign({ done, undone, timeTakenMs: timeTaken(item, calls) }) };
  }
  const error = isAnswered ? (undone[0] ? whyNot(undone[0]) : null) : (item?.response ?? 'not_run');
  const results = listResults(done);
  const data: JsonObject = {
    ...(isAnswered && item.response !== null && { answer: item.response }),
    ...(results.length > 0 && { results }),
  };
  const isPart = error !== null;
  return {
    ...about(task, calls),
    task_done: !isPart,
    data: isPart ? {} : data,
    partial_data: isPart ? data : {},
    error,
    not_done: undone.map(describeUndone),
    confidence_score: null,
    resource_usage: { time_taken_ms: timeTaken(item, calls), api_calls_made: calls.length },
    metadata: { sources: done.flatMap(findSources) },
  };
}

/** Which task it is, and how people changed it. */
function about({ taskId, agent, task, needs }: TeamTask, calls: readonly CallRecord[]) {
  const changed = calls.flatMap((call) => {
    const words = isTurnedBack(call) ? CHANGED.instead : CHANGED.besides;
    return approverInstructions(call).map(({ by, text }) => words(by, text));
  });
  return {
    agent_id: taskId,
    agent_name: agent,
    task_description: [task, ...changed].join('\n'),
    changed,
    depends_on: needs,
  };
}

/**
 * What an agent that is another program says became of its task; its thread fails where it says nothing that can be read. Of
 * one that was asked for more besides, all that it brought, the last first.
 */
function ofForeign({
  done,
  undone,
  timeTakenMs,
}: {
  readonly done: readonly CallRecord[];
  readonly undone: readonly CallRecord[];
  readonly timeTakenMs: number;
}): Omit<AgentOutput, keyof ReturnType<typeof about>> {
  const all = done.map((call) => ({ call, said: readForeignResult(call) })).toReversed();
  const outputs = all.flatMap(({ said }) => (typeof said === 'string' ? [] : [said]));
  const unread = all.find(({ said }) => typeof said === 'string')?.said;
  const problem = typeof unread === 'string' ? unread : null;
  const notDone = outputs.find(({ task_done: isDone }) => !isDone)?.error ?? null;
  const error = problem ?? notDone ?? (undone[0] ? whyNot(undone[0]) : null);
  const [last = {}, ...earlier] = outputs.map(({ data, partial_data: part }) => ({ ...data, ...part }));
  const brought: JsonObject = { ...last, ...(earlier.length > 0 && { before: earlier }) };
  return {
    task_done: error === null,
    data: error === null ? brought : {},
    partial_data: error === null ? {} : brought,
    error,
    not_done: undone.map(describeUndone),
    confidence_score: outputs[0]?.confidence_score ?? null,
    resource_usage: { time_taken_ms: timeTakenMs, api_calls_made: done.length },
    metadata: {
      sources: all.flatMap(({ call, said }) =>
        typeof said === 'string' || said.sources.length === 0 ? findSources(call) : said.sources,
      ),
    },
  };
}

/**
 * The calls that ended otherwise than done, without those that a later one made good. What people or the policy turned
 * down, what ran out and what is unclear always stays: another call of the same tool is another thing. A name that no tool
 * has counts for nothing once what it meant was called: that call says what became of it.
 */
function notMadeGood(calls: readonly CallRecord[]): readonly CallRecord[] {
  return calls.filter((call) => {
    const end = finalState(call);
    if (end === null || end === 'succeeded' || call.kind !== 'tool') return false;
    const later = calls.filter((other) => other !== call && other.proposedAt >= call.proposedAt);
    if (isUnknownTool(call)) return !later.some((other) => isMeantBy(call, other));
    return !later.some((other) => other.state === 'succeeded' && makesGood(other, call));
  });
}

/** Whether a call that was done did what an earlier one didn't. */
function makesGood(done: CallRecord, call: CallRecord): boolean {
  const { tool, arguments: args } = call;
  // What somebody wanted in its place.
  if (isTurnedBack(call)) return done.kind === 'tool';
  if (done.tool.name !== tool.name || done.tool.server !== tool.server) return false;
  // Somebody said what is to be different, and that was proposed.
  if (call.decision?.isSentBack) return true;
  // One that couldn't be sent was a slip of the model's, and is corrected by the next.
  const isCorrected = call.attempt === 0 && done.proposedAt > call.proposedAt;
  const isSame = canonicalJson(done.arguments) === canonicalJson(args);
  return call.state === 'failed' && (isCorrected || isSame);
}

/** Whether somebody rejected it to have something else instead. */
function isTurnedBack({ decision }: Pick<CallRecord, 'decision'>): boolean {
  return decision?.instruction?.kind === 'override';
}

/** Whether a call of a name that no tool has meant this one: by its arguments, or by a name that is nearly the same. */
function isMeantBy(unknown: CallRecord, other: CallRecord): boolean {
  if (other.kind !== 'tool' || isUnknownTool(other)) return false;
  const { tool, proposedArguments: args } = other;
  const isAlike = suggestName(unknown.tool.name, [tool.modelName, tool.name]) !== null;
  return isAlike || canonicalJson(unknown.proposedArguments) === canonicalJson(args);
}

function isUnknownTool({ tool }: CallRecord): boolean {
  return tool.server === '';
}

function whyNot({ state }: CallRecord): string {
  return ENDS[state] ?? (state === 'in_doubt' ? 'unclear_whether_it_happened' : 'failed');
}

function describeUndone(call: CallRecord): JsonObject {
  const { tool, arguments: args, decision, outcome, verdict } = call;
  const said = decision?.feedback ?? (outcome && 'message' in outcome ? outcome.message : verdict.reason);
  return {
    tool: tool.title ?? tool.name,
    arguments: args,
    why: whyNot(call),
    ...(decision && { by: decision.actor.name }),
    ...(said && { said }),
  };
}

function listResults(calls: readonly CallRecord[]): JsonObject[] {
  let room = RESULTS_LENGTH;
  return calls.flatMap((call) => {
    const { tool, arguments: args, outcome } = call;
    if (room === 0) return [];
    const text = outcome ? resultText(outcome).slice(0, Math.min(RESULT_LENGTH, room)).toWellFormed() : '';
    room -= text.length;
    const sources = findSources(call).map((source): JsonObject => ({ ...source }));
    return { tool: tool.title ?? tool.name, arguments: args, result: text, sources };
  });
}

function resultText(outcome: Outcome): string {
  if (outcome.status !== 'succeeded') return outcome.message;
  const texts = outcome.content.flatMap((piece) => ('text' in piece && piece.text ? [piece.text] : []));
  const { structured } = outcome;
  const isNew = structured !== null && !repeatsStructured(texts, structured);
  return [...texts, ...(isNew ? [JSON.stringify(structured)] : [])].join('\n');
}

/** What a result says of where it's from; else the call that it is the result of. */
function findSources({ tool, outcome }: CallRecord): readonly OutputSource[] {
  const said = sourcedSchema.safeParse(outcome?.status === 'succeeded' ? outcome.structured : null);
  if (!said.success) return [{ source: tool.title ?? tool.name, place: tool.server }];
  return said.data.sources.map(({ source, place, section, page, url }) => {
    const where = place ?? section ?? (page === undefined ? undefined : `p. ${page}`);
    return {
      source: nameLine(source),
      ...(where !== undefined && { place: nameLine(where) }),
      ...(isWebAddress(url) && { url }),
    };
  });
}

/** A server's words on one line, so that none of them looks like a line of ours. */
function nameLine(words: string): string {
  return words.replace(/\s+/g, ' ').trim().slice(0, NAME_LENGTH).toWellFormed();
}

/** From its beginning to its last call's end, in milliseconds; what people took to decide is in it. */
function timeTaken(item: MailboxItem | null, calls: readonly CallRecord[]): number {
  const last = Math.max(0, ...calls.map(({ endedAt }) => endedAt ?? 0));
  return item === null ? 0 : Math.max(0, last - item.receivedAt);
}
