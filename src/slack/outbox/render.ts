import type { KnownBlock } from '@slack/types';
import type { Gate } from '../../gate/index.ts';
import type { Actor, CallRecord, RequestRecord } from '../../gate/types.ts';
import { approvalTally, waitsForPerson } from '../../gate/types.ts';
import type { PersonalConnections } from '../../oauth/ports.ts';
import { nameTool } from '../../presentation/text/title.ts';
import type { Runs } from '../../runs/index.ts';
import { callCard } from '../cards/call-card.ts';
import type { CallView } from '../cards/call-view.ts';
import { connectLine, elicitationCard, elicitationDone } from '../cards/elicitation-cards.ts';
import { grantedLine, plainLine, plainMessages } from '../cards/plain-messages.ts';
import { teamPlanMessage } from '../cards/plan-block.ts';
import { questionCard } from '../cards/question-card.ts';
import { reminderLine } from '../cards/reminder-card.ts';
import { CARDS_IN_THREAD, isListed, pendingCalls, requestCard } from '../cards/request-card.ts';
import { lineText, stateLine } from '../cards/state-line.ts';
import {
  type ClosedPlace,
  closedLine,
  closedNotice,
  notificationLine,
  turnEndedLine,
  turnLine,
} from '../cards/turn-messages.ts';
import { repeatedRequestId } from '../people/approver-names.ts';
import { actorIdIn, isForOthers } from '../people/approvers.ts';
import { type Message, text } from '../text/block-kit.ts';
import { missingScopes, NOT_SHOWN, TOLD } from '../texts/messages.ts';
import { findOtherCard } from '../views/answer-pairs.ts';
import { needView, questionView, type Views } from '../views/call-views.ts';
import type { LimitQuestion, OutboxItem, ShownPrompt } from './collections.ts';
import { hasCard } from './enqueue.ts';
import { answered, answerMessages, failure, heldNotice, signInOver } from './message-notices.ts';
import { describeListed, describePrompts } from './prompts.ts';

export interface RenderPorts {
  readonly gate: Gate;
  readonly views: Views;
  readonly runs: Pick<Runs, 'item' | 'team' | 'thread' | 'waits'>;
  readonly connections: Pick<PersonalConnections, 'list'>;
  readonly limits: {
    /** The card that asks an admin about a limit, and says how that was answered. */
    readonly card: (question: LimitQuestion) => Promise<Rendered>;
    /** The message to those whose limit was extended; null where there is nothing to say. */
    readonly notice: (question: LimitQuestion) => Promise<Rendered | null>;
  };
  /** What became of the files of a drop; null where nothing is known of it. */
  readonly drop: (dropId: string) => Promise<Rendered | null>;
  /** Sends direct messages to a request's approvers who don't read its thread. */
  readonly summon: (requestId: string) => Promise<void>;
  /** Where and why a thread's conversation refused messages for good; null where it did not. */
  readonly closed: (threadId: string) => Promise<ClosedPlace | null>;
  /**
   * Who got a direct message about a request. `names`: of all but its requester. `callIds`: the calls that this user
   * decides; null for the requester, who is shown all.
   */
  readonly told: (
    requestId: string,
    user: string,
  ) => Promise<{ readonly names: readonly string[]; readonly callIds: readonly string[] | null }>;
}

/**
 * A row rendered from the current record. `messages` are posted, or updated where they were posted before. `onlyUpdate`: it is over, so
 * what was never posted needn't be.
 */
export interface Rendered {
  readonly messages: readonly Message<KnownBlock>[];
  readonly onlyUpdate: boolean;
  /** What they ask about calls. @default nothing */
  readonly prompts?: readonly ShownPrompt[];
  /** What they show. @default what the row names */
  readonly of?: OutboxItem;
}

export async function render(
  ports: RenderPorts,
  show: OutboxItem,
  threadId: string,
): Promise<Rendered | null> {
  switch (show.kind) {
    case 'call': {
      const view = await ports.views.card(show.callKey);
      if (!view) return null;
      const onlyUpdate = await isOnlyListed(ports.gate, view.call);
      return { messages: [renderItem(view)], onlyUpdate, prompts: describePrompts([view]) };
    }
    case 'beside': {
      const of = await findOtherCard(ports.gate, show.callKey);
      const rendered = of && (await render(ports, of, threadId));
      return rendered && { ...rendered, onlyUpdate: true, of };
    }
    case 'need': {
      const view = await ports.views.call(show.callKey, null);
      if (!view) return null;
      const need = needView(view);
      const kind = view.call.need?.kind;
      if (kind === 'oauth_url') return { messages: [connectLine(need)], onlyUpdate: false };
      if (kind === 'form_elicitation') return { messages: [elicitationCard(need)], onlyUpdate: false };
      const done = view.call.elicitationAnswer
        ? elicitationDone(need, answered(view.call))
        : await signInOver(ports, view, need);
      return { messages: [done], onlyUpdate: true };
    }
    case 'team': {
      const team = await ports.runs.team(show.itemId);
      return team && { messages: [teamPlanMessage(show.itemId, team)], onlyUpdate: false };
    }
    case 'files':
      return null;
    case 'request':
    case 'raise':
      return renderList(ports, show);
    case 'held': {
      const item = await ports.runs.item(show.itemId);
      return item && heldNotice(ports, item, threadId);
    }
    case 'answer': {
      const item = await ports.runs.item(show.itemId);
      if (!item?.response) return null;
      const messages =
        item.state === 'answered'
          ? await answerMessages(ports, item, item.response)
          : [await failure(ports, item, item.response)];
      return { messages, onlyUpdate: false };
    }
    case 'turn': {
      const view = await ports.views.call(show.callKey, null);
      if (!view) return null;
      const isSame = show.anew === undefined || show.anew === repeatedRequestId(view.call);
      const isNow = isSame && view.call.state === 'pending' && approvalTally(view.call).step === show.step;
      const mentions = isNow ? await ports.views.mentions([view.call]) : [];
      if (mentions.length === 0) return { messages: [turnEndedLine(view)], onlyUpdate: true };
      return { messages: [turnLine(view, mentions)], onlyUpdate: false };
    }
    case 'summons':
      return ports.summon(show.requestId).then(() => null);
    case 'told':
      return (await renderCards(ports, show)) ?? renderNotification(ports, show);
    case 'reminder': {
      const view = await ports.views.reminder(show.requestId, show.at);
      return view && { messages: [reminderLine(view)], onlyUpdate: view.calls.length === 0 };
    }
    case 'limit':
      return ports.limits.card(show.question);
    case 'extension':
      return ports.limits.notice(show.question);
    case 'drop':
      return ports.drop(show.dropId);
    case 'scopes':
      return { messages: [plainLine(missingScopes(show.missing))], onlyUpdate: false };
    case 'copy':
      return renderCopy(ports, show);
  }
}

async function renderList(
  ports: RenderPorts,
  { kind, requestId }: Extract<OutboxItem, { kind: 'request' | 'raise' }>,
): Promise<Rendered | null> {
  const view = await ports.views.request(requestId, null);
  if (!view) return null;
  const isNothing =
    kind === 'raise' ? pendingCalls(view.calls).length === 0 : view.calls.length < 2 && !view.isListed;
  if (isNothing) return null;
  const mentions = await ports.views.mentions(view.calls.map(({ call }) => call));
  // Whom one that is moved mentions has been notified where it stood before.
  const named = kind === 'raise' ? mentions.map(({ name }) => ({ name, element: text(name) })) : mentions;
  const messages = [requestCard({ ...view, mentions: named })];
  return { messages, onlyUpdate: false, prompts: describeListed(view) };
}

type Told = Extract<OutboxItem, { kind: 'told' }>;

async function renderNotification(ports: RenderPorts, { requestId, user }: Told): Promise<Rendered | null> {
  const request = await ports.gate.requests.get(requestId);
  const view = request && (await ports.views.request(requestId, toReader(request, user)));
  const calls = view?.calls.filter(({ call }) => isForOthers(call)) ?? [];
  if (calls.length === 0) return null;
  const isOver = calls.every(({ call }) => call.state !== 'pending');
  return { messages: [notificationLine(calls, user)], onlyUpdate: isOver };
}

/** Whom a direct message is shown to. */
function toReader(request: RequestRecord, user: string): Actor {
  return { id: actorIdIn(request, user), name: user };
}

/**
 * The cards of a request whose thread takes no messages, those that this person decides or asked for, below a line
 * that says so; null where it does, or there are none.
 */
async function renderCards(ports: RenderPorts, { requestId, user }: Told): Promise<Rendered | null> {
  const request = await ports.gate.requests.get(requestId);
  const place = request && (await ports.closed(request.threadId));
  if (!place) return null;
  const records = await ports.gate.calls.inThread(request.threadId, request.callIds);
  const { names, callIds } = await ports.told(requestId, user);
  // Who decides one call may be outside of the channel, and isn't shown what others decide.
  const shown = records
    .filter((call) => call !== null)
    .filter((call) => hasCard(call) && (callIds === null || callIds.includes(call.callId)));
  const calls = await ports.views.calls(shown, toReader(request, user));
  if (calls.length === 0) return null;
  const line = closedNotice({ calls, user, place, told: names });
  const shownCalls = calls.slice(0, CARDS_IN_THREAD);
  return {
    messages: [line, ...shownCalls.map(renderItem)],
    onlyUpdate: !calls.some(({ call }) => waitsForPerson(call)),
    prompts: describePrompts(shownCalls),
  };
}

async function renderCopy(
  ports: RenderPorts,
  { of, threadId }: Extract<OutboxItem, { kind: 'copy' }>,
): Promise<Rendered | null> {
  const place = await ports.closed(threadId);
  const original = of.kind === 'files' ? await renderRefused(ports, of) : await render(ports, of, threadId);
  if (place === null || original === null) return null;
  return { ...original, messages: [closedLine(place), ...original.messages] };
}

function renderItem(view: CallView): Message<KnownBlock> {
  const { kind, grant, requestId } = view.call;
  if (kind === 'question') return questionCard(questionView(view));
  return grant && requestId === null ? grantedLine(view) : callCard(view);
}

/** Whether the call is only in its request's list. One in doubt gets a card all the same: people have to say more. */
async function isOnlyListed(gate: Gate, { kind, requestId, isAlone, state }: CallRecord): Promise<boolean> {
  if (kind === 'question' || requestId === null || isAlone || state === 'in_doubt') return false;
  const request = await gate.requests.get(requestId);
  return request !== null && isListed(request);
}

/**
 * A substitute for what Slack refuses to show. A call that people can't see there can't be approved there
 * either; null where nothing that anybody needs is missing.
 */
export async function renderRefused(ports: RenderPorts, show: OutboxItem): Promise<Rendered | null> {
  const isList = show.kind === 'request' || show.kind === 'raise';
  const plan = isList ? await ports.views.request(show.requestId, null) : null;
  if (plan?.plan) {
    return {
      messages: [requestCard(plan, { isPlain: true })],
      onlyUpdate: false,
      prompts: describeListed(plan),
    };
  }
  const words = await describeRefused(ports, show);
  if (words === null) return null;
  const messages = show.kind === 'answer' ? plainMessages(words) : [plainLine(words)];
  return { messages, onlyUpdate: false };
}

async function describeRefused(ports: RenderPorts, show: OutboxItem): Promise<string | null> {
  switch (show.kind) {
    case 'call': {
      const view = await ports.views.call(show.callKey, null);
      if (!view) return null;
      const title = nameTool(view.call.tool);
      if (view.call.state !== 'pending') return TOLD.state(title, lineText(stateLine(view)));
      return view.call.kind === 'question' ? NOT_SHOWN.question : NOT_SHOWN.call(title);
    }
    case 'need': {
      const view = await ports.views.call(show.callKey, null);
      if (!view?.call.need) return null;
      return NOT_SHOWN.need(nameTool(view.call.tool));
    }
    case 'files':
      return NOT_SHOWN.files;
    case 'request':
    case 'raise':
      return NOT_SHOWN.request;
    case 'held':
      return NOT_SHOWN.held;
    case 'answer': {
      const item = await ports.runs.item(show.itemId);
      return item?.response ? NOT_SHOWN.answer(item.response) : null;
    }
    case 'beside':
    case 'team':
    case 'reminder':
    case 'turn':
    case 'summons':
    case 'told':
    case 'drop':
    case 'scopes':
    case 'limit':
    case 'extension':
      return null;
    case 'copy':
      return describeRefused(ports, show.of);
  }
}
