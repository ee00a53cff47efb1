import { describe, expect, it } from 'vitest';
import type { CallRecord, RequestRecord } from '../../../../src/gate/call/record.ts';
import { toPendingActions } from '../../../../src/http/threads/pending-actions.ts';

const requester = { id: 'api:ci', name: 'ci' };

const REQUEST: RequestRecord = {
  requestId: 'r1',
  threadId: 'http:ci:t1',
  runId: 'run',
  interruptId: 'i',
  requester,
  callIds: [],
  state: 'open',
  createdAt: 0,
  closedAt: null,
};

function call(callId: string, parts: Partial<CallRecord> = {}): CallRecord {
  return {
    callId,
    threadId: 'http:ci:t1',
    runId: 'run',
    requestId: 'r1',
    kind: 'tool',
    tool: {
      server: 'calendar',
      name: 'create-event',
      modelName: 'calendar_create_event',
      title: 'Create event',
      description: '',
      inputSchema: {},
      definitionHash: '',
      destructive: false,
    },
    arguments: {},
    proposedArguments: {},
    digest: 'd',
    verdict: { action: 'ask', rule: 'default', reason: null, policyVersion: '' },
    state: 'pending',
    decision: null,
    requester,
    proposedAt: 0,
    attempt: 0,
    fence: null,
    intentAt: null,
    endedAt: null,
    outcome: null,
    need: null,
    elicitationAnswer: null,
    ...parts,
  };
}

const question = call('q', { kind: 'question', arguments: { question: 'Which Bob?' } });
const signIn = call('s', {
  state: 'blocked',
  need: { kind: 'oauth_url', elicitationId: 'e1', url: 'https://id.example', message: 'Sign in' },
});
const form = call('f', {
  state: 'executing',
  need: { kind: 'form_elicitation', elicitationId: 'e2', message: 'Which room?', requestedSchema: {} },
});

describe('pending actions', () => {
  it('come in the order in which they are to be dealt with', () => {
    const kinds = toPendingActions(REQUEST, [call('a'), signIn, form, question]).map(({ kind }) => kind);
    expect(kinds).toEqual(['clarification', 'form_elicitation', 'oauth_url', 'confirmation']);
  });

  it('show a call as its server names it, with its deadline and the latest of all', () => {
    const until = (callId: string, time: string) =>
      call(callId, {
        timing: {
          decideBy: Date.parse(time),
          answerBy: null,
          askedSince: 0,
          nextRungAt: null,
          climbed: [],
          extended: [],
        },
      });
    const proposed = [until('a', '2026-01-16T09:00:00Z'), until('b', '2026-01-16T08:00:00Z')];
    expect(toPendingActions(REQUEST, proposed)).toMatchObject([
      {
        kind: 'confirmation',
        request_id: 'r1',
        expires_at: '2026-01-16T09:00:00.000Z',
        tool_calls: [
          { call_id: 'a', tool_name: 'create-event', server: 'calendar', title: 'Create event' },
          { call_id: 'b', expires_at: '2026-01-16T08:00:00.000Z' },
        ],
      },
    ]);
  });

  it('have no deadline when one of the calls has none', () => {
    expect(toPendingActions(REQUEST, [call('a')])).toMatchObject([{ expires_at: null }]);
  });

  it('ask a question without context', () => {
    expect(toPendingActions(REQUEST, [question])).toEqual([
      { kind: 'clarification', clarifications: [{ call_id: 'q', question: 'Which Bob?', context: null }] },
    ]);
  });

  it('leave nothing out when the model’s question is none', () => {
    const odd = call('q', { kind: 'question', arguments: { question: 7 } });
    expect(toPendingActions(REQUEST, [odd])).toMatchObject([
      { clarifications: [{ call_id: 'q', question: '' }] },
    ]);
  });
});
