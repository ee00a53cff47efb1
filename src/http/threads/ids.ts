import { type Actor, type CallRecord, callKey } from '../../gate/types.ts';
import { isTaskThreadId, planThreadId, type SurfaceAddress, type ThreadRecord } from '../../runs/index.ts';
import type { Caller } from '../caller.ts';

const PREFIX = 'http:';
/** Stands after a client's name of a thread that would be the id of an agent's. */
const RESERVED = '~';

/**
 * Each key has its own threads: the key's name, which holds no colon, is a part of their ids. Whatever a client calls a
 * thread, it's none in which an agent of a team works.
 */
export function toThreadId(caller: Caller, threadId: string): string {
  const id = `${PREFIX}${caller.keyName}:${threadId}`;
  return isTaskThreadId(id.replace(TRAILING, '')) ? `${id}${RESERVED}` : id;
}
/** What was, or could have been, put after such a name. */
const TRAILING = /~+$/;

/** Whether a thread is one of the key's own. */
export function isThreadFor(caller: Caller, threadId: string): boolean {
  return threadId.startsWith(toThreadId(caller, ''));
}

/** What stands between an agent's thread and its call, in the id of the call that a client is given. */
const CALL_PART = /^(t[0-9a-f]{12})~([\s\S]+)$/;

/**
 * The id of a call in the thread that its client knows: an agent of a team has calls of its own ids, in a thread of its own,
 * so that one of another agent may have the same.
 */
export function toShownCallId({ threadId, callId }: Pick<CallRecord, 'threadId' | 'callId'>): string {
  const own = threadId.slice(planThreadId(threadId).length + RESERVED.length);
  return own === '' ? callId : `${own}${RESERVED}${callId}`;
}

/** The key of the call that {@link toShownCallId} names, in a thread of a client. */
export function toCallKey(
  { threadId, graph }: Pick<ThreadRecord, 'threadId' | 'graph'>,
  shown: string,
): string {
  const [, own, callId] = (graph === 'team' && CALL_PART.exec(shown)) || [];
  return own === undefined || callId === undefined
    ? callKey(threadId, shown)
    : callKey(`${threadId}${RESERVED}${own}`, callId);
}

/** The mailbox's id of a message: what the client calls it, so that a repeat is one, else a new one. */
export function toItemId(caller: Caller, idempotencyKey: string | null, newId: () => string): string {
  const name = idempotencyKey === null ? `new:${newId()}` : `key:${idempotencyKey}`;
  return `${PREFIX}${caller.keyName}:${name}`;
}

export function toSurface(caller: Caller, threadId: string): SurfaceAddress {
  return { kind: 'http', keyName: caller.keyName, name: threadId };
}

export function toActor(caller: Pick<Caller, 'keyName'>): Actor {
  return { id: `api:${caller.keyName}`, name: caller.keyName };
}
