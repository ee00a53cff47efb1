import type { Actor, RequestRecord } from './types.ts';

/** Whether this person may decide the calls of this request: the one place where that is decided. */
export function mayDecide(request: RequestRecord, actor: Actor): boolean {
  return request.requester.id === actor.id;
}
