import type { Message, Part, Task } from '@a2a-js/sdk';
import type { Client } from '@a2a-js/sdk/client';
import { z } from 'zod';
import { backoff, waitFor } from '../../lib/backoff.ts';
import { AppError, errorCauses } from '../../lib/errors.ts';
import { createGuardedFetch } from '../../lib/net/guarded-fetch.ts';
import { wasNeverConnected } from '../../lib/net/network-errors.ts';
import type { SendEnded } from '../ports.ts';
import { toAgentOutput, toParts, toPlainText } from './a2a-parts.ts';
import { type ForeignAgent, type Give, MOST_BYTES } from './foreign-agent.ts';
import { failed, inDoubt, NotAskedError, type Results } from './results.ts';
import { FOREIGN_AGENT } from './texts.ts';

/** How long to wait before a task is looked at again. */
const LOOK_AGAIN = { firstMs: 500, longestMs: 5_000, factor: 1.5 };
/** How often in a row a task that it has taken may not be seen, before it's given up. */
const MOST_MISSES = 5;
/** How long an agent may take to cancel its task, in milliseconds. */
const CANCEL_WITHIN_MS = 5_000;
/** Agents of the last revision are spoken to as well. */
const BOTH_REVISIONS = { legacyCompat: { enabled: true } };

/**
 * The codes with which an agent says that it has done nothing: the request is wrong (JSON-RPC 2.0, 5.1), or it doesn't do
 * such a thing (A2A 1.0, 5.4). Others may come after it has begun.
 */
const REFUSALS: ReadonlySet<number> = new Set([
  -32700, -32600, -32601, -32602, -32003, -32004, -32005, -32007, -32008, -32009,
]);

const loadSdk = () => import('./a2a-sdk.ts');
type Sdk = Awaited<ReturnType<typeof loadSdk>>;

/** An agent that was reached by its card. */
interface Reached {
  readonly sdk: Sdk;
  readonly client: Client;
  /** Its own name, and where it takes tasks. */
  readonly card: { readonly name: string; readonly takesJson: boolean };
  /** The status of its last answer; null where none came. */
  readonly lastStatus: () => number | null;
}

/**
 * Gives an agent its task by A2A, and waits for what becomes of it. Where the task is given up, the agent is asked to cancel
 * it. A question back is a failure: nobody is there to answer it.
 */
export function giveByA2a(agent: ForeignAgent, results: Results): Give {
  return (giving) => giveTask(agent, results, giving);
}

async function giveTask(
  agent: ForeignAgent,
  results: Results,
  { task, messageId, signal }: Parameters<Give>[0],
): Promise<SendEnded> {
  const { name } = agent;
  const reached = await reachAgent(agent, results, signal);
  const { sdk, client, lastStatus } = reached;
  let answer: Message | Task;
  try {
    const message = toMessage(sdk, messageId, toParts(task, reached.card));
    const configuration = {
      acceptedOutputModes: ['application/json', 'text/plain'],
      taskPushNotificationConfig: undefined,
      historyLength: 1,
      returnImmediately: true,
    };
    answer = await client.sendMessage(
      { tenant: '', message, configuration, metadata: undefined },
      { signal },
    );
  } catch (error) {
    return readError(error, { name, status: lastStatus(), results, signal });
  }
  if (!('status' in answer)) return toEnd(answer.parts, name, results);
  try {
    return await readTask(await waitForTask(reached, answer, signal), { ...reached, name, results });
  } catch (error) {
    const isCancelled = await cancelTask(reached, answer.id);
    if (isCancelled) return failed(FOREIGN_AGENT.cancelled(name));
    if (signal.aborted) throw error;
    // It has its task, whatever became of the way to it.
    return inDoubt(FOREIGN_AGENT.taskLost(name));
  }
}

/** What an agent says of itself. @throws NotAskedError where its card can't be read, or leads elsewhere. */
export async function readCard(agent: ForeignAgent, signal: AbortSignal): Promise<Reached['card']> {
  return (await reachAgent(agent, null, signal)).card;
}

async function reachAgent(
  agent: ForeignAgent,
  results: Results | null,
  signal: AbortSignal,
): Promise<Reached> {
  const { fetchImpl, lastStatus } = createAgentFetch(agent, results, signal);
  const sdk = await loadSdk();
  try {
    const resolver = new sdk.DefaultAgentCardResolver({ fetchImpl, ...BOTH_REVISIONS });
    const card = cardSchema.parse(await resolver.resolve(toCardUrl(agent.url, sdk), ''));
    const { origin } = new URL(agent.url);
    const own = card.supportedInterfaces.filter(({ url }) => isWithin(url, origin));
    if (own.length === 0) throw new NotAskedError(FOREIGN_AGENT.elsewhere(origin));
    const options = { fetchImpl, ...BOTH_REVISIONS };
    const transports = [new sdk.JsonRpcTransportFactory(options), new sdk.RestTransportFactory(options)];
    const readable = sdk.AgentCard.fromJSON({ ...card, supportedInterfaces: own });
    const client = await new sdk.ClientFactory({ transports }).createFromAgentCard(readable);
    const takesJson = card.defaultInputModes.some((mode) => /^application\/(?:json|\*)|^\*\//.test(mode));
    return { sdk, client, card: { name: card.name, takesJson }, lastStatus };
  } catch (error) {
    // Nothing was sent by then, whatever went wrong.
    const own = errorCauses(error).find((cause) => cause instanceof AppError);
    if (own instanceof AppError) throw new NotAskedError(own.userMessage, error);
    if (lastStatus() === null && wasNeverConnected(error)) throw error;
    throw new NotAskedError(FOREIGN_AGENT.noCard(lastStatus()), error);
  }
}

/** What is needed of a card; others of its members are nobody's here. */
const cardSchema = z.object({
  name: z.string().default(''),
  defaultInputModes: z.array(z.string()).default([]),
  supportedInterfaces: z.array(
    z.object({
      url: z.string(),
      protocolBinding: z.string(),
      protocolVersion: z.string().default('1.0'),
      tenant: z.string().default(''),
    }),
  ),
});

/** Where its card is: the address itself where that is a file's, else in its usual place under it (RFC 8615). */
function toCardUrl(url: string, { AGENT_CARD_PATH }: Sdk): string {
  const at = new URL(url);
  if (at.pathname.endsWith('.json')) return at.href;
  at.pathname = `${at.pathname.replace(/\/$/, '')}/${AGENT_CARD_PATH}`;
  return at.href;
}

function isWithin(url: string, origin: string): boolean {
  return URL.canParse(url) && new URL(url).origin === origin;
}

/** Guarded as for every agent; its headers go to its own origin alone, wherever its card leads. */
function createAgentFetch(
  { url, headers, reach }: ForeignAgent,
  results: Results | null,
  until: AbortSignal,
) {
  const guarded = createGuardedFetch({ reach, maxBytes: MOST_BYTES, isWhole: true });
  const { origin } = new URL(url);
  let status: number | null = null;
  const fetchImpl = async (target: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
    status = null;
    const to = target instanceof Request ? target.url : target;
    if (!isWithin(String(to), origin)) throw new NotAskedError(FOREIGN_AGENT.elsewhere(origin));
    const all = new Headers(init.headers);
    for (const [name, value] of Object.entries(headers)) all.set(name, value);
    const response = await guarded(to, { ...init, headers: all, signal: init.signal ?? until });
    results?.note(response);
    ({ status } = response);
    return response;
  };
  return { fetchImpl, lastStatus: () => status };
}

async function waitForTask({ sdk, client }: Reached, given: Task, signal: AbortSignal): Promise<Task> {
  const { TASK_STATE_SUBMITTED, TASK_STATE_WORKING } = sdk.TaskState;
  const underWay = [TASK_STATE_SUBMITTED, TASK_STATE_WORKING];
  let task = given;
  let misses = 0;
  for (let look = 1; task.status && underWay.includes(task.status.state); look++) {
    await waitFor(backoff(look, LOOK_AGAIN), signal);
    signal.throwIfAborted();
    try {
      task = await client.getTask({ tenant: '', id: given.id, historyLength: 1 }, { signal });
      misses = 0;
    } catch (error) {
      misses += 1;
      if (signal.aborted || isOwn(error) || misses >= MOST_MISSES) throw error;
    }
  }
  return task;
}

async function readTask(
  { id, status, artifacts, history }: Task,
  { name, results, ...reached }: Reached & { readonly name: string; readonly results: Results },
): Promise<SendEnded> {
  const { TaskState, Role } = reached.sdk;
  const said = status?.message?.parts ?? [];
  const state = status?.state ?? TaskState.TASK_STATE_UNSPECIFIED;
  if (state === TaskState.TASK_STATE_COMPLETED) {
    const last = history.findLast(({ role }) => role === Role.ROLE_AGENT)?.parts ?? [];
    const brought = artifacts.flatMap(({ parts }) => parts);
    return toEnd([brought, said, last].find((parts) => parts.length > 0) ?? [], name, results);
  }
  const words = results.toWords(toPlainText(said));
  if (state === TaskState.TASK_STATE_INPUT_REQUIRED || state === TaskState.TASK_STATE_AUTH_REQUIRED) {
    // It waits for somebody whom it doesn't reach by us, and would for ever.
    await cancelTask(reached, id);
    return failed(FOREIGN_AGENT.asks(name, words));
  }
  if (state === TaskState.TASK_STATE_FAILED) return failed(FOREIGN_AGENT.failed(name, words));
  if (state === TaskState.TASK_STATE_REJECTED) return failed(FOREIGN_AGENT.rejected(name, words));
  if (state === TaskState.TASK_STATE_CANCELED) return failed(FOREIGN_AGENT.gaveUp(name, words));
  return inDoubt(FOREIGN_AGENT.noState(name));
}

function toEnd(parts: readonly Part[], name: string, results: Results): SendEnded {
  const output = toAgentOutput(parts);
  return output === null ? failed(FOREIGN_AGENT.empty(name)) : results.toResult(output);
}

/** Whether it says that it has cancelled it. */
async function cancelTask({ sdk, client }: Pick<Reached, 'sdk' | 'client'>, id: string): Promise<boolean> {
  const signal = AbortSignal.timeout(CANCEL_WITHIN_MS);
  try {
    const { status } = await client.cancelTask({ tenant: '', id, metadata: undefined }, { signal });
    return status?.state === sdk.TaskState.TASK_STATE_CANCELED;
  } catch {
    return false;
  }
}

/** What is in an error of the client; a status, where it was HTTP's, is in none of its fields. */
const errorSchema = z.object({ envelopeCode: z.number(), message: z.string() });

function readError(
  error: unknown,
  {
    name,
    status,
    results,
    signal,
  }: {
    readonly name: string;
    readonly status: number | null;
    readonly results: Results;
    readonly signal: AbortSignal;
  },
): SendEnded {
  if (signal.aborted || status === null || isOwn(error)) throw error;
  const said = errorSchema.safeParse(error).data;
  if (said && REFUSALS.has(said.envelopeCode)) {
    return failed(FOREIGN_AGENT.declined(name, results.toWords(said.message)));
  }
  if (status >= 400) return results.refusal(status);
  return inDoubt(said ? FOREIGN_AGENT.erred(name) : FOREIGN_AGENT.notA2a(name));
}

function isOwn(error: unknown): boolean {
  return errorCauses(error).some((cause) => cause instanceof AppError);
}

function toMessage({ Role }: Sdk, messageId: string, parts: Part[]): Message {
  return {
    messageId,
    parts,
    role: Role.ROLE_USER,
    ...{ contextId: '', taskId: '', metadata: undefined, extensions: [], referenceTaskIds: [] },
  };
}
