import type { CallToolResult, ServerContext } from '@modelcontextprotocol/server';
import { type CallRecord, currentDeadline, finalState, type Progress, recordKey } from '../../gate/types.ts';
import type { HeldCalls } from '../../programs/index.ts';
import type { Caller, Held, Whereabouts } from '../../programs/ports.ts';
import { MCP } from '../texts.ts';
import { failure, type KeptParts, toToolResult } from './result.ts';

export interface HoldPorts {
  readonly heldCalls: HeldCalls;
  readonly kept: KeptParts;
  /** For whom a call waits, and where. */
  readonly whereabouts: Whereabouts;
  readonly clock: () => number;
  /** Aborted when this process stops. */
  readonly stopping: AbortSignal;
  /** Runs this once the answer to the request has been given to the network; not at all if the client has gone. */
  readonly onSent: (then: () => Promise<void>) => void;
  readonly openAnswer: OpenAnswer;
}

/**
 * Notes that the answer to a request of this program is open. Its client may say that it no longer waits for it, and leave
 * the connection as it is.
 */
export type OpenAnswer = (id: string | number) => {
  /** Aborted when the client has said so. */
  readonly gone: AbortSignal;
  /** Whether it was said of an id that several open answers have, as clients with one key may choose the same. */
  readonly isAmbiguous: () => boolean;
  readonly close: () => void;
};

/** How long a call is held whose client asked for no progress, in milliseconds: most clients give up after 60 s. */
const SILENT_MS = 50_000;
/** How often a client is told of progress, in milliseconds. Claude Code gives up on 60 s without a word. */
const TELL_MS = 15_000;
/** Longest message of a tool's progress that is passed on, in characters: it may come many times a second. */
const MOST_MESSAGE = 1_000;
/**
 * So often a client is told of a call at once; after that, every {@link TELL_MS}. What a client doesn't read waits in
 * memory, so that this bounds it to some megabyte a call.
 */
const MOST_TOLD = 1_000;
/** By how much progress rises at least: a day of waiting comes to less than a hundredth. */
const LEAST_STEP = 1e-6;

/** Holds an answer until the call has ended, or the client would give up: then the answer says that it's pending. */
export async function hold(
  ports: HoldPorts,
  caller: Caller,
  held: Held,
  { mcpReq }: { readonly mcpReq: Pick<ServerContext['mcpReq'], 'id' | 'signal' | 'notify' | '_meta'> },
): Promise<CallToolResult> {
  const { heldCalls, stopping, clock } = ports;
  const { holdMs } = caller.settings;
  const token = mcpReq._meta?.progressToken;
  const until = clock() + (token === undefined ? Math.min(SILENT_MS, holdMs) : holdMs);
  const telling = token === undefined ? null : tellProgress(ports, held, mcpReq, token);
  const { gone, isAmbiguous, close } = ports.openAnswer(mcpReq.id);
  const signal = AbortSignal.any([mcpReq.signal, gone, stopping]);
  const leave = heldCalls.enter(held);
  const ended = await heldCalls
    .wait(held, { until, signal, ...(telling && { onProgress: telling.onProgress }) })
    .finally(() => {
      leave();
      telling?.stop();
      close();
    });
  if (!(await caller.isStillIn())) return failure(MCP.takenAway);
  if (ended) {
    if (finalState(ended) !== null && !gone.aborted && !isAmbiguous()) {
      ports.onSent(() => heldCalls.heard({ ...held, call: ended }));
    }
    const result = await toToolResult(ended, ports.kept);
    return held.hadEnded ? withTimes(result, ended) : result;
  }
  if (mcpReq.signal.aborted || gone.aborted) await heldCalls.left(caller, held);
  return pending(ports, (await heldCalls.get(caller, recordKey(held.call))) ?? held.call);
}

/**
 * Tells the client at once and now and then that the call waits, and for whom, and once it runs what its tool says of its
 * progress. All of it is one sequence of rising numbers, as the protocol wants: waiting adds next to nothing to it, so
 * that the tool's numbers are its own, unless they fall.
 */
function tellProgress(
  { whereabouts }: HoldPorts,
  { call }: Held,
  { notify }: Pick<ServerContext['mcpReq'], 'notify'>,
  progressToken: string | number,
): { readonly onProgress: (progress: Progress) => void; readonly stop: () => void } {
  let last = 0;
  let running: Omit<Progress, 'progress'> = { total: null, message: MCP.running };
  let isOver = false;
  let told = 0;
  const tell = ({ progress, total, message }: Progress) => {
    if (isOver) return;
    told += 1;
    const least = last + Math.max(LEAST_STEP, last * Number.EPSILON);
    last = Math.max(least, Math.min(progress, Number.MAX_SAFE_INTEGER));
    const more = { ...(total !== null && { total }), ...(message !== null && { message: cut(message) }) };
    const params = { progressToken, progress: last, ...more };
    // A client that has gone hears nothing, and the request's own signal says so.
    notify({ method: 'notifications/progress', params }).catch(() => undefined);
  };
  const tellWhereabouts = () =>
    whereabouts(call).then(
      ({ waitingFor }) => {
        const waiting = waitingFor !== null && { total: null, message: MCP.waitingFor(waitingFor) };
        tell({ progress: last, ...(waiting || running) });
      },
      () => undefined,
    );
  void tellWhereabouts();
  const timer = setInterval(tellWhereabouts, TELL_MS);
  return {
    onProgress(progress) {
      running = { total: progress.total, message: progress.message ?? MCP.running };
      if (told < MOST_TOLD) tell(progress);
    },
    stop() {
      isOver = true;
      clearInterval(timer);
    },
  };
}

function cut(message: string): string {
  return message.length <= MOST_MESSAGE ? message : `${message.slice(0, MOST_MESSAGE).toWellFormed()}…`;
}

/** The result of an earlier call, with words that it is one: who makes the same call on purpose may not take it for a new one. */
function withTimes(result: CallToolResult, { proposedAt, endedAt }: CallRecord): CallToolResult {
  const madeAt = new Date(proposedAt).toISOString();
  const text = MCP.hadEnded(madeAt, new Date(endedAt ?? proposedAt).toISOString());
  return { ...result, content: [...result.content, { type: 'text', text }] };
}

/** The answer that a call is still pending. It's no error: the call stands. */
async function pending({ whereabouts }: HoldPorts, call: CallRecord): Promise<CallToolResult> {
  const { waitingFor, url } = await whereabouts(call);
  const requestId = recordKey(call);
  const deadline = currentDeadline(call);
  const expiresAt = deadline === null ? null : new Date(deadline).toISOString();
  return {
    content: [{ type: 'text', text: MCP.pending({ waitingFor, url, requestId, expiresAt }) }],
    structuredContent: {
      status: 'pending',
      request_id: requestId,
      waiting_for: waitingFor,
      expires_at: expiresAt,
      url,
    },
  };
}
