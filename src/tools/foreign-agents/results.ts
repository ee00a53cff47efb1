import type { Outcome } from '../../gate/types.ts';
import { AppError, errorCauses } from '../../lib/errors.ts';
import { isJsonObject, isTooDeep, type JsonObject } from '../../lib/json.ts';
import { wasNeverConnected } from '../../lib/net/network-errors.ts';
import { createRetryAfter } from '../../lib/net/retry-after.ts';
import { createMask, isTooPlain, maskDeep, type Secret } from '../../lib/secret-mask.ts';
import type { SendEnded } from '../ports.ts';
import { fitAnswer } from './fit-answer.ts';
import { FOREIGN_AGENT } from './texts.ts';

interface Asked {
  readonly name: string;
  /** Sent with every task. */
  readonly headers: Readonly<Record<string, string>>;
  /** What is wrong with an answer's form; null where nothing is. */
  readonly findProblem: (answer: JsonObject) => string | null;
}

/** The longest that all waits between attempts may take, in milliseconds. */
const RETRY_WITHIN_MS = 60_000;
/** Its answer comes from a proxy that doesn't reach it, or it starts just now. */
const PASSING_STATUS: readonly number[] = [502, 503];
/** The longest words of an agent about why it didn't do its task, in characters. */
const LONGEST_WORDS = 500;
/** With these, nothing was sent. */
const UNSENT: readonly string[] = ['address_refused', 'redirect_refused', 'agent_not_asked'];

/** What stopped an agent from being given its task. */
export class NotAskedError extends AppError {
  constructor(why: string, cause?: unknown) {
    super({ code: 'agent_not_asked', userMessage: why, cause });
  }
}

/** What came of giving an agent its task, as the results of a call. Our keys and its headers are masked in its words. */
export type Results = ReturnType<typeof createResults>;

export function createResults({ name, headers, findProblem }: Asked, secrets: readonly Secret[]) {
  const retryAfter = createRetryAfter();
  const mask = createMask([...secrets, ...listHeaders(headers)]);

  return {
    /** Reads `Retry-After`, for {@link refusal}. */
    note: retryAfter.note,

    /** It answered with a status that isn't one of success. */
    refusal(status: number): SendEnded {
      const isOver = status >= 500 || status === 408;
      const hint = { afterMs: retryAfter.fromNow(), withinMs: RETRY_WITHIN_MS };
      if (isOver) {
        const unclear = inDoubt(FOREIGN_AGENT.status(name, status));
        return PASSING_STATUS.includes(status) ? { ...unclear, retry: hint } : unclear;
      }
      const refused = failed(FOREIGN_AGENT.refused(name, status));
      return status === 429 ? { ...refused, retry: hint } : refused;
    },

    /** It answered with this, which should be an AgentOutput. */
    toResult(answer: unknown): SendEnded {
      if (!isJsonObject(answer) || isTooDeep(answer)) return failed(FOREIGN_AGENT.notJson(name));
      maskDeep(answer, mask);
      const problem = findProblem(answer);
      if (problem !== null) return failed(FOREIGN_AGENT.misshapen(name, problem));
      const fitted = fitAnswer(answer);
      if (fitted === null) return failed(FOREIGN_AGENT.tooLong(name));
      const outcome: Outcome = { status: 'succeeded', content: [], structured: fitted };
      return { kind: 'ended', outcome, retry: null };
    },

    /** It didn't answer. */
    toFailure(error: unknown): SendEnded {
      const own = errorCauses(error).find((cause) => cause instanceof AppError);
      if (own instanceof AppError) {
        if (own.code === 'redirect_after') return inDoubt(FOREIGN_AGENT.redirected(name));
        const isUnsent = UNSENT.includes(own.code);
        return isUnsent ? failed(FOREIGN_AGENT.notSent(name, own.userMessage)) : inDoubt(own.userMessage);
      }
      const hint = { afterMs: null, withinMs: RETRY_WITHIN_MS };
      return wasNeverConnected(error)
        ? { ...failed(FOREIGN_AGENT.down(name)), retry: hint }
        : { ...inDoubt(FOREIGN_AGENT.lost(name)), retry: hint };
    },

    /** Its own words about why it didn't do it, on one line; null where it says nothing. */
    toWords(said: string): string | null {
      const words = mask(said).replaceAll(/\s+/g, ' ').trim();
      return words === '' ? null : words.slice(0, LONGEST_WORDS).toWellFormed();
    },
  };
}

/** It isn't known what it did. `what`: the first half of a sentence. */
export function inDoubt(what: string): SendEnded {
  const message = FOREIGN_AGENT.unclear(what);
  return { kind: 'ended', outcome: { status: 'in_doubt', message }, retry: null };
}

export function failed(message: string): SendEnded {
  return { kind: 'ended', outcome: { status: 'failed', message, content: [] }, retry: null };
}

/** The values of headers and their parts, such as a key after its scheme: an agent may give them back in any field. */
function listHeaders(headers: Asked['headers']): readonly Secret[] {
  return Object.entries(headers).flatMap(([name, value]) =>
    [value, ...listParts(value)].filter((part) => !isTooPlain(part)).map((part) => ({ name, value: part })),
  );
}

/** What is between blanks, commas and semicolons, also without the name that it's given to; and the password of Basic. */
function listParts(value: string): readonly string[] {
  const parts = value
    .split(/[\s;,]+/)
    .flatMap((part) => [part, part.slice(part.indexOf('=') + 1).replaceAll('"', '')]);
  const basic = /^Basic\s+(\S+)$/i.exec(value)?.[1];
  const pair = basic === undefined ? '' : Buffer.from(basic, 'base64').toString();
  return [...parts, pair, pair.slice(pair.indexOf(':') + 1)];
}
