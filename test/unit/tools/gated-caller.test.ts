import { beforeEach, describe, expect, it } from 'vitest';
import { callKey } from '../../../src/gate/call/digest.ts';
import type { Outcome } from '../../../src/gate/call/outcome.ts';
import { compileIdempotentTools } from '../../../src/gate/policy/evaluate.ts';
import { createGatedCaller } from '../../../src/tools/gated-caller.ts';
import type { GatedCall, SendCall } from '../../../src/tools/ports.ts';
import { entriesOf } from '../../helpers/audit.ts';
import { askingTool, createFakeHub, ended, type FakeHub, success } from '../../helpers/fake-hub.ts';
import { beginning, createEvent, type OpenGate, openGate, opening, proposed } from '../../helpers/gate.ts';
import { ana, THREAD } from '../../helpers/people.ts';

let fixture: OpenGate;
let hub: FakeHub;
/** How long was waited between attempts, in milliseconds; nobody waits that long here. */
const waits: number[] = [];
beforeEach(() => {
  fixture = openGate();
  hub = createFakeHub(askingTool('calendar', 'list_rooms'));
});

function caller(send: SendCall = hub.send) {
  return createGatedCaller({
    maxConcurrentCalls: 8,
    gate: fixture.gate,
    send,
    async wait(ms) {
      waits.push(ms);
    },
    random: () => 1,
  });
}

async function input(
  call = proposed('c1', { name: 'list_events' }),
  signal = new AbortController().signal,
): Promise<GatedCall> {
  return { ...beginning(await fixture.fence(), call), signal, onProgress: () => {} };
}

describe('the gated caller', () => {
  it('has the intent on record before it sends', async () => {
    const states: string[] = [];
    const run = caller(async () => {
      states.push((await fixture.call('c1')).state);
      return ended(success('ok'));
    });
    await run(await input());
    expect(states).toEqual(['executing']);
    expect((await fixture.call('c1')).state).toBe('succeeded');
  });

  it('sends the call by the definition that was decided on', async () => {
    const sent: Parameters<SendCall>[0][] = [];
    const run = caller(async (call) => {
      sent.push(call);
      return ended(success('ok'));
    });
    await run(await input());
    expect(sent).toEqual([
      {
        server: 'calendar',
        name: 'list_events',
        arguments: { title: 'Standup' },
        definitionHash: createEvent.definitionHash,
        person: ana,
        threadId: THREAD,
        takesTask: true,
        callKey: callKey(THREAD, 'c1'),
        isApproved: false,
      },
    ]);
  });

  it('sends once, whoever asks again and however often', async () => {
    const asked = await input();
    await Promise.all([caller()(asked), caller()(asked), caller()(asked)]);
    expect((await caller()(await input())).state).toBe('succeeded');
    expect(hub.count('list_events')).toBe(1);
  });

  it('does not send what waits for a decision', async () => {
    const asked = await input(proposed('c1'));
    await fixture.gate.requests.open(opening(asked.fence, proposed('c1')));
    expect((await caller()(asked)).state).toBe('pending');
    expect(hub.sent).toEqual([]);
  });

  it('takes an answer to a form that comes before anybody listens', async () => {
    const form = {
      kind: 'form_elicitation',
      elicitationId: 'f1',
      message: 'm',
      requestedSchema: {},
    } as const;
    const answer = { action: 'decline', content: null } as const;
    const run = caller(async (_call, { onElicit, signal }) => {
      const answered = onElicit(form, signal);
      while ((await fixture.call('c1')).need === null) await new Promise(setImmediate);
      await fixture.gate.elicitation.answer(callKey(THREAD, 'c1'), ana, { elicitationId: 'f1', answer });
      return ended(success((await answered).action));
    });
    expect((await run(await input())).outcome).toEqual(success('decline'));
  });

  it('does not take the answer to another question for an answer to this one', async () => {
    const question = (elicitationId: string) =>
      ({ kind: 'form_elicitation', elicitationId, message: 'm', requestedSchema: {} }) as const;
    const answer = { action: 'accept', content: null } as const;
    const run = caller(async (_call, { onElicit }) => {
      const gone = new AbortController();
      const first = onElicit(question('f1'), gone.signal);
      while ((await fixture.call('c1')).need?.elicitationId !== 'f1') await new Promise(setImmediate);
      const second = onElicit(question('f2'), gone.signal);
      while ((await fixture.call('c1')).need?.elicitationId !== 'f2') await new Promise(setImmediate);
      await fixture.gate.elicitation.answer(callKey(THREAD, 'c1'), ana, { elicitationId: 'f2', answer });
      const accepted = await second;
      gone.abort();
      return ended(success(`${(await first).action} ${accepted.action}`));
    });
    expect((await run(await input())).outcome).toEqual(success('cancel accept'));
  });

  it.each([
    ['succeeded', success('x'), { content: [{ text: expect.stringContaining('could not be stored') }] }],
    ['failed', { status: 'failed', message: 'no such room', content: [] }, { message: 'no such room' }],
    ['in_doubt', { status: 'in_doubt', message: 'lost' }, { message: 'lost' }],
  ] satisfies [string, Outcome, object][])(
    'has it on record that a call %s, also where its answer cannot be kept',
    async (state, outcome, expected) => {
      const run = createGatedCaller({
        maxConcurrentCalls: 8,
        gate: fixture.gate,
        send: async () => ({ ...ended(outcome), retry: null }),
        keep: () => Promise.reject(new RangeError('Maximum call stack size exceeded')),
      });
      const call = await run(await input());
      expect(call.state).toBe(state);
      expect(call.outcome ?? call.doubt).toMatchObject(expected);
    },
  );

  describe('when the answer is lost', () => {
    const LOST = ended({ status: 'in_doubt', message: 'The connection was lost.' });
    const sends: number[] = [];
    beforeEach(async () => {
      fixture = openGate({ isIdempotent: ({ name }) => name === 'list_events' });
      sends.length = 0;
      waits.length = 0;
    });
    /** Sends in vain so many times. */
    const losing = (times: number): SendCall => {
      return async () => {
        sends.push((await fixture.call('c1')).attempt);
        return sends.length > times ? ended(success('ok')) : LOST;
      };
    };

    it('sends a call of an idempotent tool again, each time as a recorded attempt', async () => {
      expect((await caller(losing(2))(await input())).state).toBe('succeeded');
      expect(sends).toEqual([1, 2, 3]);
      expect(waits).toEqual([500, 1_000]);
    });

    it('gives it up after three attempts', async () => {
      expect((await caller(losing(9))(await input())).state).toBe('in_doubt');
      expect(sends).toEqual([1, 2, 3]);
    });

    it('leaves it at that when its server asks to be left alone for longer than the call may wait', async () => {
      const busy: SendCall = async () => {
        sends.push(1);
        return { ...LOST, retry: { afterMs: 90_000, withinMs: 60_000 } };
      };
      expect((await caller(busy)(await input())).state).toBe('in_doubt');
      expect(sends).toEqual([1]);
      expect(waits).toEqual([]);
    });

    it('sends it again when it did not reach its server, and then nothing is in doubt', async () => {
      const down: SendCall = async () => {
        sends.push((await fixture.call('c1')).attempt);
        const message = 'calendar is down; nothing was done.';
        const outcome = { status: 'failed' as const, message, content: [] };
        return { ...ended(outcome), retry: { afterMs: 700, withinMs: 60_000 } };
      };
      const call = await caller(down)(await input());
      expect(sends).toEqual([1, 2, 3]);
      expect(waits).toEqual([1_200, 1_700]);
      expect(call).toMatchObject({
        state: 'failed',
        tries: 3,
        outcome: { message: 'calendar is down; nothing was done. It was tried 3 times.' },
      });
      expect(call.doubt).toBeUndefined();
    });

    it('leaves it at that when the request has no attempts left for its tool, and says so', async () => {
      let left = 1;
      const mayRetry = () => left-- > 0;
      const call = await caller(losing(9))({ ...(await input()), mayRetry });
      expect(sends).toEqual([1, 2]);
      expect(waits).toEqual([500]);
      expect(call.outcome ?? call.doubt).toMatchObject({
        message: expect.stringMatching(
          /It was tried 2 times\. It is not tried again: this tool has no retries left/,
        ),
      });
    });

    it('sends what only reads again, where its server is trusted', async () => {
      const reading = proposed('c1', { name: 'list_rooms', readOnly: true });
      fixture = openGate({ isIdempotent: compileIdempotentTools({ idempotent: [] }) });
      expect((await caller(losing(1))(await input(reading))).state).toBe('succeeded');
      expect(sends).toEqual([1, 2]);
    });

    it('has the end of the attempt on record, also where no other can be begun', async () => {
      const sendAgain = () => Promise.reject(new Error('the store is away'));
      const run = createGatedCaller({
        maxConcurrentCalls: 8,
        gate: { ...fixture.gate, journal: { ...fixture.gate.journal, retry: sendAgain } },
        send: losing(9),
        wait: async () => {},
      });
      const call = await run(await input());
      expect(call.outcome ?? call.doubt).toMatchObject({ message: 'The connection was lost.' });
      expect(sends).toEqual([1]);
    });

    it('does not send it again when the run was stopped', async () => {
      const stop = new AbortController();
      const send: SendCall = async (...given) => {
        stop.abort();
        return losing(9)(...given);
      };
      const call = await caller(send)(await input(undefined, stop.signal));
      expect(call.state).toBe('in_doubt');
      expect(sends).toEqual([1]);
    });

    it('does not send a call of any other tool again', async () => {
      const other = proposed('c1', { name: 'list_rooms' });
      expect((await caller(losing(9))(await input(other))).state).toBe('in_doubt');
      expect(sends).toEqual([1]);
    });
  });

  it.each([
    ['asks', { action: 'ask' as const }, 'ask'],
    ['allows', { action: 'allow' as const }, 'allow'],
    ['refuses', { action: 'deny' as const }, 'deny'],
    ['wants on the web', { action: 'ask' as const, decideOn: 'web' as const }, 'deny'],
    ['wants typed', { action: 'ask' as const, confirmByTyping: ['messages'] }, 'deny'],
  ])('lets a server ask the model as the policy %s it', async (_what, says, expected) => {
    const base = { rule: 'r', reason: null, policyVersion: '' };
    fixture = openGate({
      evaluate: ({ tool }) => ({ ...base, ...(tool === 'sampling' ? says : { action: 'allow' }) }),
    });
    const request = { messages: [{ role: 'user' as const, text: 'hi' }], systemPrompt: null, maxTokens: 1 };
    const verdicts: unknown[] = [];
    const run = createGatedCaller({
      maxConcurrentCalls: 8,
      gate: fixture.gate,
      sample: async () => ({ model: 'm', text: '', isCut: false }),
      async send(_call, { sampling }) {
        verdicts.push(sampling?.verdict(request));
        return ended(success('ok'));
      },
    });
    await run(await input());
    expect(verdicts).toEqual([expected]);
  });

  it('enters into the audit that a server asks the model, also where nobody is asked about it', async () => {
    fixture = openGate({
      evaluate: () => ({ action: 'allow', rule: 'r7', reason: null, policyVersion: '' }),
    });
    const request = { messages: [{ role: 'user' as const, text: 'hi' }], systemPrompt: null, maxTokens: 1 };
    const heard: string[] = [];
    const known = async () =>
      (await entriesOf(fixture.store)).map(({ what, details }) => ({ what, ...details }));
    const run = createGatedCaller({
      maxConcurrentCalls: 8,
      gate: fixture.gate,
      async sample() {
        heard.push(...(await known()).flatMap(({ what }) => (what === 'model_asked' ? [what] : [])));
        return { model: 'm', text: '', isCut: false };
      },
      async send(_call, { sampling, signal }) {
        await sampling?.answer(request, signal);
        return ended(success('ok'));
      },
    });
    await run(await input());
    expect(heard).toEqual(['model_asked']);
    expect((await known()).find(({ what }) => what === 'model_asked')).toMatchObject({
      rule: 'r7',
      requestDigest: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
  });

  it('counts what the model said to a server as tokens of whose call it is', async () => {
    fixture = openGate({
      evaluate: () => ({ action: 'allow', rule: 'r7', reason: null, policyVersion: '' }),
    });
    const spent: object[] = [];
    const run = createGatedCaller({
      maxConcurrentCalls: 8,
      gate: fixture.gate,
      limits: {
        admitCall: async () => ({ refusal: null, outside: (work) => work(), end: () => undefined }),
        spend: (account, tokens) => void spent.push({ ...account, tokens }),
      },
      sample: async () => ({
        model: 'm',
        text: 'hello',
        isCut: false,
        tokens: { input: 9, cached: 2, output: 1 },
      }),
      async send(_call, { sampling, signal }) {
        const request = {
          messages: [{ role: 'user' as const, text: 'hi' }],
          systemPrompt: null,
          maxTokens: 1,
        };
        await sampling?.answer(request, signal);
        return ended(success('ok'));
      },
    });
    await run(await input());
    expect(spent).toEqual([
      { kind: 'person', owner: ana.id, channel: null, tokens: { input: 9, cached: 2, output: 1 } },
    ]);
  });

  it('answers a form with a cancellation when the run is stopped', async () => {
    const stop = new AbortController();
    const calling = caller()(await input(proposed('c1', { name: 'list_rooms' }), stop.signal));
    while ((await fixture.gate.calls.get(callKey(THREAD, 'c1')))?.need == null)
      await new Promise(setImmediate);
    stop.abort();
    expect((await calling).outcome).toEqual(success('cancel null'));
    expect((await fixture.call('c1')).need).toBeNull();
  });
});
