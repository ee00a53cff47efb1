import type { HomeView, KnownBlock, ModalView } from '@slack/types';
import { type CallRecord, type CallState, callStateSchema } from '../../src/gate/call/record.ts';
import { callCard } from '../../src/slack/cards/call-card.ts';
import {
  connectDone,
  connectLine,
  elicitationCard,
  elicitationDone,
  type NeedView,
} from '../../src/slack/cards/elicitation-cards.ts';
import { heldMessageCard, parkedLine } from '../../src/slack/cards/held-message-card.ts';
import {
  errorLine,
  failedLine,
  grantedLine,
  helpText,
  pendingText,
  plainLine,
  plainMessages,
  statusText,
} from '../../src/slack/cards/plain-messages.ts';
import { questionCard } from '../../src/slack/cards/question-card.ts';
import { saidMessage } from '../../src/slack/cards/quoted-blocks.ts';
import { reminderLine } from '../../src/slack/cards/reminder-card.ts';
import { requestCard } from '../../src/slack/cards/request-card.ts';
import {
  closedLine,
  closedNotice,
  notificationLine,
  reassignedLine,
  turnEndedLine,
  turnLine,
} from '../../src/slack/cards/turn-messages.ts';
import { textModal } from '../../src/slack/handlers/refusals.ts';
import { limitCard, toQuestion } from '../../src/slack/home/limit-card.ts';
import { toPage } from '../../src/slack/home/paging.ts';
import { homeView } from '../../src/slack/home/view.ts';
import { connectModal, ownConnectModal } from '../../src/slack/modals/connect.ts';
import { outOfOfficeModal, reassignModal } from '../../src/slack/modals/delegation.ts';
import { editModal } from '../../src/slack/modals/edit-arguments.ts';
import { elicitationModal } from '../../src/slack/modals/elicitation.ts';
import { fullCallModal, fullCallPage } from '../../src/slack/modals/full-call.ts';
import { grantModal } from '../../src/slack/modals/grant.ts';
import { alsoModal, ignoreModal, insteadModal, moreModal } from '../../src/slack/modals/more-actions.ts';
import { openPageModal } from '../../src/slack/modals/open-page.ts';
import { promptModal } from '../../src/slack/modals/prompt.ts';
import { questionModal } from '../../src/slack/modals/question.ts';
import { readListModal } from '../../src/slack/modals/read-list.ts';
import {
  feedbackModal,
  rejectAllModal,
  rejectModal,
  sayWhyAllModal,
  sayWhyModal,
} from '../../src/slack/modals/reject.ts';
import { resultModal } from '../../src/slack/modals/result.ts';
import { samplingModal } from '../../src/slack/modals/sampling-consent.ts';
import { reviewModal, reviewPage } from '../../src/slack/modals/tool-review.ts';
import { confirmModal } from '../../src/slack/modals/typed-confirmation.ts';
import { webLinkModal } from '../../src/slack/modals/web-decision.ts';
import type { Message } from '../../src/slack/text/block-kit.ts';
import { markdownMessages } from '../../src/slack/text/markdown.ts';
import type { PermissionsView } from '../../src/slack/views/types.ts';
import { UNCONNECTED } from '../helpers/personal-connection.ts';
import { approvedBy, callRecord, callView, NOW } from '../unit/slack/cards/fixtures.ts';
import { COMMAND_MESSAGES } from './command-surfaces.ts';
import { DOCUMENT_MESSAGES, LISTED } from './document-surfaces.ts';
import { INBOX, INBOX_MESSAGES, INBOX_VIEWS } from './inbox-surfaces.ts';
import { MEMORY, MEMORY_MESSAGES, MEMORY_VIEWS } from './memory-surfaces.ts';
import { PLAN_MESSAGES, PLAN_VIEWS } from './plan-surfaces.ts';
import { SCHEDULE_MESSAGES, SCHEDULED } from './schedule-surfaces.ts';

/** One thing that the app shows in Slack, rendered as it would be. */
export type Surface =
  | { readonly kind: 'message'; readonly name: string; readonly payload: Message<KnownBlock> }
  | { readonly kind: 'view'; readonly name: string; readonly payload: ModalView | HomeView };

const requester = { name: 'Ana', slackUser: 'U1' };
const need: NeedView = {
  callKey: 'k1',
  server: 'calendar',
  title: 'Create event',
  message: 'Which one?',
  isHidden: false,
  requester,
};
const person = { name: 'Bob', element: { type: 'user', user_id: 'U2' } } as const;
const asked = { question: 'Which room?', context: 'Two are free.' };
const { tool } = callRecord();
const place = { name: '#general', error: 'is_archived' };

const view = callView();
const long = callView({ arguments: { title: 'words '.repeat(5_000) } }, { callKey: 'k2' });
const destructive = callView({ tool: { ...tool, destructive: true } });
const typed = callView({
  verdict: { action: 'ask', rule: 'writes', reason: null, policyVersion: 'v1', confirmByTyping: ['title'] },
});
const grant = { grantId: 'g1', by: { id: 'slack:T1:U1', name: 'Ana' }, until: NOW + 3_600_000 };
const granted = callView({ state: 'succeeded', requestId: null, grant });
const question = { ...callView({ kind: 'question' }), ...asked };
const request = { requestKey: 'r1', calls: [view, long] };
const held = {
  server: 'ledger',
  tools: [
    { name: 'add', hash: 'h1', isNew: false, changes: ['- description: "one"', '+ description: "two"'] },
    { name: 'read', hash: 'h2', isNew: true, changes: [`+ description: "${'much. '.repeat(5_000)}"`] },
  ],
};
const servers = [
  {
    name: 'calendar',
    transport: 'in_process',
    protection: null,
    state: 'up',
    error: null,
    toolCount: 4,
    omitted: [],
  },
  {
    name: 'mail',
    transport: 'http',
    protection: null,
    state: 'down',
    error: 'refused',
    toolCount: 0,
    omitted: [],
  },
] as const;
const requestedSchema = {
  type: 'object',
  properties: {
    room: { type: 'string', enum: ['A', 'B'] },
    on: { type: 'string', format: 'date' },
    seats: { type: 'integer', minimum: 1 },
    beamer: { type: 'boolean' },
  },
  required: ['room'],
};

/** A call in this state, as far as its card needs it. */
function callIn(state: CallState): Partial<CallRecord> {
  const decision = state === 'pending' || state === 'allowed' ? null : approvedBy('Ana', 'edit', 'earlier');
  if (state === 'in_doubt') {
    const outcome = { status: 'in_doubt', message: 'The server did not answer.' } as const;
    return { state, decision, attempt: 1, doubt: { attempt: 1, said: null }, outcome };
  }
  return { state, decision, proposedArguments: {} };
}

const rule = {
  rule: 'writes',
  decided: 12,
  approved: 0,
  unread: 0,
  expired: 0,
  medianWaitMs: 45_000,
  p95WaitMs: 7_200_000,
  unreadShare: 0.25,
  expiredShare: 0,
};
const ana = { id: 'slack:T1:U1', name: 'Ana' };
const permissions: PermissionsView = {
  viewerId: ana.id,
  now: NOW,
  timeZone: 'UTC',
  grants: [
    {
      grantId: 'g1',
      by: ana,
      tool: { server: 'ledger', name: 'add_entry', title: 'Add entry' },
      definitionHash: 'v1',
      fixed: { entry: 'rent' },
      free: ['amount'],
      place: { kind: 'thread', threadId: 'slack:T1:C1:1.0' },
      threadId: 'slack:T1:C1:1.0',
      callId: 'c1',
      at: NOW,
      until: NOW + 86_400_000,
      limit: 20,
      used: 3,
      usedAt: NOW,
      ended: null,
    },
  ],
  mine: [
    {
      delegationId: 'd1',
      from: ana,
      to: { id: 'slack:T1:U2', name: 'Bob' },
      reason: null,
      begins: NOW,
      until: NOW + 86_400_000,
      at: NOW,
      ended: null,
    },
  ],
  others: [],
  names: { user: () => 'Bob', channel: () => null },
  tools: new Map(),
  channel: () => '#general',
};
const ASKED_ONCE = { daily: 2_000, question: 1, allowed: null } as const;
/** What an admin sees of limits, some of which are nearly used up. */
const use = {
  own: [
    { ...ASKED_ONCE, kind: 'person', id: ana.id, measure: 'calls', used: 1_950, limit: 2_000 },
    { ...ASKED_ONCE, kind: 'channel', id: 'slack:T1:C1', measure: 'tokens', used: 5, limit: 20_000_000 },
  ],
  near: [
    { ...ASKED_ONCE, kind: 'key', id: 'api:ci', measure: 'runs', used: 5_000, limit: 5_000, name: 'ci' },
  ],
  until: NOW,
  timeZone: 'UTC',
} as const;
const home = {
  threadUrl: () => 'https://example.slack.com/archives/C1/p1',
  botName: 'countersign',
  askedFilter: { chosen: null, kinds: [] },
  cards: new Map(),
  hasAsked: true,
  filter: null,
  servers,
  tools: [],
  examples: ['list events with calendar'],
  permissions: null,
  use,
};
const usedUp = toQuestion({ ...ASKED_ONCE, kind: 'key', id: 'api:ci', measure: 'cost', limit: 5 }, NOW);

const MESSAGES: Readonly<Record<string, Message<KnownBlock> | readonly Message<KnownBlock>[]>> = {
  ...Object.fromEntries(
    callStateSchema.options.map((state) => [`call card, ${state}`, callCard(callView(callIn(state)))]),
  ),
  'call card, too long to show whole': callCard(long),
  'call card, destructive': callCard(destructive),
  'call card, confirmed by typing': callCard(typed),
  'line of a granted call': grantedLine(granted),
  'several calls': requestCard({ ...request, isListed: false }),
  'list of several calls': requestCard({ ...request, isListed: true }),
  question: questionCard(question),
  'message held back': heldMessageCard({ key: 'p1', calls: [view, question] }),
  'message of somebody else held back': parkedLine('p1', 'Bob'),
  'what the agent says before calls': saidMessage(
    's1',
    'I will look at the calendar first, then book the room.',
  ),
  'the model was down': failedLine('The model could not be reached.', 'i1'),
  'a limit is used up': limitCard(usedUp, 'ci', null),
  'a limit extended': limitCard(usedUp, 'ci', { state: 'allowed', by: ana, amount: 50, wasAsked: true }),
  ...COMMAND_MESSAGES,
  ...DOCUMENT_MESSAGES,
  ...MEMORY_MESSAGES,
  ...SCHEDULE_MESSAGES,
  ...INBOX_MESSAGES,
  reminder: reminderLine({ key: 'm1', calls: [view], reminded: [person], added: [] }),
  'reminder, over': reminderLine({ key: 'm1', calls: [], reminded: [], added: [] }),
  'next approvers': turnLine(view, [person]),
  'next approvers, over': turnEndedLine(view),
  'direct message to whom a call is handed': reassignedLine(
    view,
    'Ana',
    () => 'https://example.slack.com/archives/C1',
  ),
  'direct message to an approver': notificationLine([view], 'U2'),
  'direct message for a closed channel, to an approver': closedNotice({
    calls: [view],
    user: 'U2',
    place,
    told: [],
  }),
  'direct message for a closed channel, to the requester': closedNotice({
    calls: [view, long],
    user: 'U1',
    place,
    told: ['Bob'],
  }),
  'line above a direct copy': closedLine(place),
  form: elicitationCard(need),
  'form, over': elicitationDone(need, 'answered by Ana'),
  'sign-in': connectLine(need),
  'sign-in, over': connectDone(need, { isConnected: true }),
  error: errorLine({ userMessage: 'The calendar is down.' }),
  line: plainLine('A line.'),
  'long text': plainMessages('words '.repeat(2_000)),
  answer: markdownMessages('# Title\n\nWith **words**, `code` and\n\n| a | b |\n| --- | --- |\n| 1 | 2 |\n'),
  'answer, long': markdownMessages('A sentence of some words. '.repeat(1_500)),
  help: helpText('countersign', ['list events with calendar']),
  status: statusText({
    servers,
    tools: [],
    maxTools: 0,
    waiting: [view],
    isMore: true,
    open: [granted],
    use,
    threadUrl: () => null,
  }),
  pending: pendingText({ waiting: [view], isMore: false, threadUrl: () => null }),
};

const VIEWS: Readonly<Record<string, ModalView | HomeView>> = {
  'full call': fullCallModal(view),
  'full call, second page': fullCallPage(long, 1, { callKey: '', digest: '' }),
  edit: editModal(view),
  reject: rejectModal(view),
  feedback: feedbackModal(view),
  'reject all': rejectAllModal(request),
  'say why all were rejected': sayWhyAllModal(request),
  ...PLAN_VIEWS,
  ...MEMORY_VIEWS,
  ...INBOX_VIEWS,
  'confirm by typing': confirmModal(typed),
  'more actions': moreModal(view, { claim: null, isHandedOver: false, mayRemember: true }),
  also: alsoModal(view),
  instead: insteadModal(view),
  'say why': sayWhyModal(view),
  result: resultModal(
    callView({
      state: 'succeeded',
      outcome: { status: 'succeeded', content: [{ type: 'text', text: 'a\nb' }], structured: { a: [1] } },
    }),
  ),
  'what was read': readListModal([view], ana),
  ignore: ignoreModal(view),
  reassign: reassignModal(view),
  'out of office': outOfOfficeModal(NOW, 'Europe/Berlin'),
  remember: grantModal(view, {
    viewerId: 'slack:T1:U1',
    now: NOW,
    timeZone: 'Europe/Berlin',
    limits: { forAtMostMs: 86_400_000, usesAtMost: 5 },
  }),
  'answer a question': questionModal(question),
  'fill in a form': elicitationModal({ ...need, elicitationId: 'e1' }, requestedSchema),
  'consent to sampling': samplingModal({ ...need, elicitationId: 'e1', isForModel: true }),
  'open a page': openPageModal({ ...need, elicitationId: 'e1' }, 'https://example.com/consent?id=1'),
  'sign in': connectModal(need, 'https://example.com/authorize?client_id=1'),
  connect: ownConnectModal({
    server: 'calendar',
    url: 'https://example.com/oauth/start?link=1',
    lifetimeMs: 600_000,
    why: 'Create event waits.',
  }),
  'use a prompt': promptModal(
    {
      server: 'calendar',
      name: 'plan',
      title: 'Plan my week',
      description: 'Plans it.',
      arguments: [{ name: 'from', description: 'The first day', required: true }],
    },
    'C1',
  ),
  'decide on the web': webLinkModal(view, 'https://example.com/decide/1'),
  'review of tools': reviewModal(held),
  'review of tools, second page': reviewPage(held, 1, ''),
  refusal: textModal('Not done', 'Only Bob can approve this.'),
  'Home, empty': homeView({
    ...home,
    hasAsked: false,
    waiting: toPage('waiting', [], 0, { isMore: false }),
    asked: toPage('asked', [], 0, { isMore: false }),
    reviews: null,
    health: null,
  }),
  'Home, full': homeView({
    ...home,
    filter: {
      chosen: 'all',
      options: [
        { filter: 'all', label: 'All' },
        { filter: 'due', label: 'Due soon' },
      ],
      of: 30,
    },
    waiting: toPage(
      'waiting',
      Array.from({ length: 30 }, (_, index) => callView({}, { callKey: `w${index}` })),
      0,
      { isMore: true },
    ),
    asked: toPage('asked', [granted], 0, { isMore: false }),
    connections: { connections: [UNCONNECTED], timeZone: 'UTC' },
    permissions,
    documents: LISTED,
    ...{ memory: MEMORY, schedules: SCHEDULED, inbox: INBOX },
    reviews: [held],
    health: { week: [rule], month: [rule], suggestions: [], ofLatest: 1_000 },
  }),
};

/** Every kind of message, modal and Home that the app shows, by the renderers that show them. */
export const SURFACES: readonly Surface[] = [
  ...Object.entries({ ...MESSAGES, ...PLAN_MESSAGES }).flatMap(([name, given]) =>
    [given].flat().map((payload): Surface => ({ kind: 'message', name, payload })),
  ),
  ...Object.entries(VIEWS).map(([name, payload]): Surface => ({ kind: 'view', name, payload })),
];
