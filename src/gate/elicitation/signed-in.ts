import { scanReadable } from '../../storage/scan.ts';
import { unchanged } from '../../storage/store.ts';
import type { Actor } from '../call/actor.ts';
import { resetServerResumes } from '../call/page-limits.ts';
import type { CallRecord } from '../call/record.ts';
import { awaitedSignIn, resumeCall } from '../call/server-input.ts';
import type { GatePorts } from '../ports.ts';
import { calls } from '../store/collections.ts';
import { commitCall } from '../store/commit.ts';

/**
 * Whether the person is signed in to the server by another connection than the one that was made at `tried`, with which
 * a call was refused; null where there was none.
 */
export type HasSignedIn = (server: string, person: Actor, tried: number | null) => Promise<boolean>;

/**
 * Lets the calls go on that wait for a sign-in which was made by now: of a server and a person, or all. One that was
 * refused with that sign-in waits for the next: it goes on once with each.
 */
export async function resumeAfterSignIn(
  ports: GatePorts,
  hasSignedIn: HasSignedIn,
  of: readonly [server: string, personId: string] | readonly [],
): Promise<void> {
  for await (const { id } of scanReadable(ports, calls, 'signInWaitedFor', { prefix: of })) {
    await resumeCallAfterSignIn(ports, id, hasSignedIn);
  }
}

async function resumeCallAfterSignIn(ports: GatePorts, key: string, hasSignedIn: HasSignedIn): Promise<void> {
  for (;;) {
    const stored = await ports.store.get(calls, key);
    if (!stored || !(await hasNewSignIn(stored.value, hasSignedIn))) return;
    const call = resumeCall(resetServerResumes(stored.value));
    const event = { type: 'person_answered', call } as const;
    if (await commitCall(ports, call, [unchanged(calls, stored)], event, call.requester)) return;
  }
}

async function hasNewSignIn(call: CallRecord, hasSignedIn: HasSignedIn): Promise<boolean> {
  const [server] = awaitedSignIn(call) ?? [];
  if (server === undefined || call.need?.kind !== 'oauth_url') return false;
  return hasSignedIn(server, call.requester, call.need.tried ?? null);
}
