import type { Gate } from '../gate/index.ts';
import { type Actor, toolDigest } from '../gate/types.ts';
import { errorMessage } from '../lib/errors.ts';
import type { JsonObject } from '../lib/json.ts';
import type { CallLimits, SendCall, SendResult, ToolDefinition, ToolOffer } from './ports.ts';

/** How long a read may take, with the wait for its turn, in milliseconds. */
const READ_MS = 30_000;

/**
 * Why nothing was read.
 *
 * - `gone`: there is no such tool of a server that comes with this program.
 * - `not_allowed`: it isn't one that only reads, or the policy doesn't let it run now with nobody asked.
 * - `not_connected`: the owner has to sign in first.
 * - `refused`: the tool says that it can't be read, as for what is no longer there.
 * - `silent`: nobody says so now, and the same may be read later.
 */
type WhyUnread = 'gone' | 'not_allowed' | 'not_connected' | 'refused' | 'silent';

type UnrecordedRead =
  /**
   * What the tool answered, the digest of what it was asked, as calls have it, and the id of the owner's account there; null where
   * they signed in to none.
   */
  | { readonly structured: JsonObject; readonly digest: string; readonly account: string | null }
  /**
   * `said`: of `not_connected`, the name of what the owner has to sign in to, if it's known; of `refused`, the service's own words,
   * if there are any; of `silent`, what is known, for the log. `isImpossible`: the tool says that there is no such thing.
   */
  | { readonly why: WhyUnread; readonly said: string | null; readonly isImpossible?: true };

/** Reads something of a service as its owner. Never rejects. */
export type ReadUnrecorded = (read: {
  readonly server: string;
  readonly tool: string;
  readonly arguments: JsonObject;
  readonly owner: Actor;
  /** Has a mailbox's server tell of new mails from now on, or no longer. @default that stays as it is */
  readonly notify?: boolean;
  /** Gives it up; that is `silent`. */
  readonly signal?: AbortSignal;
}) => Promise<UnrecordedRead>;

interface UnrecordedReadPorts {
  readonly gate: Pick<Gate, 'policy' | 'risk'>;
  /** The agent whose permissions of tools count. */
  readonly agent: string;
  /** Whether a server comes with this program, so that what it says of its tools is so. */
  readonly isOurs: (server: string) => boolean;
  /** The tools that runs of this person are offered. */
  readonly offer: (person: Actor, isNeeded: (server: string) => boolean) => Promise<Pick<ToolOffer, 'tools'>>;
  readonly limits: Pick<CallLimits, 'admitCall'>;
  readonly send: SendCall;
}

/**
 * The one way past the gated caller: reads that have no conversation, of which there would be too many on record
 * (docs/decisions/0113). So it takes only what a run would read with nobody asked: a tool that only reads, of a server that
 * comes with this program, offered to the owner, and allowed by the policy now. A read has a place among the owner's calls in
 * flight, and counts against nobody's day.
 */
export function createUnrecordedReads(ports: UnrecordedReadPorts): ReadUnrecorded {
  const { gate, agent, isOurs, offer } = ports;

  async function find(server: string, name: string, owner: Actor): Promise<ToolDefinition | WhyUnread> {
    if (!isOurs(server)) return 'gone';
    const { tools } = await offer(owner, (needed) => needed === server);
    const its = tools.filter((tool) => tool.server === server);
    const tool = its.find((one) => one.name === name);
    // A server of which no tools are known at all hasn't been reached yet, or waits for its settings.
    if (!tool) return its.length === 0 ? 'silent' : 'gone';
    return tool.unavailableReason === undefined ? tool : 'silent';
  }

  function isAllowed({ server, name, isNew, readOnly }: ToolDefinition, args: JsonObject): boolean {
    const verdict = gate.policy.evaluate({ server, tool: name, arguments: args, isNew });
    return readOnly && verdict.action === 'allow' && gate.risk.isEnabled({ server, name }, agent);
  }

  return async ({ server, tool: name, arguments: args, owner, notify, signal }) => {
    const over = AbortSignal.any([AbortSignal.timeout(READ_MS), ...(signal ? [signal] : [])]);
    try {
      const tool = await find(server, name, owner);
      if (typeof tool === 'string') return unread(tool);
      if (!isAllowed(tool, args)) return unread('not_allowed');
      const { definitionHash, account } = tool;
      const call = {
        ...{ server, name, arguments: args, definitionHash, account, person: owner },
        ...(notify !== undefined && { notify }),
      };
      const asked = { digest: toolDigest(tool, args), account: account?.id ?? null };
      return toRead(await sendAdmitted(ports, call, over), asked);
    } catch (error) {
      return unread('silent', errorMessage(error));
    }
  };
}

/** Sends it while it has a place among the owner's calls. */
async function sendAdmitted(
  { limits, send }: UnrecordedReadPorts,
  call: Parameters<SendCall>[0] & { readonly person: Actor },
  signal: AbortSignal,
): Promise<SendResult> {
  const account = { kind: 'person', owner: call.person.id, channel: null } as const;
  const at = { server: call.server, person: call.person.id };
  const wait = { at, signal, onWait: () => undefined, isCounted: true, isUnderWay: false };
  const admission = await limits.admitCall(account, wait);
  try {
    return await send(call, {
      signal,
      onProgress: () => undefined,
      onElicit: async () => ({ action: 'cancel', content: null }),
    });
  } finally {
    admission.end({ isSent: true });
  }
}

function toRead(
  result: SendResult,
  asked: { readonly digest: string; readonly account: string | null },
): UnrecordedRead {
  if (result.kind === 'blocked') {
    const { need } = result;
    if (need.kind !== 'oauth_url') return unread('refused');
    return unread('not_connected', need.connect?.server ?? null);
  }
  if (result.kind !== 'ended') return unread('silent');
  const { outcome, retry } = result;
  if (outcome.status === 'succeeded') {
    return outcome.structured === null ? unread('refused') : { structured: outcome.structured, ...asked };
  }
  // What has content is the tool's own answer; all else happened on the way to it.
  const isAnswer = outcome.status === 'failed' && outcome.content.length > 0 && !retry;
  if (!isAnswer) return unread('silent', outcome.message);
  const { isImpossible } = outcome;
  return { ...unread('refused', outcome.message), ...(isImpossible && { isImpossible }) };
}

function unread(why: WhyUnread, said: string | null = null): UnrecordedRead {
  return { why, said };
}
