import { serverToConnect } from '../policy/own-servers.ts';
import type { Actor } from './actor.ts';
import type { CallRecord } from './record.ts';

/** Whether a call is in doubt and a person is asked about it; its run waits for the answer. */
export function isOpenDoubt(call: CallRecord): boolean {
  return call.state === 'in_doubt' && call.endedAt === null;
}

/** Whether a person can settle the doubt: while it is open, on a call that a person approved. */
export function canBeSettled(call: CallRecord): boolean {
  const wasApproved = call.decision !== null || call.doubt?.said?.word === 'ask_again';
  return call.state === 'in_doubt' && wasApproved;
}

/** Whether people may change its arguments: a program that runs its call itself runs its own. */
export function isEditable({ executor }: Pick<CallRecord, 'executor'>): boolean {
  return executor !== 'external';
}

/** Whether a person must act next. */
export function needsPerson(call: CallRecord): boolean {
  return call.state === 'pending' || call.state === 'blocked' || isOpenDoubt(call);
}

/** Whether a person must act before the call can end, including a form while the call runs. */
export function waitsForPerson(call: CallRecord): boolean {
  return needsPerson(call) || call.need !== null;
}

/** Whether an earlier attempt was sent and its outcome is still unknown. */
export function hasEarlierDoubt(call: CallRecord): boolean {
  if (call.doubt === undefined || call.state === 'in_doubt') return false;
  return call.doubt.attempt < call.attempt || call.doubt.said?.word === 'ask_again';
}

/** The final state of a call, as the rest of the system names it; null until it has ended. */
export function finalState(call: CallRecord): 'succeeded' | 'failed' | 'in_doubt' | 'not_run' | null {
  switch (call.state) {
    case 'succeeded':
    case 'failed':
      return call.state;
    case 'in_doubt':
      return isOpenDoubt(call) ? null : 'in_doubt';
    case 'denied':
    case 'rejected':
    case 'ignored':
    case 'expired':
    case 'cancelled':
    case 'superseded':
      return 'not_run';
    case 'allowed':
    case 'pending':
    case 'approved':
    case 'executing':
    case 'blocked':
      return null;
  }
}

/** The owner of a result: its requester, if it came over their own sign-in or was too long for the conversation. */
export function resultOwner({ outcome, requester }: CallRecord): Actor | null {
  if (outcome === null || outcome.status === 'in_doubt') return null;
  // Files are no secret of the thread: they're posted in it.
  const isLong = outcome.content.some((piece) => piece.type === 'text' && piece.kept !== undefined);
  return outcome.ownAccount === true || isLong ? requester : null;
}

/** Whether a call signed somebody in: nothing that was found or done, and nowhere that anything is from. */
export function hasConnected({ state, tool: { server, name } }: CallRecord): boolean {
  return state === 'succeeded' && serverToConnect(server, name) !== null;
}
