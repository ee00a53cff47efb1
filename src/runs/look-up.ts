import { setTimeout as delay } from 'node:timers/promises';
import type { Gate } from '../gate/index.ts';
import {
  type CallRecord,
  LOOK_UPS,
  laterLookUpIds,
  lookUpArguments,
  lookUpId,
  type ProposedCall,
  recordKey,
  retriedId,
  type ToolSnapshot,
} from '../gate/types.ts';
import { FencedError } from '../lib/errors.ts';
import { UNTRACED } from '../lib/telemetry/tracing.ts';
import { unlessAborted } from '../lib/timeout.ts';
import type { CallTool } from '../tools/ports.ts';
import type { Facts } from './next-step.ts';
import type { RunContext } from './ports.ts';
import { createRunContext } from './run/run-context.ts';
import { tracedMessage } from './run/run-trace.ts';
import type { Hold, LookUp, StepRunnerPorts } from './step-ports.ts';
import { notAsked } from './texts.ts';
import { findRunning } from './thread-state.ts';

interface LookUpPorts {
  readonly evaluate: Gate['policy']['evaluate'];
  /** The tools that this person's runs may use, once the servers that are needed have been tried. */
  readonly offer: (
    person: RunContext['requester'],
    isNeeded: (server: string) => boolean,
  ) => Promise<{ readonly tools: readonly ToolSnapshot[] }>;
  /** Whether the server isn't connected and is being tried, as right after a restart. */
  readonly isComing: (server: string) => boolean;
  readonly callTool: CallTool;
  /**
   * Longest time that a card waits for what is read about its calls, in milliseconds, once there are tools to read it with.
   * @default 5 seconds
   */
  readonly withinMs?: number;
  /**
   * Longest time that a card waits for the servers of these tools, in milliseconds. Until they're there, what waits on the card
   * couldn't be done either.
   * @default 30 seconds, which a server has to start
   */
  readonly upWithinMs?: number;
}

/** See {@link LookUpPorts.upWithinMs}. */
const UP_WITHIN_MS = 30_000;
/** Pause between two looks at a server that is coming, in milliseconds. */
const LOOK_AGAIN_MS = 250;
/** How long after people were asked what couldn't be looked up before is tried again at the soonest, in milliseconds. */
const AGAIN_AFTER_MS = 30_000;
/** How long a look-up once more waits for a server that is coming, in milliseconds: what people decide waits with it. */
const UP_AGAIN_WITHIN_MS = 2_000;
/** How long after its call was proposed a look-up that failed is tried again, in milliseconds; then twice as long, and so on. */
const FAILED_AGAIN_MS = 60_000;

interface Read {
  readonly callId: string;
  readonly tool: ToolSnapshot;
  readonly arguments: ProposedCall['arguments'];
}

/**
 * Reads what calls are about (`look_up` of a card's template) before people are asked. Each is a call of its own, on
 * record, in the requester's name; only what the policy allows is read, and nobody is asked for anything. Asked again,
 * after a crash, the recorded result stands. Where nothing can be read, the card does without; where the template requires it, a call
 * of which its tool says that there is nothing is refused, as nobody should approve what can't be done.
 */
export function createLookUp(ports: LookUpPorts): LookUp {
  const { evaluate, callTool, withinMs = 5_000 } = ports;
  return async (calls, context, { idOf, upWithinMs = ports.upWithinMs ?? UP_WITHIN_MS } = {}) => {
    const servers = new Set(
      calls.flatMap(({ tool }) => LOOK_UPS.flatMap((kind) => tool?.card?.[kind]?.server ?? [])),
    );
    if (servers.size === 0) return calls;
    const tools = await listReaders({ ...ports, upWithinMs }, servers, context);
    const signal = AbortSignal.any([context.signal, AbortSignal.timeout(withinMs)]);
    const reads = calls.flatMap((call) => toReads(call, tools, idOf));
    const allowed = reads.filter(({ tool: { server, name, isNew }, arguments: args }) => {
      return evaluate({ server, tool: name, arguments: args, isNew }).action === 'allow';
    });
    const read = async ({ tool, ...call }: Read) => {
      const proposed = { ...call, kind: 'tool', tool, modelName: tool.modelName } as const;
      const asked = { ...context, call: proposed, signal, isUnattended: true, onProgress: () => undefined };
      return callTool(asked);
    };
    const settled = await context.whileWaiting(() => Promise.allSettled(allowed.map(read)));
    const isFenced = settled.some((one) => one.status === 'rejected' && one.reason instanceof FencedError);
    if (isFenced) throw new FencedError();
    const answered = settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    return calls.map((call) => {
      const found = answered.find(({ callId }) => callId === (idOf ?? lookUpId)(call.callId));
      const refusal = call.tool?.card?.lookUp?.isRequired && found ? readRefusal(found) : null;
      return refusal === null ? call : { ...call, unavailableReason: notAsked(refusal) };
    });
  };
}

/**
 * Looks up what waiting calls are about where that couldn't be done before people were asked, as while its server was away: with no
 * record of it as often as the thread is looked at, and after failures ever later. Whether anything is known now, which the surface is told.
 */
export async function lookUpMissed(
  ports: StepRunnerPorts,
  hold: Hold,
  { request, calls, items }: Pick<Facts, 'request' | 'calls' | 'items'>,
): Promise<boolean> {
  const item = findRunning(items);
  const waiting = calls.filter(({ state, tool }) => state === 'pending' && tool.card?.lookUp);
  const isNew = request !== null && ports.clock() - request.createdAt < AGAIN_AFTER_MS;
  if (item === null || waiting.length === 0 || isNew) return false;
  const due = await Promise.all(waiting.map((call) => findDueLookUp(ports, call)));
  const ids = new Map(waiting.flatMap(({ callId }, at) => (due[at] ? [[callId, due[at]] as const] : [])));
  if (ids.size === 0) return false;
  const { runId, actor: requester } = item;
  const trace = (ports.tracing ?? UNTRACED).of(tracedMessage(item));
  const run = { item, runId: runId ?? item.itemId, requester, trace };
  const context = createRunContext(ports, hold, run);
  const missed = waiting.filter(({ callId }) => ids.has(callId));
  const idOf = (callId: string) => ids.get(callId) ?? lookUpId(callId);
  await ports.lookUp(missed.map(toProposal), context, { idOf, upWithinMs: UP_AGAIN_WITHIN_MS });
  const reads = await ports.gate.calls.inThread(
    item.threadId,
    missed.map(({ callId }) => idOf(callId)),
  );
  const found = missed.filter((_call, at) => reads[at]?.state === 'succeeded');
  if (found.length > 0) context.emit({ type: 'looked_up', callKeys: found.map(recordKey) });
  return found.length > 0;
}

function toProposal({ callId, kind, tool, arguments: args }: CallRecord): ProposedCall {
  return { callId, kind, tool, modelName: tool.modelName, arguments: args };
}

/** The id by which a call is to be looked up now; null where it was, can't be, or isn't due yet. */
async function findDueLookUp(
  { gate, clock }: Pick<StepRunnerPorts, 'gate' | 'clock'>,
  { threadId, callId, proposedAt }: CallRecord,
): Promise<string | null> {
  // What is tried again is about what the first one was about.
  if (retriedId(callId) !== callId) return null;
  const [first = null] = await gate.calls.inThread(threadId, [lookUpId(callId)]);
  if (first === null) return lookUpId(callId);
  if (first.state === 'succeeded') return null;
  const ids = laterLookUpIds(callId);
  const later = await gate.calls.inThread(threadId, ids);
  if (later.some((read) => read?.state === 'succeeded')) return null;
  const tried = later.filter((read) => read !== null).length;
  const isDue = clock() - proposedAt >= FAILED_AGAIN_MS * 2 ** tried;
  return isDue ? (ids[tried] ?? null) : null;
}

/** The tools that are offered once all of these servers are there, or none of those that aren't is being tried. */
async function listReaders(
  { offer, isComing, upWithinMs }: LookUpPorts & { readonly upWithinMs: number },
  servers: ReadonlySet<string>,
  { requester, signal, whileWaiting }: RunContext,
): Promise<readonly ToolSnapshot[]> {
  const isOver = AbortSignal.any([signal, AbortSignal.timeout(upWithinMs)]);
  const list = async () => {
    // Also this can take as long as a call: a server may have to be reached for it.
    const listing = offer(requester, (server) => servers.has(server));
    return unlessAborted(listing, isOver).then(
      ({ tools }) => tools,
      () => [],
    );
  };
  return whileWaiting(async () => {
    let tools: readonly ToolSnapshot[] = await list();
    const isComingYet = (name: string) => isComing(name) && !tools.some(({ server }) => server === name);
    while (!isOver.aborted && [...servers].some(isComingYet)) {
      await delay(LOOK_AGAIN_MS, undefined, { signal: isOver }).catch(() => undefined);
      tools = await list();
    }
    return tools;
  });
}

/** What the tool itself says against the call, such as that there is no such event; null where it could only not be read. */
function readRefusal({ outcome }: CallRecord): string | null {
  return outcome?.status === 'failed' && outcome.isImpossible ? outcome.message : null;
}

/** The calls that read about this one; none where there is nothing to read, or not all that it needs is known. */
function toReads(
  { callId, tool, arguments: given }: ProposedCall,
  tools: readonly ToolSnapshot[],
  idOf?: (callId: string) => string,
): readonly Read[] {
  // Of another id there's one look-up alone: of what the call is about.
  return (idOf ? (['lookUp'] as const) : LOOK_UPS).flatMap((kind) => {
    const lookUp = tool?.card?.[kind];
    if (!lookUp) return [];
    const reader = tools.find(({ server, name }) => server === lookUp.server && name === lookUp.name);
    const its = { inputSchema: tool.inputSchema, arguments: given };
    const args = reader && lookUpArguments(lookUp, reader.inputSchema, its);
    // What another account of the same service says is about other things.
    const isSame = reader?.server !== tool.server || reader.account?.id === tool.account?.id;
    return reader && args && isSame
      ? [{ callId: idOf ? idOf(callId) : lookUpId(callId, kind), tool: reader, arguments: args }]
      : [];
  });
}
