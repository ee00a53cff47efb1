import type { Outcome } from '../../gate/types.ts';
import { AppError, errorCauses } from '../../lib/errors.ts';
import { isJsonObject, isTooDeep, type JsonObject } from '../../lib/json.ts';
import { createGuardedFetch, type Reach } from '../../lib/net/guarded-fetch.ts';
import { wasNeverConnected } from '../../lib/net/network-errors.ts';
import { createRetryAfter } from '../../lib/net/retry-after.ts';
import { createMask, isTooPlain, maskDeep, type Secret } from '../../lib/secret-mask.ts';
import type { CallOptions, SendEnded } from '../ports.ts';
import { fitAnswer } from './fit-answer.ts';
import { FOREIGN_AGENT } from './texts.ts';

/** An agent that is another program, reached by HTTP. */
export interface ForeignAgent {
  readonly name: string;
  readonly description: string;
  readonly url: string;
  /** Sent with every task. */
  readonly headers: Readonly<Record<string, string>>;
  readonly reach: Reach;
  /** How long it may take to answer, in milliseconds; null: as long as it takes. */
  readonly timeoutMs: number | null;
  /** What is wrong with an answer's form; null where nothing is. */
  readonly findProblem: (answer: JsonObject) => string | null;
}

/** The largest answer, in bytes: some 300 pages. */
const MOST_BYTES = 1_000_000;
/** The longest that all waits between attempts may take, in milliseconds. */
const RETRY_WITHIN_MS = 60_000;
/** Its answer comes from a proxy that doesn't reach it, or it starts just now. */
const PASSING_STATUS: readonly number[] = [502, 503];

/**
 * Gives an agent that is another program one task by HTTP, once. It gets the task and the headers of its own block, and
 * nothing else of ours. What it answers is data, whatever it says.
 */
export function createAskAgent(
  agent: ForeignAgent,
  secrets: readonly Secret[],
): (task: JsonObject, options: Pick<CallOptions, 'confirm' | 'signal'>) => Promise<SendEnded> {
  const { name, url, timeoutMs, reach } = agent;
  const guarded = createGuardedFetch({ reach, maxBytes: MOST_BYTES });
  const retryAfter = createRetryAfter();
  const mask = createMask([...secrets, ...listHeaders(agent.headers)]);

  return async (task, { confirm, signal }) => {
    await confirm?.();
    if (signal.aborted) return failed(FOREIGN_AGENT.stoppedBefore(name));
    const limit = timeoutMs === null ? null : AbortSignal.timeout(timeoutMs);
    try {
      const response = await guarded(url, {
        method: 'POST',
        headers: { ...agent.headers, 'content-type': 'application/json', accept: 'application/json' },
        body: JSON.stringify(toAgentInput(name, task)),
        signal: limit ? AbortSignal.any([signal, limit]) : signal,
      });
      retryAfter.note(response);
      if (!response.ok) {
        await response.body?.cancel();
        return refusal(response);
      }
      return toResult(await response.text());
    } catch (error) {
      if (limit?.aborted) return inDoubt(FOREIGN_AGENT.silent(name, timeoutMs ?? 0));
      if (signal.aborted) return inDoubt(FOREIGN_AGENT.stopped(name));
      return toFailure(error);
    }
  };

  function refusal({ status }: Response): SendEnded {
    const isOver = status >= 500 || status === 408;
    const hint = { afterMs: retryAfter.fromNow(), withinMs: RETRY_WITHIN_MS };
    if (isOver) {
      const unclear = inDoubt(FOREIGN_AGENT.status(name, status));
      return PASSING_STATUS.includes(status) ? { ...unclear, retry: hint } : unclear;
    }
    const refused = failed(FOREIGN_AGENT.refused(name, status));
    return status === 429 ? { ...refused, retry: hint } : refused;
  }

  function toResult(text: string): SendEnded {
    const answer = parseJson(text);
    if (!isJsonObject(answer) || isTooDeep(answer)) return failed(FOREIGN_AGENT.notJson(name));
    maskDeep(answer, mask);
    const problem = agent.findProblem(answer);
    if (problem !== null) return failed(FOREIGN_AGENT.misshapen(name, problem));
    const fitted = fitAnswer(answer);
    if (fitted === null) return failed(FOREIGN_AGENT.tooLong(name));
    const outcome: Outcome = { status: 'succeeded', content: [], structured: fitted };
    return { kind: 'ended', outcome, retry: null };
  }

  function toFailure(error: unknown): SendEnded {
    const own = errorCauses(error).find((cause) => cause instanceof AppError);
    if (own instanceof AppError) {
      const isUnsent = own.code === 'address_refused' || own.code === 'redirect_refused';
      return isUnsent ? failed(FOREIGN_AGENT.notSent(name, own.userMessage)) : inDoubt(own.userMessage);
    }
    const hint = { afterMs: null, withinMs: RETRY_WITHIN_MS };
    return wasNeverConnected(error)
      ? { ...failed(FOREIGN_AGENT.down(name)), retry: hint }
      : { ...inDoubt(FOREIGN_AGENT.lost(name)), retry: hint };
  }
}

function inDoubt(what: string): SendEnded {
  const message = FOREIGN_AGENT.unclear(what);
  return { kind: 'ended', outcome: { status: 'in_doubt', message }, retry: null };
}

function failed(message: string): SendEnded {
  return { kind: 'ended', outcome: { status: 'failed', message, content: [] }, retry: null };
}

/** The task as an AgentInput. The parts that are of this program, its people and its tools are empty. */
function toAgentInput(name: string, task: JsonObject): JsonObject {
  return {
    agent_id: name,
    entities: {},
    dependency_outputs: {},
    ...task,
    agent_name: name,
    tools: [],
    conversation_history: [],
    long_term_memory: {},
    retry_config: { max_retries: 0 },
    metadata: {},
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** The values of headers, without the scheme in front of a key: an agent may give them back in any field. */
function listHeaders(headers: ForeignAgent['headers']): readonly Secret[] {
  return Object.entries(headers)
    .map(([name, value]) => ({ name, value: value.replace(/^(?:Bearer|Basic|Token)\s+/i, '') }))
    .filter(({ value }) => !isTooPlain(value));
}
