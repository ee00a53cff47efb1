import { describe, expect, it, vi } from 'vitest';
import { StoreError } from '../../../../src/lib/errors.ts';
import { createFakeHub, ended, slowTool, success } from '../../../helpers/fake-hub.ts';
import { startNetwork } from '../../../helpers/network.ts';
import { THREAD } from '../../../helpers/people.ts';
import { ScriptedModel } from '../../../helpers/scripted-model.ts';

const create = (id: string, args: object | string = { title: 'Standup' }) => ({
  id,
  name: 'create_event',
  args,
});
const list = (id: string) => ({ id, name: 'list_events', args: {} });

describe('a run that cannot go on', () => {
  it.each<[string, unknown, RegExp]>([
    [
      'a time-out',
      Object.assign(new Error('Request timed out.'), { name: 'TimeoutError' }),
      /did not answer in time/,
    ],
    [
      'a rate limit for longer than a minute',
      Object.assign(new Error('slow down'), { status: 429, headers: { 'retry-after': '90' } }),
      /rate limit/,
    ],
    [
      'a key that is not accepted',
      Object.assign(new Error('sk-secret is wrong'), { status: 401 }),
      /OPENAI_API_KEY/,
    ],
    ['a model that does not exist', Object.assign(new Error('no'), { status: 404 }), /check MODEL/],
    [
      'a request that is refused',
      Object.assign(new Error('no'), { status: 400 }),
      /refused the request \(HTTP 400\)/,
    ],
    [
      'a provider that fails',
      Object.assign(new Error('no'), { status: 503 }),
      /provider failed \(HTTP 503\)/,
    ],
    [
      'a model that is not there',
      new Error('Connection error.', {
        cause: Object.assign(new Error('10.0.0.1'), { code: 'ECONNREFUSED' }),
      }),
      /cannot be reached \(connection refused\)/,
    ],
    ['any other failure', new Error('socket hang up at 10.0.0.1'), /could not be reached or failed/],
  ])('for %s says so in plain words, and leaves the thread usable', async (_what, error, words) => {
    const network = startNetwork();
    network.model.script({ error }, 'Here I am.');
    const item = await network.say('hello');
    expect(item.state).toBe('failed');
    expect(item.response).toMatch(words);
    expect(item.response).not.toMatch(/sk-secret|10\.0\.0\.1/);
    expect((await network.say('again')).response).toBe('Here I am.');
    await network.expectWhole();
  });

  it('after a call keeps what had run, and leaves the thread usable', async () => {
    const network = startNetwork();
    network.model.script([create('c1')], { error: new Error('gone') }, 'It was made.');
    const { itemId } = await network.say('make a standup');
    await network.decide('c1');
    expect((await network.item(itemId)).state).toBe('failed');
    expect(await network.resultOf('c1')).toBe('created Standup');
    expect((await network.say('was it made?')).response).toBe('It was made.');
    await network.expectWhole();
  });

  it('for too many steps says so, and leaves the thread usable', async () => {
    const network = startNetwork({ maxSteps: 6 });
    let count = 0;
    const model = () => {
      count += 1;
      return [list(`r${count}`)];
    };
    network.model.script(...Array.from({ length: 3 }, () => model));
    const item = await network.say('go on for ever');
    expect(item.state).toBe('failed');
    expect(item.response).toMatch(/^I got stuck after 6 steps/);
    expect((await network.messages()).length).toBeGreaterThan(2);
    await network.expectWhole();
    network.model.script('Here I am.');
    expect((await network.say('hello')).response).toBe('Here I am.');
    await network.expectWhole();
  });

  it('because one call could not be recorded waits for its siblings first, and keeps their results', async () => {
    const latch = Promise.withResolvers<void>();
    const hub = createFakeHub(slowTool('calendar', 'list_slowly', latch.promise));
    const network = startNetwork({
      hub,
      agentPorts: (ports) => ({
        ...ports,
        tools: {
          ...ports.tools,
          async call(input) {
            if (input.call.callId === 'r1') throw new Error('the store is away');
            return ports.tools.call(input);
          },
        },
      }),
    });
    network.model.script([list('r1'), { id: 'r2', name: 'list_slowly', args: {} }]);
    const itemId = await network.send('list');
    await hub.sentTimes('list_slowly', 1);
    // As many turns as a run that does not wait would need to fail, and many more.
    for (let turn = 0; turn < 100; turn += 1) await new Promise(setImmediate);
    expect((await network.item(itemId)).state).toBe('running');
    latch.resolve();
    await network.runs.idle();
    expect((await network.item(itemId)).state).toBe('failed');
    expect(await network.resultOf('r1')).toMatch(/^Not run/);
    expect(await network.resultOf('r2')).toBe('list_slowly done');
    await network.expectWhole();
  });

  it.each([1, 2, 3])(
    'and whose end could not be recorded either goes on from there (read %i)',
    async (failing) => {
      let reads = 0;
      const network = startNetwork({
        hub: createFakeHub({ server: 'mail', name: 'send_mail', run: () => ended(success('sent')) }),
        routerModel: new ScriptedModel(() => [{ name: 'choose_tool_types', args: { tool_types: ['mail'] } }]),
        agentPorts: (ports) => ({
          ...ports,
          tools: {
            ...ports.tools,
            async offer(person) {
              reads += 1;
              if (reads === failing) throw new StoreError('the store is away');
              return ports.tools.offer(person);
            },
          },
        }),
      });
      const { commit } = network.store;
      vi.spyOn(network.store, 'commit').mockImplementation(async (change) => {
        const isEnd = change.put?.some(({ json }) => json.includes('"state":"failed"')) === true;
        if (!isEnd) return commit.call(network.store, change);
        await (await network.checkpointer.send(THREAD))?.durable;
        throw new StoreError('the store is away');
      });
      network.model.script('Here I am.');
      const { itemId } = await network.say('hello');
      await network.runs.sweep();
      await network.runs.idle();
      expect(await network.item(itemId)).toMatchObject({ state: 'answered', response: 'Here I am.' });
      await network.expectWhole();
    },
  );

  it('because the record could not be read after the interrupt goes on when it can', async () => {
    let failures = 1;
    const network = startNetwork({
      agentPorts: (ports) => ({
        ...ports,
        gate: {
          ...ports.gate,
          async getCalls(threadId, callIds) {
            failures -= 1;
            if (failures === 0) throw new Error('the store is away');
            return ports.gate.getCalls(threadId, callIds);
          },
        },
      }),
    });
    network.model.script([create('c1')], 'Here I am.');
    const { itemId } = await network.say('make a standup');
    await network.decide('c1');
    expect((await network.item(itemId)).state).toBe('failed');
    expect(network.hub.count('create_event')).toBe(1);
    expect(await network.resultOf('c1')).toBe('created Standup');
    expect((await network.say('hello')).response).toBe('Here I am.');
    await network.expectWhole();
  });
});
