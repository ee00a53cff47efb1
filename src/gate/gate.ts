import type { JsonObject } from '../lib/json.ts';
import type { Fence } from '../storage/lease/types.ts';
import { readable, readableOf, unread } from '../storage/scan.ts';
import type { Stored } from '../storage/store.ts';
import { type HealthFact, healthFact } from './approval/metrics.ts';
import type { Actor } from './call/actor.ts';
import type { DecisionInput, DoubtWord } from './call/decision.ts';
import { callKey } from './call/digest.ts';
import type { GateEvent } from './call/events.ts';
import type { CallInput, ElicitationAnswer, Need } from './call/need.ts';
import type { Outcome } from './call/outcome.ts';
import type { Proposer } from './call/propose.ts';
import type { CallRecord, ProposedCall, RequestRecord, ToolSnapshot } from './call/record.ts';
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
import { type Waiting, waitingFor } from './delegation/inbox.ts';
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
import { calls, requests } from './store/collections.ts';
import { callsOf } from './store/commit.ts';
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
    evaluate: ports.evaluate,
    open: (open: OpenRequest) => openRequest(ports, open),
    decide: (inputs: readonly DecisionInput[], actor: Actor, also?: AlsoLand) => decided(inputs, actor, also),
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
    withdraw: (requestId: string, actor: Actor) =>
      refusals.watch({ actor, attempt: 'withdraw', names: [requestId] }, () =>
        withdraw(ports, requestId, actor),
      ),
    /** A person takes back this one call, as it was shown; its siblings stay. Claimed like a decision. */
    async withdrawCall(key: string, digest: string | null, actor: Actor): Promise<void> {
      await decided([{ callKey: key, digest, type: 'withdraw' }], actor);
    },
    /** Approves the call as it was shown, and gives a grant for others like it. */
    remember: (key: string, digest: string, terms: RememberTerms, actor: Actor) =>
      refusals.watch({ actor, attempt: 'remember', names: [key], shown: digest }, () =>
        approveAndRemember(ports, { callKey: key, digest }, terms, actor),
      ),
    /** Says beforehand whether this person could give a grant with the call; changes nothing. */
    checkRememberable: (key: string, actor: Actor) =>
      refusals.watch({ actor, attempt: 'open a form', names: [key] }, () => rememberable(ports, key, actor)),
    grantLimits: limitsOf(ports),
    isGranted: (from: Proposer, call: ProposedCall) => isGranted(ports, from, call),
    /** What this person has allowed, those that end first foremost; what is over goes from the list a day later. */
    grantsOf: (actorId: string) => grantsOf(ports, actorId),
    revokeGrant: (grantId: string, actor: Actor) =>
      refusals.watch({ actor, attempt: 'revoke', names: [grantId] }, () => revoke(ports, grantId, actor)),

    /** Names who decides in somebody's place while they are away. */
    delegate: (terms: DelegationTerms, from: Actor) =>
      refusals.watch({ actor: from, attempt: 'delegate', names: [terms.to.id] }, () =>
        delegate(ports, terms, from),
      ),
    endDelegation: (delegationId: string, actor: Actor) =>
      refusals.watch({ actor, attempt: 'end a delegation', names: [delegationId] }, () =>
        endDelegation(ports, delegationId, actor),
      ),
    /** Who stands in for this person, and for whom they do, now or later. */
    delegationsFrom: (actorId: string) => delegationsFrom(ports, actorId),
    standInsFor: (actorId: string) => standInsFor(ports, actorId),
    delegationsTo: (actorId: string) => delegationsTo(ports, actorId),
    /** Hands this one call to somebody, who decides it in the other's place. */
    handOver: (key: string, digest: string | null, to: Actor, from: Actor) =>
      refusals.watch({ actor: from, attempt: 'hand over', names: [key, to.id], shown: digest }, () =>
        handOver(ports, key, digest, to, from),
      ),
    takeHandOverBack: (key: string, actor: Actor) =>
      refusals.watch({ actor, attempt: 'take back', names: [key] }, () =>
        takeHandOverBack(ports, key, actor),
      ),

    /** Says that somebody who may decide is on it; `over`: also where somebody else is. */
    take: (key: string, over: boolean, actor: Actor) =>
      refusals.watch({ actor, attempt: over ? 'take over' : 'take', names: [key] }, () =>
        take(ports, key, over, actor),
      ),
    letGo: (key: string, actor: Actor) =>
      refusals.watch({ actor, attempt: 'let go', names: [key] }, () => letGo(ports, key, actor)),

    takeBack: (requestId: string, state: 'cancelled' | 'superseded', actor: Actor) =>
      takeBack(ports, requestId, state, actor),
    expire: () => expire(ports),
    remind: () => remind(ports),
    /** Puts the deadline of a call off; `seen` is how often it was already, as far as they know. */
    extend: (key: string, seen: number, actor: Actor) =>
      refusals.watch({ actor, attempt: 'extend', names: [key] }, () => extend(ports, key, seen, actor)),
    giveUp: (threadId: string, actor: Actor, fence: Fence) => giveUp(ports, threadId, actor, fence),
    close: (requestId: string, fence: Fence) => closeRequest(ports, requestId, fence),

    begin: (input: BeginCall) => begin(ports, input),
    isRepeatable: (attempt: CallRecord) => isRepeatable(ports, attempt),
    sendAgain: (attempt: CallRecord, fence: Fence, isUnclear?: boolean) =>
      sendAgain(ports, attempt, fence, isUnclear),
    finish: (attempt: CallRecord, outcome: Outcome) => finish(ports, attempt, outcome),
    /** As {@link block}; a page that is done with by then lets the call go on at once. */
    async block(attempt: CallRecord, need: Need, input?: CallInput): Promise<CallRecord> {
      const blocked = await block(ports, attempt, need, input);
      await pageWords.overtaken(blocked);
      return blocked;
    },
    askAnew: (attempt: CallRecord, tool: ToolSnapshot) => askAnew(ports, attempt, tool),
    /** As {@link askPerson}; the same of its page. */
    async askPerson(attempt: CallRecord, need: Need): Promise<CallRecord> {
      const asked = await askPerson(ports, attempt, need);
      await pageWords.overtaken(asked);
      return asked;
    },
    noteModelAsked: (attempt: CallRecord, rule: string, asked: JsonObject) =>
      noteModelAsked(ports, attempt, rule, asked),
    stopAsking: (attempt: CallRecord, elicitationId: string, why: NonNullable<ElicitationAnswer['closed']>) =>
      stopAsking(ports, attempt, elicitationId, why),
    answerElicitation: (key: string, elicitationId: string, answer: ElicitationAnswer, actor: Actor) =>
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
    pageDone: (done: PageDone) => pageWords.done(done),
    signedIn: (hasSignedIn: HasSignedIn, ...of: readonly [server: string, personId: string] | readonly []) =>
      signedIn(ports, hasSignedIn, of),
    /**
     * Enters into the audit what is refused outside of the gate: a stop by somebody else, a button that nobody
     * knows. What the gate itself refused is there already, and any other error is none.
     */
    watched: refusals.watch,
    /** As {@link Gate.watched}, where the refusal is at hand. Never rejects. */
    refused: refusals.record,

    async call(key: string): Promise<CallRecord | null> {
      return (await ports.store.get(calls, key))?.value ?? null;
    },
    async request(requestId: string): Promise<RequestRecord | null> {
      return (await ports.store.get(requests, requestId))?.value ?? null;
    },
    async callsOf(threadId: string, callIds: readonly string[]): Promise<readonly (CallRecord | null)[]> {
      return (await callsOf(ports, threadId, callIds)).map((call) => call?.value ?? null);
    },
    /** The request that the thread waits on; at most one is open. */
    async openRequest(threadId: string): Promise<RequestRecord | null> {
      const page = await ports.store.query(requests, 'openByThread', { prefix: [threadId] }, 1);
      return page.items[0]?.value ?? null;
    },
    /** As {@link upgradeCalls}. */
    upgrade: () => upgradeCalls(ports),
    /** What waits for this person, oldest first. */
    waitingFor: (actorId: string, limit: number): Promise<Waiting> => waitingFor(ports, actorId, limit),
    /** What this person's runs proposed, newest first. */
    async askedBy(actorId: string, limit: number): Promise<readonly CallRecord[]> {
      const range = { prefix: [actorId], descending: true };
      const page = await ports.store.query(unread(calls), 'byRequester', range, limit);
      return readable(ports, calls, page.items).map(({ value }) => value);
    },
    /** What was proposed in this thread, newest first. */
    async proposedIn(threadId: string, limit: number): Promise<readonly CallRecord[]> {
      const range = { prefix: [threadId], descending: true };
      return values(await ports.store.query(calls, 'byThread', range, limit));
    },
    /** How people decided what they were asked since then: of the latest calls, at most `limit`. */
    async approvalFacts(since: number, limit: number): Promise<readonly HealthFact[]> {
      const facts: HealthFact[] = [];
      const range = { from: [since], descending: true };
      for await (const { value } of readableOf(ports, calls, 'judged', range)) {
        const fact = healthFact(value);
        if (fact) facts.push(fact);
        if (facts.length >= limit) break;
      }
      return facts;
    },
    /** Threads with calls that are being sent or may be sent now. */
    async unfinishedThreads(): Promise<ReadonlySet<string>> {
      const threads = new Set<string>();
      for await (const { value } of readableOf(ports, calls, 'unfinished', {})) threads.add(value.threadId);
      return threads;
    },
  };
}
export type Gate = ReturnType<typeof createGate>;

function values<T>(page: { readonly items: readonly Stored<T>[] }): readonly T[] {
  return page.items.map((item) => item.value);
}

/** The threads that an event is about. */
export function threadsOf(event: GateEvent): readonly string[] {
  if ('request' in event) return [event.request.threadId];
  const calls = 'calls' in event ? event.calls : [event.call];
  return [...new Set(calls.map((call) => call.threadId))];
}
