import {
  type BaseMessage,
  isAIMessage,
  isBaseMessage,
  isHumanMessage,
  isToolMessage,
} from '@langchain/core/messages';
import type { AuditAction } from '../../src/gate/audit/note.ts';
import { callDigest, callKey, recordKey } from '../../src/gate/call/digest.ts';
import { finalState } from '../../src/gate/call/lifecycle.ts';
import type { CallRecord } from '../../src/gate/call/record.ts';
import { calls, requests } from '../../src/gate/store/collections.ts';
import { isJsonObject } from '../../src/lib/json.ts';
import { mailbox } from '../../src/runs/collections.ts';
import { parseSlackPlace, parseSlackThreadId } from '../../src/slack/ids.ts';
import { entriesOf, problemsOf } from '../helpers/audit.ts';
import { cardsOf, listsOf, saidIn } from './cards.ts';
import { messagesOfPeople } from './events.ts';
import { threadsOfInbox, violationsOfInbox } from './inbox-invariants.ts';
import { leaksIn } from './leaks.ts';
import { answerOn, STOLEN } from './model.ts';
import { violationsOfPlans } from './plan-invariants.ts';
import { violationsOfPrograms } from './program-invariants.ts';
import { all, callsOf, itemsOf } from './record.ts';
import { callsSentFor, isApproved, proposedAnew, violationsOfTeams } from './team-invariants.ts';
import type { World } from './world.ts';

/** How much later than an acknowledgement the decision may be dated, in milliseconds: none but rounding. */
const CLOCK_GRAIN_MS = 5;

const WITHDRAWN: ReadonlySet<string> = new Set(['cancelled', 'ignored']);

/** What does not hold, in words, once all is quiet; empty when everything does. */
export async function violationsIn(world: World, ofPeople: readonly string[]): Promise<string[]> {
  const threadIds = [...ofPeople, ...(await threadsOfInbox(world))];
  const perThread = await Promise.all(threadIds.map((threadId) => violationsOfThread(world, threadId)));
  return [
    ...perThread.flat(),
    ...(await lostMessages(world)),
    ...(await strayRecords(world, threadIds)),
    ...(await violationsOfPrograms(world)),
    ...(await violationsOfTeams(world)),
    ...(await violationsOfInbox(world)),
    ...leaksIn(world),
    ...(await problemsOf(world.storage.store)).map((problem) => `the audit: ${problem}`),
    ...world.slots.flatMap(({ crashes }) => crashes),
    ...world.history.filter((line) => line.includes('!!!')),
  ];
}

async function violationsOfThread(world: World, threadId: string): Promise<string[]> {
  const found = await callsOf(world.storage.store, threadId);
  return [
    ...found.flatMap((call) => violationsOfCall(world, call, found)),
    ...(await unenteredCalls(world, threadId, found)),
    ...(await violationsOfPlans(world, threadId, found)),
    ...(await unansweredCalls(world, threadId, found)),
    ...(await unseenAnswers(world, threadId, found)),
  ];
}

/** Decisions and attempts that are on record and not in the audit, or the other way round. */
async function unenteredCalls(
  { storage: { store } }: World,
  threadId: string,
  found: readonly CallRecord[],
): Promise<string[]> {
  const entries = await entriesOf(store, threadId);
  return found.flatMap(({ callId, attempt, state, decision, executor }) => {
    const entered = (what: AuditAction) =>
      entries.filter((entry) => entry.callId === callId && entry.what === what).length;
    const isDecided = decision !== null && decision.type !== 'ignore';
    return [
      // A program that runs its own functions says nothing of it before it has.
      ...(executor === 'external' || entered('executing') === attempt
        ? []
        : [`the audit has ${entered('executing')} of ${attempt} attempts`]),
      ...(isDecided && entered('decided') === 0 ? ['the audit has no decision'] : []),
    ].map((what) => `${callId} (${state}): ${what}`);
  });
}

function violationsOfCall(world: World, call: CallRecord, found: readonly CallRecord[]): string[] {
  const problems: string[] = [];
  const report = (isBroken: boolean, what: string): void => {
    if (isBroken) problems.push(`${call.callId} (${call.state}): ${what}`);
  };
  const effects = world.ledger.effects.filter(({ entry }) => entry === call.arguments.entry);
  report(effects.length > 0 && call.arguments.entry === STOLEN, 'happened, and nobody asked for it');
  const wasApproved = isApproved(call);
  const isWrite = call.tool.name === 'add_entry' && call.tool.server === 'ledger';
  const end = finalState(call);
  // Its program went away without having been told, so nothing runs.
  const isLeft = call.executor === 'external' && call.state === 'approved';
  if (isWrite) {
    const anew = proposedAnew(call, found);
    const approved = [call, ...anew].filter(isApproved).length;
    report(
      anew.length > 0 && effects.length > approved,
      `happened ${effects.length} times, and was approved ${approved} times`,
    );
    // What a program, or a task that was begun again, asked for anew may have been approved anew.
    const isGivenUp = call.program !== undefined && world.gaveUp.has(String(call.arguments.entry));
    const isAskedAnew = isGivenUp || anew.length > 0;
    const isWrongCount =
      (effects.length > 1 && !isAskedAnew) || (call.state === 'succeeded' && effects.length === 0);
    report(isWrongCount, `happened ${effects.length} times`);
    // What happened is another's then, of which it counts with the approvals: see above, and `violationsOfPrograms`.
    const isOwn = effects.length > 0 && !(isAskedAnew && (end === 'not_run' || isLeft));
    report(isOwn && !wasApproved && call.doubt === undefined, 'happened without approval');
    report(isOwn && end === 'not_run' && call.doubt === undefined, 'happened, and is recorded as not run');
    report(isOwn && call.intentAt === null, 'happened without an intent on record');
    report(call.state === 'succeeded' && !wasApproved, 'ran without approval');
    const [effect] = effects;
    const isOther =
      effect !== undefined && call.attempt === 1 && call.arguments.amount !== effect.arguments.amount;
    report(isOther, `ran with ${JSON.stringify(effect?.arguments)}, not ${JSON.stringify(call.arguments)}`);
    // A tool that is away when its call is proposed is not asked about: the call has failed as it came.
    report(call.requestId === null && call.attempt > 0, 'was asked about in no request');
  }
  report(end === null && !isLeft, 'has not ended');
  report(end !== null && call.endedAt === null, 'has ended at no time');
  report(call.intentAt !== null && call.outcome === null && end !== 'not_run', 'was sent and has no outcome');
  report(
    call.outcome !== null && call.outcome.status !== call.state,
    `has the outcome ${call.outcome?.status}`,
  );
  const { server, name: tool, definitionHash } = call.tool;
  report(
    callDigest({ server, tool, definitionHash, arguments: call.arguments }) !== call.digest,
    'has another digest',
  );
  const acknowledgedAt = world.decided.get(recordKey(call));
  // Asked about a second time, the call has its second decision on record: after a doubt, or an edit of a step that it needs.
  const isLost =
    acknowledgedAt !== undefined &&
    call.doubt === undefined &&
    call.neededEdits === undefined &&
    (call.decision === null || call.decision.at > acknowledgedAt + CLOCK_GRAIN_MS);
  report(isLost, `an acknowledged decision was lost; on record is ${JSON.stringify(call.decision)}`);
  if (isWrite && parseSlackPlace(call.threadId)) {
    const cards = cardsOf(world, call);
    report(
      cards.some(({ decidable }) => decidable),
      'is still to be decided on a card',
    );
    report(
      call.state !== 'in_doubt' && cards.some(({ settleable }) => settleable),
      'is still in doubt on a card',
    );
    const lists = listsOf(world, call);
    report(
      lists.some(({ reviewable }) => reviewable),
      'is still to be decided in a list',
    );
    const shown = cards.length + lists.length;
    // A card that is deleted as its call was just decided isn't posted again: nobody has to see it any more.
    const isDeleted = world.deletedCards.some((card) => JSON.stringify(card).includes(recordKey(call)));
    report(call.state === 'succeeded' && shown === 0 && !isDeleted, 'is on no card and in no list');
    // What nobody knows of a listed call is asked on a card of its own.
    const most = lists.length > 0 && call.doubt !== undefined ? 2 : 1;
    report(shown > most || cards.length > 1, `is on ${cards.length} cards and in ${lists.length} lists`);
  }
  return problems;
}

/**
 * Each call that the model proposed is answered by one message, in the conversation as it is kept, and is on
 * record once it has come to the gate.
 */
async function unansweredCalls(
  world: World,
  threadId: string,
  found: readonly CallRecord[],
): Promise<string[]> {
  const tuple = await world.storage.checkpointer.getTuple({ configurable: { thread_id: threadId } });
  const values: unknown = tuple?.checkpoint.channel_values.messages;
  const messages = Array.isArray(values) ? values.filter((message) => isBaseMessage(message)) : [];
  const proposed = messages
    .filter((message) => isAIMessage(message))
    .flatMap(({ tool_calls: made }) => made ?? []);
  const answered = messages
    .filter((message) => isToolMessage(message))
    .map((message) => message.tool_call_id);
  const known = new Set(found.map(({ callId }) => callId));
  const items = await itemsOf(world.storage.store, threadId);
  const givenUp = new Set(
    items.filter(({ state }) => state === 'failed' || state === 'cancelled').map(({ itemId }) => itemId),
  );
  return [
    ...proposed.flatMap(({ id }) => {
      const times = answered.filter((callId) => callId === id).length;
      return times === 1 ? [] : [`${id} is answered ${times} times in ${threadId}`];
    }),
    ...proposed
      .filter((call) => wasAskedFor(call) && call.id !== undefined && !known.has(call.id))
      .filter(({ id = '', args }) => {
        const isOfOthers = world.ledger.count(String(args.entry)) <= callsSentFor(found, args.entry);
        return !(isOfOthers && neverCame(world, messages, givenUp, id));
      })
      .map(({ id }) => `${id} is not on record`),
  ];
}

/** What nobody asked for needs not come to the gate: it can't be read, there is no such tool, or it is one too many. */
function wasAskedFor({ name, args }: { readonly name: string; readonly args: { entry?: unknown } }): boolean {
  return name.endsWith('read_entries') || (args.entry !== undefined && args.entry !== STOLEN);
}

/**
 * Whether the call of an unknown `callId` is one that never came to the gate: its run failed or was stopped
 * between the model's word and the request. Nobody was asked about it, and its one answer says that it was not run.
 */
function neverCame(
  world: World,
  messages: readonly BaseMessage[],
  givenUp: ReadonlySet<string>,
  callId: string,
): boolean {
  const answer = messages.findIndex((message) => isToolMessage(message) && message.tool_call_id === callId);
  const asked = messages.slice(0, answer).findLast((message) => isHumanMessage(message));
  const isGivenUp = asked?.id !== undefined && givenUp.has(asked.id);
  const isToldSo = messages[answer]?.text.startsWith('Not run.') === true;
  if (isGivenUp && isToldSo) world.note(`${callId} never came to the gate`);
  return isGivenUp && isToldSo;
}

/** Every message has an end, and people see its answer. */
async function unseenAnswers(
  world: World,
  threadId: string,
  found: readonly CallRecord[],
): Promise<string[]> {
  const { driver } = world.workspace;
  const items = await itemsOf(world.storage.store, threadId);
  const shown = saidIn(world, threadId).map((message) => driver.text(message));
  return items.flatMap(({ itemId, runId, state, response, text, isTask }) => {
    // What an agent of a team says is for its composer.
    if (isTask) return [];
    // A run whose calls somebody withdrew ends without another word: the cards say so.
    const isWithdrawn = found.some((call) => call.runId === runId && WITHDRAWN.has(call.state));
    if (response === null && isWithdrawn) return [];
    if (response === null) return [`message ${itemId} is ${state} without an answer`];
    if (!parseSlackThreadId(threadId)) return [];
    const said = shown.filter((it) => it.includes(response)).length;
    const isOwn = state === 'answered' && response.startsWith(answerOn([]).slice(0, 9));
    return [
      ...(said === 0 ? [`nobody sees the answer to ${itemId} (${state}): ${response}`] : []),
      ...(isOwn && said > 1 ? [`the answer to ${itemId} (${text}) stands there ${said} times`] : []),
    ];
  });
}

/** Messages of which Slack was told that we have them, and which are not on record. */
async function lostMessages(world: World): Promise<string[]> {
  const known = new Set((await all(world.storage.store, mailbox, 'byThread')).map(({ id }) => id));
  const team = world.workspace.driver.workspace.team.id;
  const written = messagesOfPeople(world).flatMap(({ event }) =>
    isJsonObject(event) ? [`${event.channel}:${event.ts}`] : [],
  );
  return [...new Set([...world.acknowledged, ...written])]
    .filter((message) => !known.has(`slack:${team}:${message}`))
    .map(
      (message) =>
        `message ${message} ${world.acknowledged.has(message) ? 'was acknowledged and ' : ''}is not on record`,
    );
}

/** Requests and calls belong together, both ways. */
async function strayRecords(world: World, threadIds: readonly string[]): Promise<string[]> {
  const { store } = world.storage;
  const allCalls = await all(store, calls, 'byThread');
  const keys = new Set(allCalls.map(({ id }) => id));
  const found = await all(store, requests, 'byRequester');
  const known = new Set(found.map(({ id }) => id));
  return [
    ...found.flatMap(({ id, value }) => [
      ...(value.state === 'closed' || value.executor === 'external'
        ? []
        : [`request ${id} is ${value.state}`]),
      ...value.callIds
        .filter((callId) => !keys.has(callKey(value.threadId, callId)))
        .map((callId) => `request ${id} names ${callId}, which is not on record`),
    ]),
    ...allCalls
      .filter(({ value }) => value.requestId !== null && !known.has(value.requestId))
      .map(({ value }) => `${value.callId} names a request that is not on record`),
    ...allCalls
      .filter(({ value }) => !threadIds.includes(value.threadId))
      .map(({ value }) => `${value.callId} is in the unknown thread ${value.threadId}`),
  ];
}
