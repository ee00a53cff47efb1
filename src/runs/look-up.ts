import { setTimeout as delay } from 'node:timers/promises';
import type { Gate } from '../gate/index.ts';
import {
  type CallRecord,
  idToLookUp,
  LOOK_UPS,
  lookUpArguments,
  lookUpId,
  type ProposedCall,
  type ToolSnapshot,
} from '../gate/types.ts';
import { FencedError } from '../lib/errors.ts';
import { unlessAborted } from '../lib/timeout.ts';
import type { CallTool } from '../tools/ports.ts';
import type { InflightCalls } from './inflight-calls.ts';
import type { LookUp, RunContext } from './ports.ts';
import { notAsked } from './texts.ts';

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

/** Pause between two looks at a server that is coming, in milliseconds. */
const LOOK_AGAIN_MS = 250;

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
  return async (calls, context) => {
    const servers = new Set(
      calls.flatMap(({ tool }) => LOOK_UPS.flatMap((kind) => tool?.card?.[kind]?.server ?? [])),
    );
    if (servers.size === 0) return calls;
    const tools = await listReaders(ports, servers, context);
    const signal = AbortSignal.any([context.signal, AbortSignal.timeout(withinMs)]);
    const reads = calls.flatMap((call) => toReads(call, tools));
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
      const found = answered.find(({ callId }) => callId === lookUpId(call.callId));
      const refusal = call.tool?.card?.lookUp?.isRequired && found ? readRefusal(found) : null;
      return refusal === null ? call : { ...call, unavailableReason: notAsked(refusal) };
    });
  };
}

/**
 * Reads about calls that were edited while people are asked about them, or that are tried again, beside what else the worker does:
 * nobody who decides meanwhile is kept waiting.
 */
export function lookUpEdited(
  { lookUp }: { readonly lookUp: LookUp },
  inflight: Pick<InflightCalls, 'lookUp'>,
  calls: readonly CallRecord[],
  contextFor: (call: CallRecord) => RunContext,
): void {
  for (const call of calls) {
    const { kind, tool, arguments: given } = call;
    const context = contextFor(call);
    const asked = { callId: idToLookUp(call), kind, tool, modelName: tool.modelName, arguments: given };
    inflight.lookUp(asked.callId, async (left) => {
      await lookUp([asked], { ...context, signal: AbortSignal.any([context.signal, left]) });
    });
  }
}

/** The tools that are offered once all of these servers are there, or none of those that aren't is being tried. */
async function listReaders(
  { offer, isComing, upWithinMs = 30_000 }: LookUpPorts,
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
): readonly Read[] {
  return LOOK_UPS.flatMap((kind) => {
    const lookUp = tool?.card?.[kind];
    if (!lookUp) return [];
    const reader = tools.find(({ server, name }) => server === lookUp.server && name === lookUp.name);
    const its = { inputSchema: tool.inputSchema, arguments: given };
    const args = reader && lookUpArguments(lookUp, reader.inputSchema, its);
    // What another account of the same service says is about other things.
    const isSame = reader?.server !== tool.server || reader.account?.id === tool.account?.id;
    return reader && args && isSame
      ? [{ callId: lookUpId(callId, kind), tool: reader, arguments: args }]
      : [];
  });
}
