import type { Stored } from '../storage/store.ts';
import { checkDecidable, type DecisionInput, decide } from './decisions.ts';
import { callKey } from './digest.ts';
import { expire, takeBack, withdraw } from './endings.ts';
import { giveUp } from './give-up.ts';
import { askPerson, type BeginCall, begin, block, finish, sendAgain, stopAsking } from './journal.ts';
import { answerElicitation, checkAnswerable, retry } from './needs.ts';
import { everyOf } from './pages.ts';
import type { AlsoLand, Fence, GateEvent, GatePorts } from './ports.ts';
import { calls, requests } from './records.ts';
import { callsOf, closeRequest, type OpenRequest, openRequest } from './requests.ts';
import type {
  Actor,
  CallRecord,
  DoubtWord,
  ElicitationAnswer,
  Need,
  Outcome,
  RequestRecord,
} from './types.ts';

/** Policy, requests, decisions and journal over one store: the only way to a tool call. */
export function createGate(ports: GatePorts) {
  return {
    evaluate: ports.evaluate,
    open: (open: OpenRequest) => openRequest(ports, open),
    decide: (inputs: readonly DecisionInput[], actor: Actor, also?: AlsoLand) =>
      decide(ports, inputs, actor, also),
    checkDecidable: (key: string, digest: string | null, actor: Actor) =>
      checkDecidable(ports, key, digest, actor),
    /** A person's word on a call of which nobody knows whether it happened; claimed like a decision. */
    async settleDoubt(key: string, digest: string | null, word: DoubtWord, actor: Actor): Promise<void> {
      await decide(ports, [{ callKey: key, digest, type: word }], actor);
    },
    withdraw: (requestId: string, actor: Actor) => withdraw(ports, requestId, actor),
    /** A person takes back this one call, as it was shown; its siblings stay. Claimed like a decision. */
    async withdrawCall(key: string, digest: string | null, actor: Actor): Promise<void> {
      await decide(ports, [{ callKey: key, digest, type: 'withdraw' }], actor);
    },
    takeBack: (requestId: string, state: 'cancelled' | 'superseded', actor: Actor) =>
      takeBack(ports, requestId, state, actor),
    expire: () => expire(ports),
    giveUp: (threadId: string, actor: Actor, fence: Fence) => giveUp(ports, threadId, actor, fence),
    close: (requestId: string, fence: Fence) => closeRequest(ports, requestId, fence),

    begin: (input: BeginCall) => begin(ports, input),
    sendAgain: (attempt: CallRecord, fence: Fence) => sendAgain(ports, attempt, fence),
    finish: (attempt: CallRecord, outcome: Outcome) => finish(ports, attempt, outcome),
    block: (attempt: CallRecord, need: Need) => block(ports, attempt, need),
    askPerson: (attempt: CallRecord, need: Need) => askPerson(ports, attempt, need),
    stopAsking: (attempt: CallRecord) => stopAsking(ports, attempt),
    answerElicitation: (key: string, elicitationId: string, answer: ElicitationAnswer, actor: Actor) =>
      answerElicitation(ports, key, elicitationId, answer, actor),
    checkAnswerable: (key: string, actor: Actor) => checkAnswerable(ports, key, actor),
    retry: (key: string, actor: Actor) => retry(ports, key, actor),

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
    /** What waits for this person, oldest first. */
    async waitingFor(actorId: string, limit: number): Promise<readonly CallRecord[]> {
      return values(await ports.store.query(calls, 'waiting', { prefix: [actorId] }, limit));
    },
    /** What this person's runs proposed, newest first. */
    async askedBy(actorId: string, limit: number): Promise<readonly CallRecord[]> {
      const range = { prefix: [actorId], descending: true };
      return values(await ports.store.query(calls, 'byRequester', range, limit));
    },
    /** What was proposed in this thread, newest first. */
    async proposedIn(threadId: string, limit: number): Promise<readonly CallRecord[]> {
      const range = { prefix: [threadId], descending: true };
      return values(await ports.store.query(calls, 'byThread', range, limit));
    },
    /** Threads with calls that are being sent or may be sent now. */
    async unfinishedThreads(): Promise<ReadonlySet<string>> {
      const threads = new Set<string>();
      for await (const { value } of everyOf(ports.store, calls, 'unfinished', {}))
        threads.add(value.threadId);
      return threads;
    },
  };
}
export type Gate = ReturnType<typeof createGate>;

export { callKey };

function values<T>(page: { readonly items: readonly Stored<T>[] }): readonly T[] {
  return page.items.map((item) => item.value);
}

/** The threads that an event is about. */
export function threadsOf(event: GateEvent): readonly string[] {
  if ('request' in event) return [event.request.threadId];
  const calls = 'calls' in event ? event.calls : [event.call];
  return [...new Set(calls.map((call) => call.threadId))];
}
