import type { CallRecord } from './record.ts';

/** Whether nobody knows if the call happened, and a person is asked; its run waits for their word. */
export function isOpenDoubt(call: CallRecord): boolean {
  return call.state === 'in_doubt' && call.endedAt === null;
}

/** Whether a person can say what happened: as long as it is unclear, of a call that they had approved. */
export function canBeSettled(call: CallRecord): boolean {
  const wasApproved = call.decision !== null || call.doubt?.said?.word === 'ask_again';
  return call.state === 'in_doubt' && wasApproved;
}

/** Whether the next word on the call is a person's. */
export function needsPerson(call: CallRecord): boolean {
  return call.state === 'pending' || call.state === 'blocked' || isOpenDoubt(call);
}

/** Whether a person has something to do before the call can end: also while it runs, and asks for a form. */
export function waitsForPerson(call: CallRecord): boolean {
  return needsPerson(call) || call.need !== null;
}

/** Whether the call was sent once before, and it is still unclear whether that attempt happened. */
export function hasEarlierDoubt(call: CallRecord): boolean {
  if (call.doubt === undefined || call.state === 'in_doubt') return false;
  return call.doubt.attempt < call.attempt || call.doubt.said?.word === 'ask_again';
}

/** How a call ended, as everybody outside the gate says it; null while it has not. */
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
