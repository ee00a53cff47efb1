import { beforeEach, describe, expect, it } from 'vitest';
import { createPlanner } from '../../../../src/agents/index.ts';
import { policySchema } from '../../../../src/gate/policy/schema.ts';
import { createFakeHub, ended, failure, success } from '../../../helpers/fake-hub.ts';
import { type Network, type NetworkOptions, startNetwork } from '../../../helpers/network.ts';

interface Step {
  readonly tool: string;
  readonly arguments: object;
  readonly why?: string;
  readonly needs?: readonly number[];
  readonly needs_result_of?: readonly number[];
}

const create = (title: string): Step => ({ tool: 'create_event', arguments: { title } });
const list: Step = { tool: 'list_events', arguments: { day: 'Friday' } };

const plan = (id: string, ...steps: readonly Step[]) => [
  { id, name: 'make_plan', args: { title: 'Two meetings', steps } },
];

let network: Network;
function start(options: NetworkOptions = {}): void {
  network = startNetwork({ ...options, graphs: (ports) => ({ planner: createPlanner(ports) }) });
}
beforeEach(() => start());

const say = (text = 'plan my week') => network.say(text, { graph: 'planner' });
const titles = () => network.hub.sent.map(({ name, arguments: args }) => args.title ?? name);
const answers = () =>
  network.runEvents.flatMap(({ type, item }) => (type === 'answered' ? [item.response] : []));

describe('a plan', () => {
  it('is one request with all its steps, none of which runs before it is decided', async () => {
    network.model.script(plan('p', create('One'), create('Two')));
    await say();
    const [request] = network.events.flatMap((event) => (event.type === 'opened' ? [event.request] : []));
    expect(request).toMatchObject({ callIds: ['p:1', 'p:2'], plan: { title: 'Two meetings', later: [] } });
    expect(await network.call('p:2')).toMatchObject({ state: 'pending', after: ['p:1'] });
    expect(network.hub.sent).toEqual([]);
  });

  it('runs in order, whatever is decided first', async () => {
    network.model.script(plan('p', create('One'), create('Two')), 'Both are there.');
    await say();
    await network.decide('p:2');
    expect(titles()).toEqual([]);
    await network.decide('p:1');
    expect(titles()).toEqual(['One', 'Two']);
    expect(answers()).toEqual(['Both are there.']);
    await network.expectWhole();
  });

  it('keeps what the policy allows in its place', async () => {
    network.model.script(plan('p', create('One'), list, create('Two')), 'Done.');
    await say();
    expect((await network.call('p:2')).state).toBe('allowed');
    await network.decide('p:3');
    expect(titles()).toEqual([]);
    await network.decide('p:1');
    expect(titles()).toEqual(['One', 'list_events', 'Two']);
    await network.expectWhole();
  });

  it('of which a step is rejected ends there, and the model finds another way', async () => {
    network.model.script(
      plan('p', create('One'), create('Two'), create('Three')),
      plan('q', create('Other')),
      'Another one.',
    );
    await say();
    await network.decide('p:1');
    await network.decide('p:2', { type: 'reject', feedback: 'not that one' });
    expect(titles()).toEqual(['One']);
    expect(await network.resultOf('p:3')).toBe('Not run, because step 2 was rejected.');
    await network.decide('q:1');
    expect(titles()).toEqual(['One', 'Other']);
    expect(answers()).toEqual(['Another one.']);
    await network.expectWhole();
  });

  it('keeps the steps that do not need a rejected one, also where they were approved before', async () => {
    const alone = { ...create('Three'), needs: [] };
    const needing = { ...create('Four'), needs: [2] };
    network.model.script(plan('p', create('One'), create('Two'), alone, needing), 'Two of four.');
    await say();
    await network.decide('p:3');
    await network.decide('p:2', { type: 'reject' });
    expect(await network.call('p:4')).toMatchObject({ state: 'cancelled' });
    expect(titles()).toEqual([]);
    await network.decide('p:1');
    expect(titles()).toEqual(['One', 'Three']);
    expect(answers()).toEqual(['Two of four.']);
    await network.expectWhole();
  });

  it.each([
    ['as long as they get', 1, [500, 1_000]],
    ['of half their length', 0.5, [250, 500]],
  ])(
    'of which a step fails for good, after pauses %s, is made anew without anybody',
    async (_how, jitter, pauses) => {
      const waited: number[] = [];
      const wait = async (ms: number) => void waited.push(ms);
      const hub = createFakeHub({
        ...{ server: 'calendar', name: 'create_event' },
        run: ({ title }) =>
          title === 'One'
            ? {
                ...ended(failure('calendar is down; nothing was done.')),
                retry: { afterMs: null, withinMs: 60_000 },
              }
            : ended(success(`created ${title}`)),
      });
      const policy = policySchema.parse({ idempotent: ['calendar.create_event'] });
      start({ hub, policy, pauses: { wait, random: () => jitter } });
      const independent = { ...create('Three'), needs: [] };
      network.model.script(
        plan('p', create('One'), create('Two'), independent),
        plan('q', create('Other')),
        'Another one.',
      );
      await say();
      await network.decide('p:2');
      await network.decide('p:3');
      await network.decide('p:1');
      expect(waited).toEqual(pauses);
      expect(titles()).toEqual(['One', 'One', 'One', 'Three']);
      expect(await network.resultOf('p:1')).toContain('nothing was done. It was tried 3 times.');
      expect(await network.resultOf('p:2')).toContain('Not run, because step 1 failed');
      await network.decide('q:1');
      expect(waited).toEqual(pauses);
      expect(titles()).toEqual(['One', 'One', 'One', 'Three', 'Other']);
      expect(answers()).toEqual(['Another one.']);
      await network.expectWhole();
    },
  );

  it.each([
    ['without a reason', { type: 'reject' }],
    ['with a reason', { type: 'reject', feedback: 'too early' }],
  ] as const)('never has a step again that was rejected %s', async (_how, rejection) => {
    const again = plan('q', create('Three'), { ...create(' Two '), needs: [] });
    network.model.script(plan('p', create('One'), create('Two')), again, 'I leave it.');
    await say();
    await network.decide('p:1');
    await network.decide('p:2', rejection);
    expect(await network.resultOf('q')).toMatch(/Step 2: a person rejected this\. Leave it out/);
    expect(titles()).toEqual(['One']);
    expect(answers()).toEqual(['I leave it.']);
  });

  it('has a step again that was sent back, and one that a person asks for after all', async () => {
    network.model.script(
      plan('p', create('One'), { ...create('Two'), needs: [] }),
      plan('q', create('Two'), create('Other')),
      'Not now.',
      plan('r', create('One')),
    );
    await say();
    await network.decide('p:1', { type: 'reject' });
    await network.decide('p:2', { type: 'reject', feedback: 'with another', isSentBack: true });
    await network.decide('q:1');
    await network.decide('q:2', { type: 'reject' });
    await say('One after all');
    await network.decide('r:1');
    expect(titles()).toEqual(['Two', 'One']);
  });

  it('of which a step fails withdraws what was approved after it', async () => {
    const full = {
      server: 'calendar',
      name: 'break_event',
      run: () => ended(failure('the calendar is full')),
    };
    start({ hub: createFakeHub(full) });
    network.model.script(plan('p', { tool: 'break_event', arguments: {} }, create('Two')), 'It is full.');
    await say();
    await network.decide('p:2');
    await network.decide('p:1');
    expect(await network.call('p:2')).toMatchObject({
      state: 'cancelled',
      withdrawnBecause: 'step 1 failed: the calendar is full',
    });
    expect(await network.resultOf('p:2')).toBe('Not run, because step 1 failed: the calendar is full.');
    expect(answers()).toEqual(['It is full.']);
    await network.expectWhole();
  });

  it('runs a step as it was edited', async () => {
    network.model.script(plan('p', create('One'), create('Two')), 'Done.');
    await say();
    await network.decide('p:1', { type: 'edit', arguments: { title: 'Uno' } });
    await network.decide('p:2');
    expect(titles()).toEqual(['Uno', 'Two']);
  });

  it('stops at the first step whose arguments depend on a result, and goes on when that is there', async () => {
    const later: Step = { tool: 'create_event', arguments: {}, why: 'to come', needs_result_of: [1] };
    network.model.script(plan('p', create('One'), later), plan('q', create('After')), 'Done.');
    await say();
    const step = { title: 'create event', arguments: {}, why: 'to come', tool: { name: 'create_event' } };
    expect(await network.planned('p:1')).toMatchObject([step]);
    await network.decide('p:1');
    expect(titles()).toEqual(['One']);
    expect(await network.planned('p:1')).toMatchObject([{ callId: 'q:1' }]);
    await network.decide('q:1');
    expect(titles()).toEqual(['One', 'After']);
    await network.expectWhole();
  });

  it('has no later steps left open where its run failed', async () => {
    network.model.script(plan('p', create('One'), { ...create('Two'), needs_result_of: [1] }));
    await say();
    await network.decide('p:1');
    expect(await network.planned('p:1')).toMatchObject([{ callId: null }]);
  });

  it('has the calls that are most like its later steps, and says which of them the run ended without', async () => {
    const later = (title: string): Step => ({ ...create(title), needs_result_of: [1] });
    const more = [create('Three'), create('Two')];
    network.model.script(
      plan('p', create('One'), later('Two'), later('Three'), later('Four')),
      plan('q', ...more),
      plan('r', create('Two, later')),
      'Done.',
    );
    await say();
    await network.decide('p:1');
    const became = async () => (await network.planned('p:1')).map(({ callId }) => callId);
    expect(await became()).toEqual(['q:2', 'q:1', undefined]);
    await network.decide('q:1');
    await network.decide('q:2', { type: 'reject', feedback: 'later', isSentBack: true });
    expect(await network.call('r:1')).toMatchObject({ state: 'pending', carriesOut: [expect.any(String)] });
    expect(await became()).toEqual(['r:1', 'q:1', undefined]);
    await network.decide('r:1');
    expect(await became()).toEqual(['r:1', 'q:1', null]);
    await network.expectWhole();
  });
});

describe('a plan that nobody could be asked about', () => {
  it.each([
    [
      'a tool that there is not',
      { tool: 'create_meeting', arguments: {} },
      /no tool called create_meeting.*create_event/,
    ],
    [
      'arguments that do not fit',
      { tool: 'create_event', arguments: { name: 'x' } },
      /arguments are invalid/,
    ],
    [
      'what the policy denies',
      { tool: 'drop_calendar', arguments: {} },
      /policy does not allow this: calendars stay/,
    ],
    ['a question', { tool: 'ask_user', arguments: { question: 'Which?' } }, /ask_user is no step/],
    ['a result of a later step', { ...create('x'), needs_result_of: [3] }, /must name steps before/],
  ])('goes back to the model: %s', async (_what, step, why) => {
    network.model.script(plan('p', create('One'), step), 'I cannot.');
    await say();
    expect(await network.resultOf('p')).toMatch(why);
    expect(network.events.filter(({ type }) => type === 'opened')).toEqual([]);
    expect(network.hub.sent).toEqual([]);
    await network.expectWhole();
  });

  it('is given up after three, and the person learns why', async () => {
    const wrong = (id: string) => plan(id, { tool: 'create_event', arguments: { name: 'x' } });
    network.model.script(wrong('p'), wrong('q'), wrong('r'));
    await say();
    expect(answers()[0]).toMatch(/could not get the arguments right/);
  });

  it('is not taken any more after three that failed', async () => {
    const full = { server: 'calendar', name: 'break_event', run: () => ended(failure('full')) };
    start({ hub: createFakeHub(full), maxSteps: 60 });
    const breaking = (id: string) => plan(id, { tool: 'break_event', arguments: {} });
    network.model.script(breaking('p'), breaking('q'), breaking('r'), breaking('s'), 'It stays full.');
    await say();
    for (const id of ['p:1', 'q:1', 'r:1']) await network.decide(id);
    expect(network.hub.count('break_event')).toBe(3);
    expect(await network.resultOf('s')).toMatch(/3 plans have failed/);
    expect(answers()).toEqual(['It stays full.']);
  });
});

describe('outside of a plan', () => {
  it('nothing that people decide is proposed', async () => {
    network.model.script([{ id: 'c', name: 'create_event', args: { title: 'One' } }], 'I need a plan.');
    await say();
    expect(await network.resultOf('c')).toMatch(/has to be a step of a plan/);
    expect(network.events.filter(({ type }) => type === 'opened')).toEqual([]);
    await network.expectWhole();
  });

  it('what the policy allows is looked up at once', async () => {
    network.model.script([{ id: 'l', name: 'list_events', args: {} }], 'Nothing there.');
    await say();
    expect(titles()).toEqual(['list_events']);
    expect(answers()).toEqual(['Nothing there.']);
  });

  it('a call beside a plan is not run', async () => {
    network.model.script([...plan('p', create('One')), { id: 'l', name: 'list_events', args: {} }], 'Done.');
    await say();
    await network.decide('p:1');
    expect(await network.resultOf('l')).toMatch(/a plan comes alone/);
    expect(titles()).toEqual(['One']);
    await network.expectWhole();
  });
});
