import type { Gate } from '../gate/index.ts';
import {
  type CallRecord,
  companionArguments,
  lookUpId,
  namedArguments,
  type ProposedCall,
  type ToolSnapshot,
} from '../gate/types.ts';
import { FencedError } from '../lib/errors.ts';
import { withTimeout } from '../lib/timeout.ts';
import type { CallTool } from '../tools/ports.ts';
import type { LookUp, RunContext } from './ports.ts';
import { notAsked } from './texts.ts';

interface LookUpPorts {
  readonly evaluate: Gate['policy']['evaluate'];
  /** The tools that this person's runs may use. */
  readonly offer: (person: RunContext['requester']) => Promise<{ readonly tools: readonly ToolSnapshot[] }>;
  readonly callTool: CallTool;
  /**
   * Longest time that a card waits for what is read about its calls, in milliseconds.
   * @default 5 seconds
   */
  readonly withinMs?: number;
}

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
export function createLookUp({ evaluate, offer, callTool, withinMs = 5_000 }: LookUpPorts): LookUp {
  return async (calls, context) => {
    if (!calls.some(({ tool }) => tool?.card?.lookUp)) return calls;
    const signal = AbortSignal.any([context.signal, AbortSignal.timeout(withinMs)]);
    // Listing tools can take as long as a call: a server may have to be reached for it.
    const offered = await withTimeout(withinMs, offer(context.requester), null).catch(() => null);
    const tools = offered?.tools ?? [];
    const reads = calls.flatMap((call) => toRead(call, tools) ?? []);
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

/** What the tool itself says against the call, such as that there is no such event; null where it could only not be read. */
function readRefusal({ outcome }: CallRecord): string | null {
  return outcome?.status === 'failed' && outcome.isImpossible ? outcome.message : null;
}

/** The call that reads what this one is about; null where there is none, or not all that it needs is known. */
function toRead(
  { callId, tool, arguments: given }: ProposedCall,
  tools: readonly ToolSnapshot[],
): Read | null {
  const lookUp = tool?.card?.lookUp;
  if (!lookUp) return null;
  const reader = tools.find(({ server, name }) => server === lookUp.server && name === lookUp.name);
  const args =
    reader && companionArguments(lookUp, reader.inputSchema, namedArguments(tool.inputSchema, given));
  // What another account of the same service says is about other things.
  const isSame = reader?.server !== tool.server || reader.account?.id === tool.account?.id;
  return reader && args && isSame ? { callId: lookUpId(callId), tool: reader, arguments: args } : null;
}
