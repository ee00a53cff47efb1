/** Whether and when a call may be in flight, by the limits of whoever it is for. */

import { FairSlots, type SlotsHeld } from '../lib/slots/fair-slots.ts';
import { HeldSlot, type Slot } from '../lib/slots/slots.ts';
import type { Account, CallAdmission, CallLimits, GatedCall } from './ports.ts';
import { waitingForCalls } from './texts.ts';

/** Waits until the call may be in flight. Throws the signal's reason if that is aborted first. */
export async function admit(
  limits: CallLimits | undefined,
  input: GatedCall,
  signal: AbortSignal,
): Promise<CallAdmission> {
  if (!limits) return { refusal: null, outside: (work) => work(), end: () => undefined };
  const onWait = (others: SlotsHeld) =>
    input.onProgress({ progress: 0, total: null, message: waitingForCalls(others), isOurs: true });
  const { isCounted = false, isUnderWay = false } = input;
  const at = { server: input.call.tool?.server ?? '', person: input.requester.id };
  return limits.admitCall(accountFor(input), { at, signal, onWait, isCounted, isUnderWay });
}

/**
 * The most calls of one person that a process has in flight at a connector's service. Each may make up to three requests at once.
 * Services bound what comes from one account, and want requests one after the other: GitHub by its secondary limits, Gmail as “Too
 * many concurrent requests for user”.
 * @see https://docs.github.com/en/rest/using-the-rest-api/best-practices-for-using-the-rest-api#avoid-concurrent-requests
 * @see https://developers.google.com/workspace/gmail/api/guides/handle-errors#resolve_a_429_error_too_many_requests
 */
const AT_ONCE = 4;

/**
 * The limits, with a place for each call at a connector's service besides, of which each person has so few that no turn of theirs
 * is taken for an attack there, and everybody else's calls go on. Who waits for one holds no place that others could have.
 */
export function limitAtServices(limits: CallLimits, isService: (server: string) => boolean): CallLimits {
  const places = new FairSlots(Number.POSITIVE_INFINITY);
  return {
    spend: (account, tokens) => limits.spend(account, tokens),
    async admitCall(account, wait) {
      const { at, signal, onWait } = wait;
      if (wait.isUnderWay || !isService(at.server)) return limits.admitCall(account, wait);
      const owner = `${at.server} ${at.person}`;
      const release = await places.acquire({ owner, atMost: AT_ONCE, signal, onWait });
      const place = new HeldSlot(places, { owner, release });
      try {
        const admission = await limits.admitCall(account, wait);
        return {
          ...joinSlots(place, admission),
          refusal: admission.refusal,
          end(how) {
            place.end();
            admission.end(how);
          },
        };
      } catch (error) {
        place.end();
        throw error;
      }
    },
  };
}

/** The slots of a thread and of an owner as one: whoever waits outside holds neither, and can keep the owner's place. */
export function joinSlots(thread: Slot, owner: Slot): Slot {
  return { outside: (work, options) => thread.outside(() => owner.outside(work, options)) };
}

export function accountFor({ account, requester }: GatedCall): Account {
  return account ?? { kind: 'person', owner: requester.id, channel: null };
}

/** A call that nobody decided isn't sent beyond a limit. One that is on record is what its record says. */
export function withheld(input: GatedCall, refusal: string | null): GatedCall {
  return refusal === null ? input : { ...input, call: { ...input.call, unavailableReason: refusal } };
}
