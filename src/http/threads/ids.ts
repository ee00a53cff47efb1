import type { Actor } from '../../gate/types.ts';
import type { SurfaceAddress } from '../../runs/index.ts';
import type { Caller } from '../caller.ts';

const PREFIX = 'http:';

/** Each key has its own threads: the key's name, which holds no colon, is a part of their ids. */
export function toThreadId(caller: Caller, threadId: string): string {
  return `${PREFIX}${caller.keyName}:${threadId}`;
}

/** Whether a thread is one of the key's own. */
export function isThreadFor(caller: Caller, threadId: string): boolean {
  return threadId.startsWith(toThreadId(caller, ''));
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
