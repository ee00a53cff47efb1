import { createHash } from 'node:crypto';
import { Redis, ReplyError } from 'ioredis';
import { errorMessage, StoreError } from '../../lib/errors.ts';
import { REDIS_OUTCOME_UNKNOWN, REDIS_READ_FAILED, REDIS_UNREACHABLE, redisRefused } from '../texts.ts';

/** How long a command waits for a connection before it is given up unsent, in milliseconds. */
const CONNECTION_PATIENCE = 2_000;

/** How long a command waits for its answer, in milliseconds. */
const COMMAND_TIMEOUT = 5_000;

/** How long a connection with unanswered commands may be silent before it is replaced, in milliseconds. */
const SILENCE = 10_000;

/** The longest pause between two attempts to connect, in milliseconds. */
const LONGEST_PAUSE = 1_000;

/**
 * Sent once at most: a commit that the client sends again after a lost connection would meet its
 * own first write, and report a conflict.
 */
const SENT_ONCE = {
  autoResendUnfulfilledCommands: false,
  enableOfflineQueue: false,
  maxRetriesPerRequest: 0,
} as const;

const retryStrategy = (attempts: number): number => Math.min(attempts * 50, LONGEST_PAUSE);

/**
 * A connection for the store and the checkpoints, to be shared by them. It connects by itself, again and
 * again, with pauses of up to 1 second. `url` is `redis://` or `rediss://`. Whoever opens it closes it.
 */
export function connectRedis(url: string): Redis {
  const client = new Redis(url, {
    ...SENT_ONCE,
    commandTimeout: COMMAND_TIMEOUT,
    connectTimeout: COMMAND_TIMEOUT,
    socketTimeout: SILENCE,
    retryStrategy,
  });
  // Without a listener ioredis writes to the console; each failing command rejects anyway.
  client.on('error', () => undefined);
  // Every command that waits for the connection adds a listener; Node warns of a leak above ten.
  client.setMaxListeners(0);
  return client;
}

/**
 * A connection that subscribes to channels, and does nothing else. It connects and subscribes again by itself, as
 * {@link connectRedis} does. Whoever opens it disconnects it.
 */
export function connectSubscriber(url: string): Redis {
  const client = new Redis(url, {
    maxRetriesPerRequest: null,
    connectTimeout: COMMAND_TIMEOUT,
    socketTimeout: SILENCE,
    retryStrategy,
  });
  client.on('error', () => undefined);
  return client;
}

/** Closes the connection after its pending replies; harmless if it's closed already. */
export async function closeRedis(client: Redis): Promise<void> {
  if (client.status === 'ready') await client.quit().catch(() => undefined);
  client.disconnect();
}

/** Throws RangeError unless the client sends each command once, as those of {@link connectRedis} do. */
export function checkClient(client: Redis): void {
  const differs = Object.entries(SENT_ONCE).some(
    ([name, value]) => Object.entries(client.options).find(([option]) => option === name)?.[1] !== value,
  );
  if (differs) throw new RangeError('The Redis client must not send commands again by itself: connectRedis.');
}

/** A Lua script, and the name by which Redis knows it once it has run. */
export interface Script {
  readonly lua: string;
  readonly sha: string;
}

export function script(lua: string): Script {
  return { lua, sha: createHash('sha1').update(lua).digest('hex') };
}

export type ScriptArgument = string | number | Buffer;

/** What a script is called with: all keys that it names, then its arguments. */
export interface ScriptCall {
  readonly keys: readonly string[];
  readonly args: readonly ScriptArgument[];
}

/** Runs a script in one round trip, two when the server does not know it yet. The answer's strings are text. */
export function runScript(client: Redis, { lua, sha }: Script, { keys, args }: ScriptCall): Promise<unknown> {
  return withScriptFallback(
    () => client.call('EVALSHA', [sha, keys.length, ...keys, ...args]),
    () => client.call('EVAL', [lua, keys.length, ...keys, ...args]),
  );
}

/** As {@link runScript}; the answer's strings are Buffers. */
export function runScriptForBytes(
  client: Redis,
  { lua, sha }: Script,
  { keys, args }: ScriptCall,
): Promise<unknown> {
  return withScriptFallback(
    () => client.callBuffer('EVALSHA', [sha, keys.length, ...keys, ...args]),
    () => client.callBuffer('EVAL', [lua, keys.length, ...keys, ...args]),
  );
}

/** A server that restarted, or was replaced, has lost its scripts. */
async function withScriptFallback(
  byName: () => Promise<unknown>,
  whole: () => Promise<unknown>,
): Promise<unknown> {
  try {
    return await byName();
  } catch (error) {
    if (refusalCode(error) !== 'NOSCRIPT') throw error;
    return whole();
  }
}

/** The code with which the server refused a command, or null when it did not answer. */
export function refusalCode(error: unknown): string | null {
  return error instanceof ReplyError ? (errorMessage(error).split(' ')[0] ?? '') : null;
}

/** Sends a read. Waits up to 2 seconds for a connection; every failure is a StoreError. */
export function sendRead<T>(client: Redis, send: () => Promise<T>): Promise<T> {
  return sendCommand(client, send, (cause) => new StoreError(REDIS_READ_FAILED, cause));
}

/**
 * Sends a write, like {@link sendRead}. If it was sent and no reply comes, the StoreError says that the
 * outcome is unknown.
 */
export function sendWrite<T>(client: Redis, send: () => Promise<T>): Promise<T> {
  return sendCommand(
    client,
    send,
    (cause) => new StoreError(REDIS_OUTCOME_UNKNOWN, cause, { outcomeUnknown: true }),
  );
}

async function sendCommand<T>(
  client: Redis,
  send: () => Promise<T>,
  unanswered: (cause: unknown) => StoreError,
) {
  await waitUntilReady(client);
  try {
    return await send();
  } catch (error) {
    const refusal = refusalCode(error);
    if (refusal === null) throw unanswered(error);
    throw new StoreError(redisRefused(refusal), error);
  }
}

/** Resolves when the client can send; rejects with StoreError after 2 seconds, or at once when it is closed. */
async function waitUntilReady(client: Redis): Promise<void> {
  if (isReady(client)) return;
  let cause: unknown;
  const note = (error: unknown): void => {
    cause = error;
  };
  const settled = Promise.withResolvers<void>();
  const settle = (): void => settled.resolve();
  const timer = setTimeout(settle, CONNECTION_PATIENCE);
  client.on('error', note).once('ready', settle).once('end', settle);
  if (client.status !== 'end') await settled.promise;
  clearTimeout(timer);
  client.off('error', note).off('ready', settle).off('end', settle);
  // The connection may be lost again between the event and this line.
  if (!isReady(client)) {
    throw new StoreError(REDIS_UNREACHABLE, cause);
  }
}

/** The client learns late that the server has closed a connection. */
function isReady({ status, stream }: Redis): boolean {
  return status === 'ready' && stream.writable;
}
