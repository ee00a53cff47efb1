import { isDeepStrictEqual } from 'node:util';
import { canonicalJson, sha256Hex } from '../../lib/canonical-json.ts';
import type { JsonObject } from '../../lib/json.ts';
import type { CallRecord, ToolSnapshot } from './record.ts';

/** What a decision binds to: the server, the account there where it's known, the tool as it was defined, and the arguments. */
export function callDigest(call: {
  readonly server: string;
  readonly tool: string;
  readonly definitionHash: string;
  readonly account?: string | undefined;
  readonly arguments: JsonObject;
}): string {
  return sha256Hex(
    canonicalJson({
      server: call.server,
      tool: call.tool,
      definition: call.definitionHash,
      arguments: call.arguments,
      ...(call.account !== undefined && { account: call.account }),
    }),
  );
}

/** The {@link callDigest} of a call of this tool. */
export function toolDigest(
  {
    server,
    name,
    definitionHash,
    account,
  }: Pick<ToolSnapshot, 'server' | 'name' | 'definitionHash' | 'account'>,
  args: JsonObject,
): string {
  return callDigest({ server, tool: name, definitionHash, account: account?.id, arguments: args });
}

/** The call's key in the store: 128 bits, opaque, always the same for the same call. */
export function callKey(threadId: string, callId: string): string {
  return Buffer.from(sha256Hex(canonicalJson([threadId, callId])), 'hex')
    .subarray(0, 16)
    .toString('base64url');
}

/** The {@link callKey} of a call's record. */
export function recordKey({
  threadId,
  callId,
}: {
  readonly threadId: string;
  readonly callId: string;
}): string {
  return callKey(threadId, callId);
}

const RETRY = 'again\n';

/** The id of a call that is proposed as another one was that failed. No model's call can have it: theirs hold no line feed. */
export function retryId(callId: string): string {
  return `${RETRY}${callId}`;
}

/** The id of the call that was tried again in the first place, also where that was done several times; its own for any other. */
export function retriedId(callId: string): string {
  if (!callId.startsWith(RETRY)) return callId;
  const [first = callId] = callId.split('\n').filter((part) => part !== RETRY.trim());
  return first;
}

const EDITED = '\nedited:';

/**
 * The id of a call for what is looked up about it: its own, or where people are asked about arguments that somebody has changed, or
 * about a call that they want tried again, one for these alone, since what was looked up before may be about others. No model's call
 * can have it.
 */
export function idToLookUp({
  callId,
  digest,
  arguments: now,
  proposedArguments,
}: Pick<CallRecord, 'callId' | 'digest' | 'arguments' | 'proposedArguments'>): string {
  const isFirst = !callId.startsWith(RETRY) && isDeepStrictEqual(now, proposedArguments);
  return isFirst ? callId : `${callId}${EDITED}${digest}`;
}

/** The id of the call about which this one was to look something up once people were asked; null for any other. */
export function readEditedId(lookUp: string): string | null {
  const [before = '', digest] = lookUp.split(EDITED);
  return digest === undefined ? null : before.slice(before.indexOf('\n') + 1);
}
