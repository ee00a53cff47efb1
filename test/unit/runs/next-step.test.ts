import { describe, expect, it } from 'vitest';
import type { CallRecord, CallState, RequestRecord } from '../../../src/gate/call/record.ts';
import { idToLookUp, retryId } from '../../../src/gate/types.ts';
import type { MailboxItem } from '../../../src/runs/collections.ts';
import { type Facts, nextStep } from '../../../src/runs/next-step.ts';
import type { AgentState } from '../../../src/runs/ports.ts';
import { createEvent } from '../../helpers/gate.ts';
import { ana, bob } from '../../helpers/people.ts';

const request: RequestRecord = {
  requestId: 'req',
  threadId: 't',
  runId: 'r',
  interruptId: 'i',
  requester: ana,
  callIds: ['c1', 'c2'],
  state: 'open',
  createdAt: 1_000,
  closedAt: null,
};

function item(changes: Partial<MailboxItem> = {}): MailboxItem {
  return {
    itemId: 'm1',
    threadId: 't',
    actor: ana,
    text: 'hello',
    at: 1_500,
    receivedAt: 1_500,
    state: 'queued',
    runId: null,
    stoppedBy: null,
    response: null,
    ...changes,
  };
}

function call(callId: string, state: CallState, changes: Partial<CallRecord> = {}): CallRecord {
  return {
    callId,
    threadId: 't',
    runId: 'r',
    requestId: 'req',
    kind: 'tool',
    tool: createEvent,
    arguments: {},
    proposedArguments: {},
    digest: '',
    verdict: { action: 'ask', rule: 'default', reason: null, policyVersion: '' },
    state,
    decision: null,
    requester: ana,
    proposedAt: 1,
    attempt: 0,
    fence: null,
    intentAt: null,
    endedAt: null,
    outcome: null,
    need: null,
    elicitationAnswer: null,
    ...changes,
  };
}

const resting: AgentState = {
  interrupt: null,
  unfinished: false,
  response: null,
  read: [],
  plans: [],
  knows: () => true,
};
const paused: AgentState = { ...resting, interrupt: { interruptId: 'i', calls: [], answer: [], said: null } };
const unknowing: AgentState = { ...resting, knows: () => false };
const unfinished: AgentState = { ...resting, unfinished: true };
const running = item({ state: 'running', runId: 'r' });
const stopped = item({ state: 'running', runId: 'r', stoppedBy: ana });
const next = item({ itemId: 'm2' });
/** Withdrawn by their writer before they began. */
const dropped = item({ itemId: 'm3', actor: bob, state: 'held', heldFor: 'req', stoppedBy: bob });
const droppedInLine = item({ itemId: 'm3', actor: bob, stoppedBy: bob });
/** Held while another request was open. */
const heldForOther = item({ state: 'held', heldFor: 'another' });
const none: ReadonlySet<string> = new Set();

function facts(changes: Partial<Facts>): Facts {
  return {
    newMessage: 'hold',
    request: null,
    calls: [],
    inflight: none,
    lookedUp: none,
    agent: resting,
    tasks: [],
    waits: [],
    items: [],
    ...changes,
  };
}
const question = call('c1', 'pending', { kind: 'question' });
const withForm = call('c1', 'executing', {
  need: { kind: 'form_elicitation', elicitationId: 'f', message: '', requestedSchema: {} },
});

describe('the next step without an open request', () => {
  it.each<[string, Partial<Facts>, object]>([
    ['rests when there is nothing', {}, { do: 'rest' }],
    ['begins the first message', { items: [item(), next] }, { do: 'begin', item: item() }],
    [
      'begins a message that was held',
      { items: [item({ state: 'held' })] },
      { do: 'begin', item: item({ state: 'held' }) },
    ],
    [
      'begins again what was taken and never reached the graph',
      { items: [running], agent: unknowing },
      { do: 'begin', item: running },
    ],
    [
      'says of a held message that nothing it waited for is open, before it goes on',
      { items: [running, heldForOther], agent: paused },
      { do: 'hold', item: heldForOther, heldFor: null },
    ],
    [
      'goes on once that is said',
      { items: [running, item({ state: 'held', heldFor: null })], agent: paused },
      { do: 'open' },
    ],
    ['goes on with what the graph has left', { items: [running], agent: unfinished }, { do: 'continue' }],
    [
      'goes on with a message that the graph took and has not added yet',
      { items: [running], agent: { ...unknowing, unfinished: true } },
      { do: 'continue' },
    ],
    ['opens the request of an interrupt', { items: [running], agent: paused }, { do: 'open' }],
    ['concludes what the graph has ended', { items: [running, next] }, { do: 'conclude', item: running }],
    ['waits for what is still being sent', { items: [running], inflight: new Set(['c1']) }, { do: 'wait' }],
    ['abandons an interrupt that nothing runs for', { agent: paused, items: [next] }, { do: 'abandon' }],
    ['abandons what the graph has left of a run that was given up', { agent: unfinished }, { do: 'abandon' }],
  ])('%s', (_what, changes, step) => {
    expect(nextStep(facts(changes))).toEqual(step);
  });
});

describe('the next step where a message was withdrawn before it began', () => {
  it.each<[string, Partial<Facts>, MailboxItem]>([
    ['ends it while calls of somebody else wait', { request, calls: [call('c1', 'pending')] }, dropped],
    ['ends it while they are sent', { inflight: new Set(['c1']) }, droppedInLine],
    ['ends it where nothing runs', { items: [droppedInLine] }, droppedInLine],
  ])('%s', (_what, changes, withdrawn) => {
    const step = nextStep(facts({ items: [running, withdrawn], ...changes }));
    expect(step).toEqual({ do: 'drop', item: withdrawn, by: bob });
  });
});

describe('the next step with an open request', () => {
  const card = { lookUp: { server: 'calendar', name: 'get_event' } };
  const edited = call('c1', 'pending', {
    ...{ tool: { ...createEvent, card }, arguments: { event_id: 'e2' }, digest: 'd2' },
    proposedArguments: { event_id: 'e1' },
  });
  const again = call(retryId('c1'), 'pending', { tool: { ...createEvent, card } });
  it.each<[string, Partial<Facts>, object]>([
    ['waits while people have the word', { calls: [call('c1', 'pending')] }, { do: 'wait' }],
    [
      'looks up anew what the card of an edited call shows, once',
      { calls: [edited], items: [running] },
      { do: 'look_up', calls: [edited] },
    ],
    [
      'looks up what the card of a call shows that is tried again, which no run waits for',
      { calls: [again], items: [] },
      { do: 'look_up', calls: [again] },
    ],
    [
      'waits where that was looked up',
      { calls: [edited], items: [running], lookedUp: new Set([idToLookUp(edited)]) },
      { do: 'wait' },
    ],
    [
      'looks up nothing about what no run waits for but a program',
      { calls: [edited], items: [] },
      { do: 'wait' },
    ],
    [
      'looks up nothing of what was decided, has no such card, or is as it was proposed',
      {
        calls: [
          { ...edited, tool: createEvent },
          { ...edited, proposedArguments: edited.arguments },
          { ...edited, state: 'rejected' },
        ],
        items: [running],
      },
      { do: 'wait' },
    ],
    [
      'sends what was approved while others wait',
      { calls: [call('c1', 'approved'), call('c2', 'pending')] },
      { do: 'dispatch', calls: [call('c1', 'approved')] },
    ],
    [
      'sends an allowed call that may go on',
      { calls: [call('c1', 'allowed')] },
      { do: 'dispatch', calls: [call('c1', 'allowed')] },
    ],
    [
      'asks the journal about what a worker left behind',
      { calls: [call('c1', 'executing')] },
      { do: 'dispatch', calls: [call('c1', 'executing')] },
    ],
    [
      'does not send twice what is being sent',
      { calls: [call('c1', 'executing')], inflight: new Set(['c1']) },
      { do: 'wait' },
    ],
    [
      'resumes when every call has ended',
      { calls: [call('c1', 'succeeded'), call('c2', 'rejected')] },
      { do: 'resume', request },
    ],
    [
      'waits with resuming until what it sent has come back',
      { calls: [call('c1', 'succeeded')], inflight: new Set(['c1']) },
      { do: 'wait' },
    ],
    ['waits while people are asked what happened', { calls: [call('c1', 'in_doubt')] }, { do: 'wait' }],
    [
      'resumes with a call that is left in doubt',
      { calls: [call('c1', 'in_doubt', { endedAt: 1 })] },
      { do: 'resume', request },
    ],
    [
      'holds a message while people are asked what happened',
      { calls: [call('c1', 'in_doubt')], items: [running, next] },
      { do: 'hold', item: next, heldFor: 'req' },
    ],
    [
      'lets a message over HTTP take the place of the question what happened',
      { newMessage: 'supersede', calls: [call('c1', 'in_doubt')], items: [running, next] },
      { do: 'supersede', requests: [request] },
    ],
    ['waits while a call is blocked', { calls: [call('c1', 'blocked')] }, { do: 'wait' }],
    [
      'holds a message that comes meanwhile',
      { calls: [call('c1', 'pending')], items: [running, next] },
      { do: 'hold', item: next, heldFor: 'req' },
    ],
    [
      'holds a message while a call is blocked',
      { calls: [call('c1', 'blocked')], items: [running, next] },
      { do: 'hold', item: next, heldFor: 'req' },
    ],
    [
      'holds a message while a form of a running call is open',
      { calls: [withForm], inflight: new Set(['c1']), items: [running, next] },
      { do: 'hold', item: next, heldFor: 'req' },
    ],
    [
      'lets a message over HTTP take the place of a form',
      { newMessage: 'supersede', calls: [withForm], inflight: new Set(['c1']), items: [running, next] },
      { do: 'supersede', requests: [request] },
    ],
    [
      'holds the next message too',
      { calls: [call('c1', 'pending')], items: [running, item({ state: 'held', heldFor: 'req' }), next] },
      { do: 'hold', item: next, heldFor: 'req' },
    ],
    [
      'leaves a held message alone',
      { calls: [call('c1', 'pending')], items: [running, item({ state: 'held', heldFor: 'req' })] },
      { do: 'wait' },
    ],
    [
      'holds one anew that waited for another request',
      { calls: [question], items: [running, heldForOther] },
      { do: 'hold', item: heldForOther, heldFor: 'req' },
    ],
    [
      'lets a message wait when nothing is undecided',
      { calls: [call('c1', 'executing')], inflight: new Set(['c1']), items: [running, next] },
      { do: 'wait' },
    ],
    [
      'takes a reply of the one who was asked as the answer',
      { calls: [question], items: [running, next] },
      { do: 'answer', item: next, request, call: question },
    ],
    [
      'holds the reply of somebody else to a question',
      { calls: [question], items: [running, item({ actor: bob })] },
      { do: 'hold', item: item({ actor: bob }), heldFor: 'req' },
    ],
    [
      'holds what came before the question',
      { calls: [question], items: [running, item({ receivedAt: 999 })] },
      { do: 'hold', item: item({ receivedAt: 999 }), heldFor: 'req' },
    ],
    [
      'holds an empty reply',
      { calls: [question], items: [running, item({ text: ' ' })] },
      { do: 'hold', item: item({ text: ' ' }), heldFor: 'req' },
    ],
    [
      'lets a message over HTTP take the place of what waits',
      { newMessage: 'supersede', calls: [call('c1', 'pending')], items: [running, next] },
      { do: 'supersede', requests: [request] },
    ],
    [
      'lets a message over HTTP take the place of a question',
      { newMessage: 'supersede', calls: [question], items: [running, next] },
      { do: 'supersede', requests: [request] },
    ],
    [
      'lets a message over HTTP wait for what runs',
      {
        newMessage: 'supersede',
        calls: [call('c1', 'executing')],
        inflight: new Set(['c1']),
        items: [running, next],
      },
      { do: 'wait' },
    ],
  ])('%s', (_what, changes, step) => {
    expect(nextStep(facts({ request, items: [running], ...changes }))).toEqual(step);
  });
});

describe('the next step of a run that is to stop', () => {
  const job = { id: 'j1', isNumber: false, since: 1, until: null, isTask: false, tries: 1, retries: 0 };
  const jobCall = call('c1', 'executing', { job });
  it.each<[string, Partial<Facts>, object]>([
    ['stops before the graph begins', { agent: unknowing }, { do: 'stop', item: stopped, by: ana }],
    ['stops what the graph has left', { agent: unfinished }, { do: 'stop', item: stopped, by: ana }],
    ['stops at an interrupt', { agent: paused }, { do: 'stop', item: stopped, by: ana }],
    [
      'stops instead of sending',
      { request, agent: paused, calls: [call('c1', 'approved')] },
      { do: 'stop', item: stopped, by: ana },
    ],
    [
      'first waits for what was being sent',
      { request, agent: paused, calls: [call('c1', 'executing')], inflight: new Set(['c1']) },
      { do: 'wait' },
    ],
    [
      'first takes up a job that nobody follows, which is cancelled by that',
      { request, agent: paused, calls: [jobCall, call('c2', 'approved')] },
      { do: 'dispatch', calls: [jobCall] },
    ],
    [
      'waits for a job that is being cancelled',
      { request, agent: paused, calls: [jobCall], inflight: new Set(['c1']) },
      { do: 'wait' },
    ],
    ['concludes when there is nothing left to stop', {}, { do: 'conclude', item: stopped }],
  ])('%s', (_what, changes, step) => {
    expect(nextStep(facts({ items: [stopped], ...changes }))).toEqual(step);
  });
});
