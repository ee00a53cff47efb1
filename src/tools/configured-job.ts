import type { Outcome } from '../gate/types.ts';
import { isJsonObject, type Json, type JsonObject } from '../lib/json.ts';
import {
  type FollowedJob,
  type FoundState,
  GOES_ON,
  notCancelled,
  notTold,
  REFUSED,
} from './followed-job.ts';
import { JOB_ENDS, type JobEnd, type JobRules, LONGEST_JOB_MESSAGE, type SendResult } from './ports.ts';
import { JOB } from './texts.ts';

/** The longest id that is taken for one, in characters. */
const LONGEST_ID = 500;

/** The id of the job that a call has started, as text, and whether it's a number; null if its result names none. */
export function findJobId(
  outcome: Outcome,
  rules: JobRules,
): { readonly id: string; readonly isNumber: boolean } | null {
  if (outcome.status !== 'succeeded') return null;
  const answer = readAnswer(outcome);
  const id = answer && readPath(answer, rules.id);
  if (typeof id === 'number') return { id: String(id), isNumber: true };
  return typeof id === 'string' && id !== '' && id.length <= LONGEST_ID ? { id, isNumber: false } : null;
}

/** A job that tools of its server tell of, as the configuration says. */
export function configuredJob(
  jobId: string | number,
  rules: JobRules,
  ask: (tool: string, args: JsonObject) => Promise<SendResult>,
): FollowedJob {
  const about = (tool: string) => ask(tool, { [rules.argument]: jobId });
  return {
    state: async () => readState(await about(rules.status), rules),
    async cancel() {
      if (rules.cancel === null) return { kind: 'impossible' };
      const answer = await about(rules.cancel);
      const isTold = answer.kind === 'ended' && answer.outcome.status === 'succeeded';
      return isTold ? { kind: 'told', found: null } : notCancelled(answer);
    },
    everyMs: rules.everyMs,
    atMostMs: rules.atMostMs,
  };
}

function readState(result: SendResult, rules: JobRules): FoundState {
  if (result.kind !== 'ended' || result.outcome.status !== 'succeeded') return notTold(result);
  const { outcome } = result;
  const answer = readAnswer(outcome);
  const state = answer && readPath(answer, rules.state);
  if (!answer || typeof state !== 'string') return REFUSED;
  const number = (path: string | null) => {
    const value = path === null ? null : readPath(answer, path);
    return typeof value === 'number' && Number.isFinite(value) ? value : null;
  };
  const words = rules.message === null ? null : readPath(answer, rules.message);
  const message = typeof words === 'string' && words !== '' ? words.slice(0, LONGEST_JOB_MESSAGE) : null;
  const progress = number(rules.progress);
  const end = findEnd(state.toLowerCase(), rules);
  return {
    ...GOES_ON,
    end: end && toOutcome(end, message, outcome),
    progress:
      progress === null && message === null
        ? null
        : {
            progress: progress ?? 0,
            total: number(rules.total),
            message,
            ...(outcome.ownAccount && { isOwn: true }),
          },
  };
}

function findEnd(state: string, { ends }: JobRules): JobEnd | null {
  return JOB_ENDS.find((end) => ends[end].has(state)) ?? null;
}

/** The outcome of a job that has ended; what the server answered last is its result. */
function toOutcome(end: JobEnd, message: string | null, answer: Succeeded): Outcome {
  if (end === 'succeeded') return answer;
  const { content, ownAccount } = answer;
  const failure = { status: 'failed', message: JOB[end](message), content, ownAccount } as const;
  return end === 'failed' ? failure : { ...failure, jobEnd: end };
}

type Succeeded = Extract<Outcome, { readonly status: 'succeeded' }>;

/** A result as JSON: its structured content, or else the first text that is an object; null if there is none. */
function readAnswer({ structured, content }: Succeeded): JsonObject | null {
  if (structured !== null) return structured;
  for (const piece of content) {
    const read = piece.type === 'text' ? readObject(piece.text) : null;
    if (read !== null) return read;
  }
  return null;
}

/** The object that a text is as JSON; null for any other text. */
function readObject(text: string): JsonObject | null {
  try {
    const read: unknown = JSON.parse(text);
    return isJsonObject(read) ? read : null;
  } catch {
    return null;
  }
}

function readPath(answer: JsonObject, path: string): Json | undefined {
  let value: Json | undefined = answer;
  for (const name of path.split('.')) {
    value = isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
  }
  return value;
}
