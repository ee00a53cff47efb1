import { scanReadable } from '../../storage/scan.ts';
import type { Actor } from '../call/actor.ts';
import { resetServerResumes } from '../call/page-limits.ts';
import type { CallRecord } from '../call/record.ts';
import { awaitedSignIn, resumeCall, type SignInAccount } from '../call/server-input.ts';
import type { GatePorts } from '../ports.ts';
import { changeCall, eventUpdate, keep, write } from '../store/change-call.ts';
import { calls } from '../store/collections.ts';

/**
 * Whether the person signed in to the server since `tried`, when the refused call's connection was made;
 * null: there was no connection.
 */
export type HasSignedIn = (server: string, person: Actor, tried: number | null) => Promise<boolean>;

/**
 * Resumes the calls that wait for a sign-in which has been made: those of one account, or all. A
 * call refused with that sign-in waits for the next, so that it is sent once per sign-in.
 */
export async function resumeAfterSignIn(
  ports: GatePorts,
  hasSignedIn: HasSignedIn,
  account?: SignInAccount,
): Promise<void> {
  const prefix = account ? [account.server, account.personId] : [];
  for await (const { id } of scanReadable(ports, calls, 'signInWaitedFor', { prefix })) {
    await resumeWaiting(ports, id, hasSignedIn);
  }
}

function resumeWaiting(ports: GatePorts, key: string, hasSignedIn: HasSignedIn): Promise<CallRecord | null> {
  return changeCall<CallRecord | null>(ports, key, async (waiting) => {
    if (!waiting || !(await hasNewSignIn(waiting, hasSignedIn))) return keep(waiting);
    const call = resumeCall(resetServerResumes(waiting));
    return write(eventUpdate(call, { type: 'person_answered', call }, call.requester));
  });
}

async function hasNewSignIn(call: CallRecord, hasSignedIn: HasSignedIn): Promise<boolean> {
  const account = awaitedSignIn(call);
  if (account === null || call.need?.kind !== 'oauth_url') return false;
  return hasSignedIn(account.server, call.requester, call.need.tried ?? null);
}
