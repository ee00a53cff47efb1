import type { JsonObject } from '../../lib/json.ts';
import { put, type Stored, unchanged } from '../../storage/store.ts';
import { startDeadline } from '../approval/deadline.ts';
import { ownsRequest } from '../approval/eligibility.ts';
import type { Actor } from '../call/actor.ts';
import { callArgumentProblems } from '../call/argument-check.ts';
import { toolDigest } from '../call/digest.ts';
import type { CallRecord, RequestRecord } from '../call/record.ts';
import { RefusalError } from '../call/refusal.ts';
import { appendEdit } from '../decisions/apply.ts';
import { askAnew } from '../decisions/ask-anew.ts';
import { resolveAuthority } from '../delegation/on-behalf-of.ts';
import type { GatePorts } from '../ports.ts';
import { withRiskShown } from '../store/asked-risk.ts';
import { changeCall, eventUpdate, keep, requireCall } from '../store/change-call.ts';
import { requests } from '../store/collections.ts';
import { readSession } from '../store/session-risk.ts';
import { failedBefore } from '../texts/notices.ts';
import {
  ALREADY_PROPOSED,
  CHANGED_SINCE_SHOWN,
  editMisfit,
  nothingChanged,
  onlyApproversRetry,
} from '../texts/refusals.ts';

/** A failed call that a person wants once more. */
export interface Retry {
  /** The key of the call. */
  readonly key: string;
  readonly actor: Actor;
  /** Of what was displayed. */
  readonly digest: string;
  /** @default those that it failed with */
  readonly arguments?: JsonObject;
}

/**
 * Has people asked again about a call that failed, while its request is open for others beside it: the run waits for those, and
 * takes what then comes of the call as its end. So it's for its requester, and for whoever may decide it. Null where no run
 * waits, so that it can only be asked for as a call of its own (`proposeFollowUp`); for steps of plans, which what came after
 * them went with; and for calls of programs.
 * @throws RefusalError where it isn't for this person, is asked for already, isn't what was displayed, or the arguments don't
 * fit their schema
 */
export function retryCall(
  ports: GatePorts,
  { key, actor, digest: shown, ...wanted }: Retry,
): Promise<CallRecord | null> {
  return changeCall<CallRecord | null>(ports, key, async (stored) => {
    const call = requireCall(stored);
    const waiting = await findWaiting(ports, call, { actor, digest: shown });
    if (waiting === null) return keep(null);
    const { request, absent } = waiting;
    const { tool } = call;
    const args = wanted.arguments ?? call.arguments;
    const problems = callArgumentProblems(ports, tool, args);
    if (problems.length > 0)
      throw new RefusalError('invalid_arguments', editMisfit(problems), call, problems);
    const digest = toolDigest(tool, args);
    const isEdited = digest !== call.digest;
    const edits = isEdited ? appendEdit(call, args, { actor, at: ports.clock(), for: absent }) : call.edits;
    const asked: CallRecord = {
      ...(await askAnew(ports, { ...call, arguments: args, digest })),
      edits: edits && edits.length > 0 ? [...edits] : undefined,
      ...{ outcome: null, endedAt: null, elicitationAnswer: null },
      askedAgain: failedBefore(actor.name, { isEdited }),
    };
    const again = startDeadline(ports, await withRiskShown(ports, await readSession(ports, call), asked));
    return {
      result: again,
      update: {
        ...eventUpdate(again, { type: 'asked', request: request.value, calls: [again] }, actor),
        isAskedAnew: true,
        // Whoever closes the request meanwhile, as the others have ended, has counted this one as ended, too.
        expect: [unchanged(requests, request)],
        put: [put(requests, request.id, request.value)],
      },
    };
  });
}

/**
 * Whether a run waits for what {@link retryCall} would ask about, so that a form can be opened for it.
 * @throws RefusalError where that would refuse it
 */
export async function checkRetry(
  ports: GatePorts,
  { key, ...by }: Pick<Retry, 'key' | 'actor' | 'digest'>,
): Promise<boolean> {
  const waiting = changeCall(ports, key, async (stored) =>
    keep(await findWaiting(ports, requireCall(stored), by)),
  );
  return (await waiting) !== null;
}

/** A request that is open beside a failed call. */
interface Waiting {
  readonly request: Stored<RequestRecord>;
  /** On whose behalf it is asked for. */
  readonly absent: Actor | undefined;
}

/**
 * The request whose run waits, if it does, for this person to ask again about the call.
 * @throws RefusalError where they may not, or it isn't what they were shown
 */
async function findWaiting(
  ports: GatePorts,
  call: CallRecord,
  { actor, digest }: Pick<Retry, 'actor' | 'digest'>,
): Promise<Waiting | null> {
  // Also where it's asked for as a call of its own: what is typed into a form stands beside the arguments shown there.
  if (digest !== call.digest) throw new RefusalError('changed', CHANGED_SINCE_SHOWN, call);
  const { requestId, after, executor } = call;
  const request = requestId === null ? null : await ports.store.get(requests, requestId);
  if (request?.value.state !== 'open' || after !== undefined || executor !== undefined) return null;
  if (call.state !== 'failed') throw new RefusalError('already_decided', ALREADY_PROPOSED, call);
  if (ownsRequest(call, actor)) return { request, absent: undefined };
  // By what it failed with: other arguments may be for other people to decide.
  const authority = await resolveAuthority(ports, await askAnew(ports, call), actor, { approves: false });
  if (!authority.may) {
    throw new RefusalError('not_allowed', nothingChanged(onlyApproversRetry(call.requester.name)), call);
  }
  return { request, absent: authority.for };
}
