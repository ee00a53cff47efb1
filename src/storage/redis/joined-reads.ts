import { type Redis, ReplyError } from 'ioredis';
import { StoreError } from '../../lib/errors.ts';
import { REDIS_FOREIGN, redisRefused } from '../texts.ts';
import { refusalCode, runScriptForBytes, type ScriptArgument, sendRead } from './client.ts';
import { READ } from './scripts.ts';

/** One read, as the script takes it: its keys, and the arguments behind them. */
interface Read {
  readonly kind: 'records' | 'page' | 'count';
  readonly keys: readonly string[];
  readonly args: readonly ScriptArgument[];
}

interface Asked {
  readonly read: Read;
  readonly answer: PromiseWithResolvers<unknown>;
}

/** The most reads in one command: Redis answers nobody else meanwhile. */
const MOST_TOGETHER = 32;

/**
 * Sends reads that are asked for in the same turn of the event loop as one command: most of what a command costs, on
 * both ends, doesn't depend on how much it asks for. They are answered as of one moment, in the order in which they were
 * asked for.
 */
export class JoinedReads {
  readonly #client: Redis;
  #asked: Asked[] = [];

  constructor(client: Redis) {
    this.#client = client;
  }

  /** What the script answers to one read, its strings as Buffers. Rejects with StoreError. */
  ask(read: Read): Promise<unknown> {
    const answer = Promise.withResolvers<unknown>();
    if (this.#asked.push({ read, answer }) === 1) setImmediate(() => this.#sendAll());
    return answer.promise;
  }

  #sendAll(): void {
    const asked = this.#asked;
    this.#asked = [];
    for (let first = 0; first < asked.length; first += MOST_TOGETHER) {
      void this.#send(asked.slice(first, first + MOST_TOGETHER));
    }
  }

  async #send(asked: readonly Asked[]): Promise<void> {
    try {
      const answers = await sendRead(this.#client, () =>
        runScriptForBytes(this.#client, READ, toCall(asked)),
      );
      if (!Array.isArray(answers) || answers.length !== asked.length) throw new StoreError(REDIS_FOREIGN);
      for (const [place, { answer }] of asked.entries()) settle(answer, answers[place]);
    } catch (error) {
      for (const { answer } of asked) answer.reject(error);
    }
  }
}

/** What is stored under one key, by somebody else, must not fail the reads of others. */
function settle({ resolve, reject }: PromiseWithResolvers<unknown>, answer: unknown): void {
  if (answer instanceof ReplyError) reject(new StoreError(redisRefused(refusalCode(answer) ?? ''), answer));
  else resolve(answer);
}

function toCall(asked: readonly Asked[]) {
  const keys = [...new Set(asked.flatMap(({ read }) => read.keys))];
  const places = new Map(keys.map((key, place) => [key, place + 1]));
  const args: ScriptArgument[] = [asked.length];
  for (const { read } of asked) {
    args.push(read.kind, ...read.keys.map((key) => places.get(key) ?? 0), ...read.args);
  }
  return { keys, args };
}
