import { isDeepStrictEqual } from 'node:util';
import type { JsonObject } from '../../lib/json.ts';
import { put, unchanged } from '../../storage/store.ts';
import { startDeadline } from '../approval/deadline.ts';
import type { Actor } from '../call/actor.ts';
import { callArgumentProblems } from '../call/argument-check.ts';
import { toolDigest } from '../call/digest.ts';
import type { CallRecord } from '../call/record.ts';
import { RefusalError } from '../call/refusal.ts';
import { askAnew } from '../decisions/ask-anew.ts';
import type { GatePorts } from '../ports.ts';
import { withRiskShown } from '../store/asked-risk.ts';
import { changeCall, eventUpdate, keep, requireCall } from '../store/change-call.ts';
import { requests } from '../store/collections.ts';
import { readSession } from '../store/session-risk.ts';
import { failedBefore } from '../texts/notices.ts';
import { ALREADY_PROPOSED, editMisfit } from '../texts/refusals.ts';

/** A failed call that a person wants once more. */
export interface Retry {
  /** The key of the call. */
  readonly key: string;
  readonly actor: Actor;
  /** @default those that it failed with */
  readonly arguments?: JsonObject;
}

/**
 * Has people asked again about a call that failed, while its request is open for others beside it: the run waits for those, and
 * takes what then comes of the call as its end. Null where no run waits, so that it can only be asked for as a call of its own
 * (`proposeFollowUp`); for steps of plans, which what came after them went with; and for calls of programs.
 * @throws RefusalError where it's asked for already, or the arguments don't fit their schema
 */
export function retryCall(ports: GatePorts, { key, actor, ...wanted }: Retry): Promise<CallRecord | null> {
  return changeCall<CallRecord | null>(ports, key, async (stored) => {
    const call = requireCall(stored);
    const { requestId, tool, after, executor } = call;
    const request = requestId === null ? null : await ports.store.get(requests, requestId);
    if (request?.value.state !== 'open' || after !== undefined || executor !== undefined) return keep(null);
    if (call.state !== 'failed') throw new RefusalError('already_decided', ALREADY_PROPOSED, call);
    const args = wanted.arguments ?? call.arguments;
    const problems = callArgumentProblems(ports, tool, args);
    if (problems.length > 0)
      throw new RefusalError('invalid_arguments', editMisfit(problems), call, problems);
    const isEdited = !isDeepStrictEqual(args, call.arguments);
    const now = ports.clock();
    const asked: CallRecord = {
      ...(await askAnew(ports, { ...call, arguments: args, digest: toolDigest(tool, args) })),
      ...(isEdited && { edits: [...(call.edits ?? []), { by: actor, at: now }] }),
      ...{ outcome: null, endedAt: null, elicitationAnswer: null },
      askedAgain: failedBefore(actor.name),
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
