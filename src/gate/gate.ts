import type { JsonObject } from '../lib/json.ts';
import type { Fence } from '../storage/lease/types.ts';
import type { Actor } from './call/actor.ts';
import type { DecisionInput, DoubtWord } from './call/decision.ts';
import { callKey } from './call/digest.ts';
import type { GateEvent } from './call/events.ts';
import type { CallInput, ElicitationAnswer, Need } from './call/need.ts';
import type { Outcome } from './call/outcome.ts';
import type { Proposer } from './call/propose.ts';
import type { CallRecord, ProposedCall, RequestRecord, ToolSnapshot } from './call/record.ts';
import { createCallQueries } from './call-queries.ts';
import { checkDecidable, decide } from './decisions/decide.ts';
import { letGo, take } from './delegation/claim.ts';
import {
  type DelegationTerms,
  delegate,
  delegationsFrom,
  delegationsTo,
  endDelegation,
  standInsFor,
} from './delegation/delegations.ts';
import { handOver, takeHandOverBack } from './delegation/reassign.ts';
import { answerElicitation, checkAnswerable, retry } from './elicitation/answer.ts';
import { createPageWords, type PageDone } from './elicitation/page-completed.ts';
import { askPerson, block, noteModelAsked, stopAsking } from './elicitation/request.ts';
import { type HasSignedIn, signedIn } from './elicitation/signed-in.ts';
import { giveUp } from './execution/abandon.ts';
import { type BeginCall, begin, finish } from './execution/journal.ts';
import { isRepeatable, sendAgain } from './execution/retry.ts';
import { askAnew } from './execution/tool-changed.ts';
import { isGranted, limitsOf } from './grants/apply.ts';
import { approveAndRemember, grantsOf, type RememberTerms, rememberable, revoke } from './grants/issue.ts';
import type { AlsoLand, GatePorts } from './ports.ts';
import { type Attempt, createRefusals } from './refusal-log.ts';
import { remind } from './requests/escalate.ts';
import { expire } from './requests/expire.ts';
import { extend } from './requests/extend.ts';
import { closeRequest, type OpenRequest, openRequest } from './requests/open.ts';
import { takeBack, withdraw } from './requests/withdraw.ts';
import { requests } from './store/collections.ts';
import { upgradeCalls } from './store/migrate.ts';

export { type Attempt, callKey };

/** Policy, requests, decisions and journal over one store: the only way to a tool call. */
export function createGate(ports: GatePorts) {
  const refusals = createRefusals(ports);
  const pageWords = createPageWords(ports);

  /** Every attempt of a person's goes by here, so that a refused one is on record. */
  function decided(inputs: readonly DecisionInput[], actor: Actor, also?: AlsoLand, via?: 'web') {
    const attempt = [...new Set(inputs.map(({ type }) => type))].join(', ');
    const [first] = inputs;
    const shown = inputs.length === 1 ? (first?.digest ?? null) : null;
    const names = inputs.map((input) => input.callKey);
    return refusals.watch({ actor, attempt, names, shown }, () => decide(ports, inputs, actor, also, via));
  }

  return {
    policy: { evaluate: ports.evaluate },

    decisions: {
      decide: (inputs: readonly DecisionInput[], actor: Actor, also?: AlsoLand) =>
        decided(inputs, actor, also),
      /** As `decide`, by somebody whose sign-in on the web page was verified just now; for that page alone. */
      decideOnWeb: (input: DecisionInput, actor: Actor) => decided([input], actor, undefined, 'web'),
      checkDecidable: (key: string, digest: string | null, actor: Actor) =>
        refusals.watch({ actor, attempt: 'open a form', names: [key], shown: digest }, () =>
          checkDecidable(ports, key, digest, actor),
        ),
      /** A person's word on a call of which nobody knows whether it happened; claimed like a decision. */
      async settleDoubt(key: string, digest: string | null, word: DoubtWord, actor: Actor): Promise<void> {
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
        refusals.watch({ actor, attempt: 'withdraw', names: [requestId] }, () =>
          withdraw(ports, requestId, actor),
        ),
      takeBack: (requestId: string, state: 'cancelled' | 'superseded', actor: Actor) =>
        takeBack(ports, requestId, state, actor),
      expire: () => expire(ports),
      escalate: () => remind(ports),
      /** Puts the deadline of a call off; `seen` is how often it was already, as far as they know. */
      extend: (key: string, seen: number, actor: Actor) =>
        refusals.watch({ actor, attempt: 'extend', names: [key] }, () => extend(ports, key, seen, actor)),
    },

    grants: {
      limits: limitsOf(ports),
      /** Whether a grant lets the call run without asking. */
      covers: (from: Proposer, call: ProposedCall) => isGranted(ports, from, call),
      /** What this person has allowed, those that end first foremost; what is over goes from the list a day later. */
      list: (actorId: string) => grantsOf(ports, actorId),
      /** Approves the call as it was shown, and issues a grant for others like it. */
      approveAndIssue: (key: string, digest: string, terms: RememberTerms, actor: Actor) =>
        refusals.watch({ actor, attempt: 'remember', names: [key], shown: digest }, () =>
          approveAndRemember(ports, { callKey: key, digest }, terms, actor),
        ),
      /** Says beforehand whether this person could issue a grant with the call; changes nothing. */
      checkIssuable: (key: string, actor: Actor) =>
        refusals.watch({ actor, attempt: 'open a form', names: [key] }, () =>
          rememberable(ports, key, actor),
        ),
      revoke: (grantId: string, actor: Actor) =>
        refusals.watch({ actor, attempt: 'revoke', names: [grantId] }, () => revoke(ports, grantId, actor)),
    },

    delegation: {
      /** Names who decides in somebody's place while they are away. */
      delegate: (terms: DelegationTerms, from: Actor) =>
        refusals.watch({ actor: from, attempt: 'delegate', names: [terms.to.id] }, () =>
          delegate(ports, terms, from),
        ),
      end: (delegationId: string, actor: Actor) =>
        refusals.watch({ actor, attempt: 'end a delegation', names: [delegationId] }, () =>
          endDelegation(ports, delegationId, actor),
        ),
      /** The delegations that this person has made, for now or for later. */
      from: (actorId: string) => delegationsFrom(ports, actorId),
      /** Who decides in this person's place now. */
      delegatesFor: (actorId: string) => standInsFor(ports, actorId),
      /** The delegations that name this person, for now or for later. */
      to: (actorId: string) => delegationsTo(ports, actorId),
      /** Hands this one call to somebody, who decides it in the other's place. */
      reassign: (key: string, digest: string | null, to: Actor, from: Actor) =>
        refusals.watch({ actor: from, attempt: 'hand over', names: [key, to.id], shown: digest }, () =>
          handOver(ports, key, digest, to, from),
        ),
      undoReassign: (key: string, actor: Actor) =>
        refusals.watch({ actor, attempt: 'take back', names: [key] }, () =>
          takeHandOverBack(ports, key, actor),
        ),
      /** Says that somebody who may decide is on it; `over`: also where somebody else is. */
      claim: (key: string, over: boolean, actor: Actor) =>
        refusals.watch({ actor, attempt: over ? 'take over' : 'take', names: [key] }, () =>
          take(ports, key, over, actor),
        ),
      unclaim: (key: string, actor: Actor) =>
        refusals.watch({ actor, attempt: 'let go', names: [key] }, () => letGo(ports, key, actor)),
    },

    journal: {
      begin: (input: BeginCall) => begin(ports, input),
      finish: (attempt: CallRecord, outcome: Outcome) => finish(ports, attempt, outcome),
      mayRetry: (attempt: CallRecord) => isRepeatable(ports, attempt),
      retry: (attempt: CallRecord, fence: Fence, isUnclear?: boolean) =>
        sendAgain(ports, attempt, fence, isUnclear),
      reapprove: (attempt: CallRecord, tool: ToolSnapshot) => askAnew(ports, attempt, tool),
      abandon: (threadId: string, actor: Actor, fence: Fence) => giveUp(ports, threadId, actor, fence),
      noteModelAsked: (attempt: CallRecord, rule: string, asked: JsonObject) =>
        noteModelAsked(ports, attempt, rule, asked),
    },

    elicitation: {
      /** As {@link block}; a page that is done with by then lets the call go on at once. */
      async block(attempt: CallRecord, need: Need, input?: CallInput): Promise<CallRecord> {
        const blocked = await block(ports, attempt, need, input);
        await pageWords.overtaken(blocked);
        return blocked;
      },
      /** As {@link askPerson}; the same of its page. */
      async askPerson(attempt: CallRecord, need: Need): Promise<CallRecord> {
        const asked = await askPerson(ports, attempt, need);
        await pageWords.overtaken(asked);
        return asked;
      },
      close: (attempt: CallRecord, elicitationId: string, why: NonNullable<ElicitationAnswer['closed']>) =>
        stopAsking(ports, attempt, elicitationId, why),
      answer: (key: string, elicitationId: string, answer: ElicitationAnswer, actor: Actor) =>
        refusals.watch({ actor, attempt: `form ${answer.action}`, names: [key] }, () =>
          answerElicitation(ports, key, elicitationId, answer, actor),
        ),
      checkAnswerable: (key: string, actor: Actor) =>
        refusals.watch({ actor, attempt: 'open a form', names: [key] }, () =>
          checkAnswerable(ports, key, actor),
        ),
      retry: (key: string, actor: Actor) =>
        refusals.watch({ actor, attempt: 'retry', names: [key] }, () => retry(ports, key, actor)),
      /** A server's word on a page, as {@link createPageWords} has it. */
      pageCompleted: (done: PageDone) => pageWords.done(done),
      signedIn: (
        hasSignedIn: HasSignedIn,
        ...of: readonly [server: string, personId: string] | readonly []
      ) => signedIn(ports, hasSignedIn, of),
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
    /** As {@link upgradeCalls}. */
    migrate: () => upgradeCalls(ports),
  };
}
export type Gate = ReturnType<typeof createGate>;

/** The threads that an event is about. */
export function threadsOf(event: GateEvent): readonly string[] {
  if ('request' in event) return [event.request.threadId];
  const calls = 'calls' in event ? event.calls : [event.call];
  return [...new Set(calls.map((call) => call.threadId))];
}
