import type { Fence } from '../storage/lease/types.ts';
import type { Actor } from './call/actor.ts';
import type { LaterSteps, RequestRecord } from './call/record.ts';
import type { GatePorts } from './ports.ts';
import type { RefusalLog } from './refusal-log.ts';
import { escalate } from './requests/escalate.ts';
import { expire, expireOne } from './requests/expire.ts';
import { extend } from './requests/extend.ts';
import { endForbidden } from './requests/forbid.ts';
import { endPlans } from './requests/later-steps.ts';
import { closeRequest, type OpenRequest, openRequest } from './requests/open.ts';
import { notePresence } from './requests/presence.ts';
import {
  type FollowUpProposal,
  type ProgramProposal,
  proposeCall,
  proposeFollowUp,
} from './requests/propose.ts';
import { reorderPlan } from './requests/reorder.ts';
import { checkRetry, type Retry, retryCall } from './requests/retry.ts';
import { cancelRequest, withdrawBroken, withdrawRequest } from './requests/withdraw.ts';
import { requests } from './store/collections.ts';

/** What is done with requests: opening, proposing, ending them. */
export function createRequests(ports: GatePorts, refusals: RefusalLog) {
  return {
    open: (open: OpenRequest) => openRequest(ports, open),
    close: (requestId: string, fence: Fence) => closeRequest(ports, requestId, fence),
    /** See {@link proposeCall}. */
    propose: (proposal: ProgramProposal) =>
      refusals.watch(
        {
          actor: proposal.requester,
          attempt: 'propose',
          ids: [proposal.call.callId],
          threadId: proposal.threadId,
        },
        () => proposeCall(ports, proposal),
      ),
    /** See {@link notePresence}. */
    notePresence: (key: string, program: Actor, options: { readonly isThere: boolean }) =>
      notePresence(ports, key, program, options),
    /** See {@link proposeFollowUp}. */
    followUp: (proposal: FollowUpProposal) => proposeFollowUp(ports, proposal),
    /** See {@link retryCall}. */
    retry: (retry: Retry) =>
      refusals.watch(
        { actor: retry.actor, attempt: 'try again', ids: [retry.key], digest: retry.digest },
        () => retryCall(ports, retry),
      ),
    /** See {@link checkRetry}. */
    checkRetry: (retry: Omit<Retry, 'arguments'>) =>
      refusals.watch(
        { actor: retry.actor, attempt: 'open a form', ids: [retry.key], digest: retry.digest },
        () => checkRetry(ports, retry),
      ),
    async get(requestId: string): Promise<RequestRecord | null> {
      return (await ports.store.get(requests, requestId))?.value ?? null;
    },
    /** The request that the thread waits on; at most one is open. */
    async openIn(threadId: string): Promise<RequestRecord | null> {
      const page = await ports.store.query(requests, 'openByThread', { prefix: [threadId] }, 1);
      return page.items[0]?.value ?? null;
    },
    withdraw: (requestId: string, actor: Actor) =>
      refusals.watch({ actor, attempt: 'withdraw', ids: [requestId] }, () =>
        withdrawRequest(ports, requestId, actor),
      ),
    /** See {@link reorderPlan}. */
    reorder: (requestId: string, actor: Actor, order: readonly string[]) =>
      refusals.watch({ actor, attempt: 'reorder', ids: [requestId] }, () =>
        reorderPlan(ports, requestId, actor, order),
      ),
    /** See {@link cancelRequest}. */
    cancel: (requestId: string, actor: Actor, options: { readonly as: 'cancelled' | 'superseded' }) =>
      cancelRequest(ports, requestId, actor, options),
    /** See {@link withdrawBroken}. */
    withdrawBroken: (requestId: string, fence: Fence) => withdrawBroken(ports, requestId, fence),
    /** See {@link endPlans}. */
    endPlans: (threadId: string, plans: readonly LaterSteps[], fence: Fence) =>
      endPlans(ports, threadId, plans, fence),
    expire: () => expire(ports),
    /** See {@link expireOne}. */
    expireOne: (requestId: string) => expireOne(ports, requestId),
    /** See {@link endForbidden}. */
    endForbidden: () => endForbidden(ports),
    escalate: () => escalate(ports),
    /** See {@link extend}. */
    extend: (key: string, actor: Actor, options: { readonly extensionsSeen: number }) =>
      refusals.watch({ actor, attempt: 'extend', ids: [key] }, () => extend(ports, key, actor, options)),
  };
}
