import { beforeEach, describe, expect, it, vi } from 'vitest';
import { lookUpId, type ProposedCall, type ToolSnapshot } from '../../../src/gate/types.ts';
import { FencedError } from '../../../src/lib/errors.ts';
import { UNTRACED } from '../../../src/lib/telemetry/tracing.ts';
import { createLookUp } from '../../../src/runs/look-up.ts';
import type { RunContext } from '../../../src/runs/ports.ts';
import { createGatedCaller } from '../../../src/tools/gated-caller.ts';
import type { SendCall, SendResult } from '../../../src/tools/ports.ts';
import { ended, success } from '../../helpers/fake-hub.ts';
import { createEvent, type OpenGate, openGate, opening, proposed } from '../../helpers/gate.ts';
import { ana, THREAD } from '../../helpers/people.ts';

const schema = { type: 'object', properties: { event_id: { type: 'string' } }, required: ['event_id'] };
const getEvent: ToolSnapshot = {
  ...createEvent,
  name: 'list_event',
  modelName: 'calendar__list_event',
  inputSchema: schema,
};

let fixture: OpenGate;
beforeEach(() => {
  fixture = openGate();
});

function deleting(callId: string, name = getEvent.name): ProposedCall {
  const card = { lookUp: { server: 'calendar', name } };
  const tool = { ...createEvent, name: 'delete_event', inputSchema: schema, card };
  return { ...proposed(callId), tool, arguments: { event_id: 'evt_1' } };
}

async function lookUp(
  calls: readonly ProposedCall[],
  send: SendCall,
  tools = [getEvent],
  server: Partial<Pick<Parameters<typeof createLookUp>[0], 'offer' | 'isComing'>> = {},
): Promise<readonly ProposedCall[]> {
  const callTool = createGatedCaller({ gate: fixture.gate, send, maxConcurrentCalls: 8 });
  const context: RunContext = {
    threadId: THREAD,
    runId: 'run-1',
    requester: ana,
    account: { kind: 'person', owner: ana.id, channel: null },
    tokens: { assertLeft: async () => undefined, spend: () => undefined },
    fence: await fixture.fence(),
    confirmLease: async () => undefined,
    signal: new AbortController().signal,
    emit: () => undefined,
    trace: UNTRACED.of({ id: 'run', traceparent: null }),
    whileWaiting: (wait) => wait(),
  };
  const { evaluate } = fixture.gate.policy;
  const up = { offer: async () => ({ tools }), isComing: () => false, ...server };
  const read = createLookUp({ evaluate, ...up, callTool, withinMs: 50, upWithinMs: 1_000 });
  return read(calls, context);
}

const recorded = (callId: string) => fixture.call(lookUpId(callId));

describe('a look-up', () => {
  it('is a call on record, with the arguments that both tools take', async () => {
    const sent: unknown[] = [];
    await lookUp([deleting('c1')], async ({ name, arguments: args }) => {
      sent.push([name, args]);
      return ended(success('Standup'));
    });
    expect(sent).toEqual([['list_event', { event_id: 'evt_1' }]]);
    expect(await recorded('c1')).toMatchObject({ state: 'succeeded', requester: ana });
  });

  it('of the calendar is made at once with the other, for the time that the call gives', async () => {
    const properties = {
      title: {},
      start: {},
      event_id: {},
      time_zone: { default: 'Europe/Berlin' },
      duration_minutes: {},
    };
    const card = {
      lookUp: { server: 'calendar', name: getEvent.name },
      agenda: {
        server: 'calendar',
        name: 'list_events',
        with: { from: '{span.from}', to: '{span.last_day}', zone: '{span.zone?}' },
      },
    };
    const tool = { ...createEvent, inputSchema: { type: 'object', properties }, card };
    const args = { event_id: 'evt_1', start: '2026-11-24T23:30:00', duration_minutes: 60 };
    const list = { ...getEvent, name: 'list_events', inputSchema: {} };
    const sent: unknown[] = [];
    const send: SendCall = async ({ name, arguments: given }) => {
      sent.push([name, given]);
      return ended(success('Standup'));
    };
    await lookUp([{ ...proposed('c1'), tool, arguments: args }], send, [getEvent, list]);
    const { duration_minutes: _none, ...endless } = args;
    await lookUp([{ ...proposed('c2'), tool, arguments: endless }], send, [list]);
    expect(sent).toEqual([
      ['list_event', { event_id: 'evt_1' }],
      ['list_events', { from: '2026-11-24T23:30:00+01:00', to: '2026-11-25', zone: 'Europe/Berlin' }],
    ]);
    expect(await fixture.call(lookUpId('c1', 'agenda'))).toMatchObject({ state: 'succeeded' });
  });

  it('is sent once, however often the request is about to open', async () => {
    const send = vi.fn<SendCall>(async () => ended(success('Standup')));
    await lookUp([deleting('c1')], send);
    await lookUp([deleting('c1')], send);
    expect(send).toHaveBeenCalledTimes(1);
  });

  it.each([
    ['the policy asks about it', 'create_event', [createEvent]],
    ['no such tool is offered', getEvent.name, []],
  ])('is not made where %s', async (_why, name, tools) => {
    const send = vi.fn<SendCall>(async () => ended(success('Standup')));
    await lookUp([deleting('c1', name)], send, tools);
    expect(send).not.toHaveBeenCalled();
  });

  it('is not made by another account of the same server, and is by any of another one', async () => {
    const send = vi.fn<SendCall>(async () => ended(success('Standup')));
    const account = { id: 'a2', name: 'work' };
    await lookUp([deleting('c1')], send, [{ ...getEvent, account }]);
    expect(send).not.toHaveBeenCalled();
    const { tool, ...call } = deleting('c2');
    const card = { lookUp: { server: 'mail', name: getEvent.name } };
    const elsewhere = { ...getEvent, server: 'mail', account };
    await lookUp([{ ...call, tool: tool && { ...tool, card } }], send, [elsewhere]);
    expect(send).toHaveBeenCalledTimes(1);
  });

  it('leaves out what a template marks as optional and the call doesn’t give, and nothing else', async () => {
    const send = vi.fn<SendCall>(async () => ended(success('Standup')));
    const withArguments = (given: Record<string, string>) => {
      const { tool, ...call } = deleting(given.to ?? '');
      const card = { lookUp: { server: 'calendar', name: getEvent.name, with: given } };
      return { ...call, tool: tool && { ...tool, card } };
    };
    for (const to of ['{guests?}', '{guests}'])
      await lookUp([withArguments({ event_id: '{event_id}', to })], send);
    expect(send.mock.calls.map(([{ arguments: args }]) => args)).toEqual([{ event_id: 'evt_1' }]);
  });

  it('waits for its server where that is being tried, as after a restart, longer than for an answer', async () => {
    const send = vi.fn<SendCall>(async () => ended(success('Standup')));
    let looks = 0;
    const isComing = (server: string) => server === 'calendar' && looks < 2;
    const offer = async () => {
      looks += 1;
      return { tools: looks < 2 ? [] : [getEvent] };
    };
    await lookUp([deleting('c1')], send, [], { offer, isComing });
    expect(send).toHaveBeenCalledTimes(1);
    expect(await recorded('c1')).toMatchObject({ state: 'succeeded' });
  });

  it('is left out where its server is not there in time', async () => {
    const send = vi.fn<SendCall>(async () => ended(success('Standup')));
    await lookUp([deleting('c1')], send, [], { isComing: () => true });
    expect(send).not.toHaveBeenCalled();
  });

  it('asks nobody to sign in', async () => {
    const blocked: SendResult = {
      kind: 'blocked',
      need: { kind: 'oauth_url', elicitationId: 'e1', message: 'Sign in', url: 'https://example.com' },
    };
    await lookUp([deleting('c1')], async () => blocked);
    expect(await recorded('c1')).toMatchObject({ state: 'failed', need: null });
  });

  it('opens no form', async () => {
    const need = {
      kind: 'form_elicitation',
      elicitationId: 'e1',
      message: 'Sure?',
      requestedSchema: {},
    } as const;
    await lookUp([deleting('c1')], async (_call, { onElicit }) => {
      const answer = await onElicit(need, new AbortController().signal);
      return ended(success(answer.action));
    });
    expect(await recorded('c1')).toMatchObject({ outcome: { content: [{ type: 'text', text: 'cancel' }] } });
  });

  it('fails without failing the run, and without the others', async () => {
    let sent = 0;
    await lookUp([deleting('c1'), deleting('c2')], async () => {
      sent += 1;
      if (sent > 1) return ended(success('ok'));
      return { kind: 'ended', outcome: { status: 'failed', message: 'gone', content: [] } };
    });
    const states = [(await recorded('c1')).state, (await recorded('c2')).state];
    expect(states.toSorted()).toEqual(['failed', 'succeeded']);
  });

  it('is given up where the server does not answer in time', async () => {
    await lookUp([deleting('c1')], (_call, { signal }) => {
      return new Promise((resolve) => {
        const lost = { kind: 'ended', outcome: { status: 'in_doubt', message: 'no answer' } } as const;
        if (signal.aborted) resolve(lost);
        signal.addEventListener('abort', () => resolve(lost));
      });
    });
    expect(await recorded('c1')).toMatchObject({ state: 'in_doubt' });
  });

  it('ends the work of a worker that has lost the thread', async () => {
    const work = lookUp([deleting('c1')], async () => {
      throw new FencedError();
    });
    await expect(work).rejects.toThrow(FencedError);
  });

  describe('that its template requires', () => {
    const requiring = (callId: string): ProposedCall => {
      const { tool, ...call } = deleting(callId);
      const card = { lookUp: { server: 'calendar', name: getEvent.name, isRequired: true } };
      return { ...call, tool: tool && { ...tool, card } };
    };
    const failed = (text: string, more: { readonly isImpossible?: true } = {}): SendResult => ({
      kind: 'ended',
      outcome: { status: 'failed', message: text, content: [{ type: 'text', text }], ...more },
    });

    it('refuses a call of which its tool says that there is nothing, and no other one', async () => {
      const calls = [requiring('c1'), deleting('c2')];
      const [first = deleting('c1'), second] = await lookUp(calls, async () =>
        failed('There is no such event.', { isImpossible: true }),
      );
      expect(first?.unavailableReason).toBe(
        'Nobody was asked about it, as it can’t be done: There is no such event.',
      );
      expect(second?.unavailableReason).toBeUndefined();
      const request = await fixture.gate.requests.open(opening(await fixture.fence(), first));
      expect(request.state).toBe('closed');
      expect(await fixture.call('c1')).toMatchObject({ state: 'failed' });
    });

    it.each([
      ['it can’t be read', async () => failed('The calendar refused (HTTP 403). Nothing was read.')],
      ['it is there', async () => ended(success('Standup'))],
    ])('leaves the call as it is where %s', async (_why, send) => {
      expect(await lookUp([requiring('c1')], send)).toEqual([requiring('c1')]);
    });
  });
});
