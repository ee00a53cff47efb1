import type { JsonObject } from '../lib/json.ts';
import type { Fence } from '../storage/lease/types.ts';
import type { Actor } from './call/actor.ts';
import type { DecisionInput, DoubtAnswer } from './call/decision.ts';
import { callKey } from './call/digest.ts';
import type { GateEvent } from './call/events.ts';
import type { CallInput, ElicitationAnswer, Need } from './call/need.ts';
import type { Outcome } from './call/outcome.ts';
import type { Proposer } from './call/propose.ts';
import type { CallRecord, ProposedCall, RequestRecord, ToolSnapshot } from './call/record.ts';
import { createCallQueries } from './call-queries.ts';
import { checkDecidable, decide } from './decisions/decide.ts';
import { claim, unclaim } from './delegation/claim.ts';
import {
  activeDelegates,
  type DelegationTerms,
  delegate,
  delegationsFrom,
  delegationsTo,
  endDelegation,
} from './delegation/delegations.ts';
import { reassign, undoReassign } from './delegation/reassign.ts';
import { answerElicitation, checkAnswerable, retryBlocked } from './elicitation/answer.ts';
import { createPageCompletions, type PageCompleted } from './elicitation/page-completed.ts';
import { block, closeElicitation, recordSampling, requestForm } from './elicitation/request.ts';
import { type HasSignedIn, resumeAfterSignIn } from './elicitation/signed-in.ts';
import { abandon } from './execution/abandon.ts';
import { type BeginInput, begin, finish } from './execution/journal.ts';
import { isRepeatable, retryAttempt } from './execution/retry.ts';
import { reapprove } from './execution/tool-changed.ts';
import { effectiveGrantLimits, wouldBeGranted } from './grants/apply.ts';
import {
  approveWithGrant,
  findGrantableCall,
  type GrantTerms,
  listGrants,
  revokeGrant,
} from './grants/issue.ts';
import type { GatePorts, PrepareExtraWrites } from './ports.ts';
import { type Attempt, createRefusalLog } from './refusal-log.ts';
import { escalate } from './requests/escalate.ts';
import { expire } from './requests/expire.ts';
import { extend } from './requests/extend.ts';
import { closeRequest, type OpenRequest, openRequest } from './requests/open.ts';
import { cancelRequest, withdrawRequest } from './requests/withdraw.ts';
import { requests } from './store/collections.ts';
import { migrateCalls } from './store/migrate.ts';

export { type Attempt, callKey };

/** Policy, requests, decisions and journal over one store: the only way to a tool call. */
export function createGate(ports: GatePorts) {
  const refusals = createRefusalLog(ports);
  const pageCompletions = createPageCompletions(ports);

  /** Every attempt of a person's goes by here, so that a refused one is on record. */
  function decided(inputs: readonly DecisionInput[], actor: Actor, also?: PrepareExtraWrites, via?: 'web') {
    const attempt = [...new Set(inputs.map(({ type }) => type))].join(', ');
    const [first] = inputs;
    const shown = inputs.length === 1 ? (first?.digest ?? null) : null;
    const names = inputs.map((input) => input.callKey);
    return refusals.watch({ actor, attempt, ids: names, digest: shown }, () =>
      decide(ports, inputs, actor, also, via),
    );
  }

  return {
    policy: { evaluate: ports.evaluate },

    decisions: {
      decide: (inputs: readonly DecisionInput[], actor: Actor, also?: PrepareExtraWrites) =>
        decided(inputs, actor, also),
      /** As `decide`, by somebody whose sign-in on the web page was verified just now; for that page alone. */
      decideOnWeb: (input: DecisionInput, actor: Actor) => decided([input], actor, undefined, 'web'),
      checkDecidable: (key: string, digest: string | null, actor: Actor) =>
        refusals.watch({ actor, attempt: 'open a form', ids: [key], digest: digest }, () =>
          checkDecidable(ports, key, digest, actor),
        ),
      /** A person's word on a call of which nobody knows whether it happened; claimed like a decision. */
      async settleDoubt(key: string, digest: string | null, word: DoubtAnswer, actor: Actor): Promise<void> {
        await decided([{ callKey: key, digest, type: word }], actor);
      },
      /** A person takes back this one call, as it was shown; its siblings stay. Claimed like a decision. */
      async withdraw(key: string, digest: string | null, actor: Actor): Promise<void> {
        await decided([{ callKey: key, digest, type: 'withdraw' }], actor);
      },
    },

    requests: {
      open: (open: OpenRequest) => openRequest(ports, open),
      close: (requestId: string, fence: Fence) => closeRequest(ports, requestId, fence),
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
      takeBack: (requestId: string, state: 'cancelled' | 'superseded', actor: Actor) =>
        cancelRequest(ports, requestId, state, actor),
      expire: () => expire(ports),
      escalate: () => escalate(ports),
      /** Puts the deadline of a call off; `seen` is how often it was already, as far as they know. */
      extend: (key: string, seen: number, actor: Actor) =>
        refusals.watch({ actor, attempt: 'extend', ids: [key] }, () => extend(ports, key, seen, actor)),
    },

    grants: {
      limits: effectiveGrantLimits(ports),
      /** Whether a grant lets the call run without asking. */
      covers: (from: Proposer, call: ProposedCall) => wouldBeGranted(ports, from, call),
      /** What this person has allowed, those that end first foremost; what is over goes from the list a day later. */
      list: (actorId: string) => listGrants(ports, actorId),
      /** Approves the call as it was shown, and issues a grant for others like it. */
      approveAndIssue: (key: string, digest: string, terms: GrantTerms, actor: Actor) =>
        refusals.watch({ actor, attempt: 'remember', ids: [key], digest: digest }, () =>
          approveWithGrant(ports, { callKey: key, digest }, terms, actor),
        ),
      /** Says beforehand whether this person could issue a grant with the call; changes nothing. */
      checkIssuable: (key: string, actor: Actor) =>
        refusals.watch({ actor, attempt: 'open a form', ids: [key] }, () =>
          findGrantableCall(ports, key, actor),
        ),
      revoke: (grantId: string, actor: Actor) =>
        refusals.watch({ actor, attempt: 'revoke', ids: [grantId] }, () =>
          revokeGrant(ports, grantId, actor),
        ),
    },

    delegation: {
      /** Names who decides in somebody's place while they are away. */
      delegate: (terms: DelegationTerms, from: Actor) =>
        refusals.watch({ actor: from, attempt: 'delegate', ids: [terms.to.id] }, () =>
          delegate(ports, terms, from),
        ),
      end: (delegationId: string, actor: Actor) =>
        refusals.watch({ actor, attempt: 'end a delegation', ids: [delegationId] }, () =>
          endDelegation(ports, delegationId, actor),
        ),
      /** The delegations that this person has made, for now or for later. */
      from: (actorId: string) => delegationsFrom(ports, actorId),
      /** Who decides in this person's place now. */
      activeDelegates: (actorId: string) => activeDelegates(ports, actorId),
      /** The delegations that name this person, for now or for later. */
      to: (actorId: string) => delegationsTo(ports, actorId),
      /** Hands this one call to somebody, who decides it in the other's place. */
      reassign: (key: string, digest: string | null, to: Actor, from: Actor) =>
        refusals.watch({ actor: from, attempt: 'hand over', ids: [key, to.id], digest: digest }, () =>
          reassign(ports, key, digest, to, from),
        ),
      undoReassign: (key: string, actor: Actor) =>
        refusals.watch({ actor, attempt: 'take back', ids: [key] }, () => undoReassign(ports, key, actor)),
      /** Says that somebody who may decide is on it; `over`: also where somebody else is. */
      claim: (key: string, over: boolean, actor: Actor) =>
        refusals.watch({ actor, attempt: over ? 'take over' : 'take', ids: [key] }, () =>
          claim(ports, key, over, actor),
        ),
      unclaim: (key: string, actor: Actor) =>
        refusals.watch({ actor, attempt: 'let go', ids: [key] }, () => unclaim(ports, key, actor)),
    },

    journal: {
      begin: (input: BeginInput) => begin(ports, input),
      finish: (attempt: CallRecord, outcome: Outcome) => finish(ports, attempt, outcome),
      mayRetry: (attempt: CallRecord) => isRepeatable(ports, attempt),
      retry: (attempt: CallRecord, fence: Fence, isUnclear?: boolean) =>
        retryAttempt(ports, attempt, fence, isUnclear),
      reapprove: (attempt: CallRecord, tool: ToolSnapshot) => reapprove(ports, attempt, tool),
      abandon: (threadId: string, actor: Actor, fence: Fence) => abandon(ports, threadId, actor, fence),
      recordSampling: (attempt: CallRecord, rule: string, asked: JsonObject) =>
        recordSampling(ports, attempt, rule, asked),
    },

    elicitation: {
      /** As {@link block}; a page that is done with by then lets the call go on at once. */
      async block(attempt: CallRecord, need: Need, input?: CallInput): Promise<CallRecord> {
        const blocked = await block(ports, attempt, need, input);
        await pageCompletions.resumeIfCompleted(blocked);
        return blocked;
      },
      /** As {@link requestForm}; the same of its page. */
      async requestForm(attempt: CallRecord, need: Need): Promise<CallRecord> {
        const asked = await requestForm(ports, attempt, need);
        await pageCompletions.resumeIfCompleted(asked);
        return asked;
      },
      close: (attempt: CallRecord, elicitationId: string, why: NonNullable<ElicitationAnswer['closed']>) =>
        closeElicitation(ports, attempt, elicitationId, why),
      answer: (key: string, elicitationId: string, answer: ElicitationAnswer, actor: Actor) =>
        refusals.watch({ actor, attempt: `form ${answer.action}`, ids: [key] }, () =>
          answerElicitation(ports, key, elicitationId, answer, actor),
        ),
      checkAnswerable: (key: string, actor: Actor) =>
        refusals.watch({ actor, attempt: 'open a form', ids: [key] }, () =>
          checkAnswerable(ports, key, actor),
        ),
      retry: (key: string, actor: Actor) =>
        refusals.watch({ actor, attempt: 'retry', ids: [key] }, () => retryBlocked(ports, key, actor)),
      /** A server's word on a page, as {@link createPageCompletions} has it. */
      pageCompleted: (page: PageCompleted) => pageCompletions.complete(page),
      signedIn: (
        hasSignedIn: HasSignedIn,
        ...of: readonly [server: string, personId: string] | readonly []
      ) => resumeAfterSignIn(ports, hasSignedIn, of),
    },

    audit: {
      /**
       * Enters into the audit what is refused outside of the gate: a stop by somebody else, a button that nobody
       * knows. What the gate itself refused is there already, and any other error is none.
       */
      watch: refusals.watch,
      /** As `watch`, where the refusal is at hand. Never rejects. */
      recordRefusal: refusals.record,
    },

    calls: createCallQueries(ports),
    /** As {@link migrateCalls}. */
    migrate: () => migrateCalls(ports),
  };
}
export type Gate = ReturnType<typeof createGate>;

/** The threads that an event is about. */
export function threadsOf(event: GateEvent): readonly string[] {
  if ('request' in event) return [event.request.threadId];
  const calls = 'calls' in event ? event.calls : [event.call];
  return [...new Set(calls.map((call) => call.threadId))];
}
