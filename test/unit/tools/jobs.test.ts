import { beforeEach, describe, expect, it } from 'vitest';
import { callKey } from '../../../src/gate/call/digest.ts';
import type { Outcome } from '../../../src/gate/call/outcome.ts';
import type { Progress } from '../../../src/gate/types.ts';
import { FencedError, StoppedError } from '../../../src/lib/errors.ts';
import type { JsonObject } from '../../../src/lib/json.ts';
import { jobRules } from '../../../src/mcp/config/jobs.ts';
import { inProcessServerSchema } from '../../../src/mcp/config/schema.ts';
import { createGatedCaller } from '../../../src/tools/gated-caller.ts';
import type { GatedCall, SendResult } from '../../../src/tools/ports.ts';
import {
  createFakeHub,
  ended,
  type FakeHub,
  failure,
  ofOwnAccount,
  success,
} from '../../helpers/fake-hub.ts';
import { beginning, type OpenGate, openGate, proposed } from '../../helpers/gate.ts';
import { ana, THREAD } from '../../helpers/people.ts';

const jobs = jobRules({
  calendar: inProcessServerSchema.parse({
    in_process: 'calendar',
    jobs: {
      list_events: {
        id: 'job.id',
        status: 'job_state',
        cancel: 'stop_job',
        progress: 'done',
        total: 'all',
        message: 'said',
      },
    },
  }),
});

let fixture: OpenGate;
let hub: FakeHub;
let progress: Progress[];
/** What the server answers about the job, in turn; the last one from then on. */
let answers: SendResult[];

const wantsSignIn: SendResult = {
  kind: 'blocked',
  need: { kind: 'oauth_url', elicitationId: 'e1', url: 'https://sign.in/', message: 'Sign in.' },
};

function structured(content: JsonObject): SendResult {
  const outcome: Outcome = { status: 'succeeded', content: [], structured: content };
  return ended(outcome);
}

beforeEach(() => {
  fixture = openGate();
  progress = [];
  answers = [structured({ status: 'running', done: 1, all: 4 }), structured({ status: 'Done', total: 7 })];
  hub = createFakeHub(
    { server: 'calendar', name: 'list_events', run: () => structured({ job: { id: 'j1' } }) },
    {
      server: 'calendar',
      name: 'job_state',
      run: () => (answers.length > 1 ? answers.shift() : answers[0]) ?? ended(failure('no answer')),
    },
    { server: 'calendar', name: 'stop_job', run: () => ended(success('stopping')) },
  );
});

interface Process {
  readonly stopping?: AbortSignal;
  /** Called at each pause between two questions. */
  readonly onWait?: (ms: number) => unknown;
}

function caller({ stopping, onWait }: Process = {}) {
  return createGatedCaller({
    maxConcurrentCalls: 8,
    gate: fixture.gate,
    send: hub.send,
    jobs,
    clock: fixture.ports.clock,
    ...(stopping && { stopping }),
    wait: async (ms) => void (await onWait?.(ms)),
  });
}

async function input(signal = new AbortController().signal): Promise<GatedCall> {
  return {
    ...beginning(await fixture.fence(), proposed('c1', { name: 'list_events' })),
    signal,
    onProgress: (it) => void progress.push(it),
  };
}

describe('a call that starts a job', () => {
  it('goes on until the job has ended, and its result is the last answer about it', async () => {
    const waits: number[] = [];
    const record = await caller({ onWait: (ms) => waits.push(ms) })(await input());
    expect(record.state).toBe('succeeded');
    expect(record.outcome).toMatchObject({ structured: { status: 'Done', total: 7 } });
    expect(hub.sent.slice(1).map((call) => call.arguments)).toEqual([{ id: 'j1' }, { id: 'j1' }]);
    expect(progress).toMatchObject([{ progress: 1, total: 4, message: null }]);
    expect(waits).toEqual([2_000]);
  });

  it('is over at once where its result names no job', async () => {
    hub.offer({ server: 'calendar', name: 'list_events', run: () => structured({ events: [] }) });
    expect((await caller()(await input())).state).toBe('succeeded');
    expect(hub.count('job_state')).toBe(0);
  });

  it.each([
    ['"12"', '12'],
    ['12', 12],
  ])('finds the id in a text that is JSON, and asks about it as it is: %s', async (id, asked) => {
    hub.offer({ server: 'calendar', name: 'list_events', run: () => ended(success(`{"job":{"id":${id}}}`)) });
    await caller()(await input());
    expect(hub.sent[1]?.arguments).toEqual({ id: asked });
  });

  it('is in doubt where its id is a number that would be read as another one', async () => {
    const id = '9007199254740993';
    hub.offer({ server: 'calendar', name: 'list_events', run: () => ended(success(`{"job":{"id":${id}}}`)) });
    expect(await caller()(await input())).toMatchObject({
      state: 'in_doubt',
      outcome: { message: expect.stringContaining('too large to be read exactly') },
    });
    expect(hub.count('job_state')).toBe(0);
  });

  it('is followed by the next process after a restart, and sent once', async () => {
    const first = new AbortController();
    const stopped = caller({ stopping: first.signal, onWait: () => first.abort() })(await input());
    await expect(stopped).rejects.toBeInstanceOf(FencedError);
    expect(await fixture.call('c1')).toMatchObject({ state: 'executing', job: { id: 'j1' } });
    const record = await caller()(await input());
    expect(record.state).toBe('succeeded');
    expect(hub.count('list_events')).toBe(1);
  });

  it.each([
    ['failed', { status: 'ERROR', said: 'no room' }, 'The job failed: no room'],
    ['failed', { status: 'canceled' }, 'The job was cancelled.'],
  ])('%s when its job did', async (state, answer, message) => {
    answers = [structured(answer)];
    expect(await caller()(await input())).toMatchObject({ state, outcome: { message } });
  });

  it('fails with what is the requester’s alone where the server answers over their own account', async () => {
    const status: JsonObject = { status: 'failed', said: 'salary of Ana' };
    answers = [ended({ status: 'succeeded', content: [], structured: status, ownAccount: true })];
    expect(await caller()(await input())).toMatchObject({ state: 'failed', outcome: { ownAccount: true } });
  });

  it('is unclear without the words of the server where they are the requester’s alone', async () => {
    answers = [ofOwnAccount('salary of Ana')];
    expect(await caller()(await input())).toMatchObject({
      state: 'in_doubt',
      outcome: { message: 'calendar does not say how far job j1 is.' },
    });
  });

  it('takes 500 characters of what its server says', async () => {
    const said = 'x'.repeat(2_000);
    answers = [structured({ status: 'running', said }), structured({ status: 'failed', said })];
    const record = await caller()(await input());
    expect(progress).toMatchObject([{ message: 'x'.repeat(500) }]);
    expect(record).toMatchObject({ outcome: { message: `The job failed: ${'x'.repeat(500)}` } });
  });

  it('cancels its job when a person stops it, and says what became of it', async () => {
    const person = new AbortController();
    answers = [structured({ status: 'running' }), structured({ status: 'cancelled', said: 'by request' })];
    const onWait = () => person.abort(new StoppedError(ana));
    const record = await caller({ onWait })(await input(person.signal));
    expect(hub.sent.map(({ name }) => name)).toEqual(['list_events', 'job_state', 'stop_job', 'job_state']);
    expect(record).toMatchObject({
      outcome: { message: 'The job was cancelled: by request', stoppedBy: ana },
    });
  });

  it('is cancelled by the next process where a person had stopped it before that took it up', async () => {
    const first = new AbortController();
    await caller({ stopping: first.signal, onWait: () => first.abort() })(await input()).catch(() => null);
    answers = [structured({ status: 'cancelled' })];
    const stopped = AbortSignal.abort();
    await expect(caller()(await input(stopped))).rejects.toBe(stopped.reason);
    const record = await caller()({ ...(await input(stopped)), isUnderWay: true });
    expect(record).toMatchObject({ outcome: { message: 'The job was cancelled.', jobEnd: 'cancelled' } });
    expect(hub.sent.map(({ name }) => name)).toEqual(['list_events', 'job_state', 'stop_job', 'job_state']);
  });

  it('is in doubt when the server does not cancel it in time', async () => {
    const person = new AbortController();
    answers = [structured({ status: 'running' })];
    const onWait = () => {
      person.abort();
      fixture.time.now += 10_000;
    };
    const record = await caller({ onWait })(await input(person.signal));
    expect(record).toMatchObject({
      state: 'in_doubt',
      outcome: { message: 'calendar was told to cancel job j1, and has not said that it did.' },
    });
    expect(hub.count('stop_job')).toBe(1);
  });

  it.each([
    ['refuses', ended(failure('there is no tool stop_job')), ': there is no tool stop_job'],
    ['wants a sign-in', wantsSignIn, ': Sign in.'],
    ['answers over their own account', ofOwnAccount('job of Ana'), '.'],
    ['does not answer', ended({ status: 'in_doubt', message: 'no answer' }), '.'],
  ])('says that its job could not be cancelled where the server %s', async (_, answer, why) => {
    hub.offer({ server: 'calendar', name: 'stop_job', run: () => answer });
    const person = new AbortController();
    answers = [structured({ status: 'running' })];
    const onWait = () => {
      person.abort();
      fixture.time.now += 10_000;
    };
    expect(await caller({ onWait })(await input(person.signal))).toMatchObject({
      state: 'in_doubt',
      outcome: { message: `calendar could not be told to cancel job j1, so it may go on there${why}` },
    });
    expect(hub.count('stop_job')).toBe(1);
  });

  it('waits for a server that is down, and asks no more after three refusals in a row', async () => {
    const down: SendResult = {
      kind: 'ended',
      outcome: failure('down'),
      retry: { afterMs: null, withinMs: 1_000 },
    };
    const gone = ended(failure('no job j1'));
    answers = [down, down, down, down, gone, gone, structured({ status: 'running' }), gone];
    const record = await caller()(await input());
    expect(record).toMatchObject({
      state: 'in_doubt',
      outcome: { message: 'calendar does not say how far job j1 is: no job j1' },
    });
    expect(hub.count('job_state')).toBe(10);
  });

  it.each([
    ['times out', { kind: 'ended', outcome: { status: 'in_doubt', message: 'no answer' } }],
    ['is down', { kind: 'ended', outcome: failure('down'), retry: { afterMs: null, withinMs: 1 } }],
  ] as const)(
    'tells of a server that %s again and again, and asks it no more after six hours',
    async (_, silent) => {
      answers = [structured({ status: 'running', done: 1, all: 4 }), silent];
      const record = await caller({ onWait: () => (fixture.time.now += 10 * 60_000) })(await input());
      expect(record).toMatchObject({
        state: 'in_doubt',
        outcome: {
          message: 'calendar has not answered for hours, so it is not asked about job j1 any more.',
        },
      });
      expect(hub.count('job_state')).toBe(1 + 36);
      expect(progress[1]).toMatchObject({
        progress: 1,
        total: 4,
        message: 'calendar has not answered for 10 minutes',
      });
    },
  );

  it('asks no more after three answers in a row that could not be read', async () => {
    answers = [{ kind: 'ended', outcome: { status: 'in_doubt', message: 'a web page' }, retry: null }];
    expect(await caller()(await input())).toMatchObject({
      state: 'in_doubt',
      outcome: { message: 'calendar does not say how far job j1 is.' },
    });
    expect(hub.count('job_state')).toBe(3);
  });

  it('has its person sign in where the server wants that before it says more, and goes on by itself', async () => {
    answers = [wantsSignIn, wantsSignIn, structured({ status: 'running' }), structured({ status: 'done' })];
    const needs: unknown[] = [];
    const record = await caller({
      onWait: async () => needs.push((await fixture.call('c1')).need?.elicitationId ?? null),
    })(await input());
    expect(needs).toEqual(['e1', 'e1', null]);
    expect(record).toMatchObject({ state: 'succeeded', need: null });
    expect(fixture.events.filter(({ type }) => type === 'needs_person')).toHaveLength(1);
    expect(hub.count('list_events')).toBe(1);
  });

  it('asks again where its person says that they signed in, and the server still wants that', async () => {
    answers = [wantsSignIn, wantsSignIn, structured({ status: 'done' })];
    const onWait = async () => {
      if (hub.count('job_state') === 1) await fixture.gate.elicitation.retry(callKey(THREAD, 'c1'), ana);
    };
    await caller({ onWait })(await input());
    expect(fixture.events.filter(({ type }) => type === 'needs_person')).toHaveLength(2);
  });

  it('is in doubt when its server wants a sign-in and nobody is there', async () => {
    answers = [wantsSignIn];
    const record = await caller()({ ...(await input()), isUnattended: true });
    expect(record).toMatchObject({ state: 'in_doubt', need: null });
  });

  it('is in doubt when its job goes on for too long', async () => {
    answers = [structured({ status: 'running' })];
    const record = await caller({ onWait: () => (fixture.time.now += 60 * 60_000) })(await input());
    expect(record.state).toBe('in_doubt');
    expect(hub.count('job_state')).toBe(25);
  });
});
