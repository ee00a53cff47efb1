import { Command } from '@langchain/langgraph';
import { describe, expect, it, vi } from 'vitest';
import { FencedError } from '../../../../src/lib/errors.ts';
import { askingGraph, eachSaver, putNew, thread } from './fixture.ts';

const under = (fence: number) => ({
  configurable: { thread_id: 't', fence, held: true },
  durability: 'sync' as const,
});

describe.each(eachSaver('what is in memory of a thread'))('a thread in %s', (_name, open) => {
  it('is not read by the lease that put it, and is what is stored', async () => {
    const saver = await open();
    const graph = askingGraph(saver);
    await graph.invoke({ log: ['said'] }, under(1));
    const inMemory = await saver.getTuple(under(1));
    await (await saver.send('t'))?.durable;
    const stored = await saver.getTuple(thread('t'));
    expect(inMemory?.pendingWrites).toEqual(stored?.pendingWrites);
    expect(inMemory?.pendingWrites).toHaveLength(1);
    expect(inMemory?.config).toEqual(stored?.config);
    expect(inMemory?.metadata).toEqual(stored?.metadata);
    expect(inMemory?.checkpoint).toMatchObject({ ...stored?.checkpoint });
    const load = vi.spyOn(saver.serde, 'loadsTyped');
    expect((await graph.invoke(new Command({ resume: 'yes' }), under(1))).log).toEqual([
      'said',
      'begun',
      'heard yes',
    ]);
    expect(load).not.toHaveBeenCalled();
  });

  it('is read once by a lease that put nothing, until something is written to it', async () => {
    const saver = await open();
    const graph = askingGraph(saver);
    await graph.invoke({ log: ['said'] }, under(1));
    await (await saver.send('t'))?.durable;
    const load = vi.spyOn(saver.serde, 'loadsTyped');
    const read = await saver.getTuple(under(2));
    const log = read?.checkpoint.channel_values.log;
    if (Array.isArray(log)) log.push('mine');
    expect(load).toHaveBeenCalled();
    load.mockClear();
    const known = await saver.getTuple(under(2));
    expect(load).not.toHaveBeenCalled();
    expect(known?.pendingWrites).toHaveLength(1);
    expect(known?.checkpoint.channel_values.log).toEqual(['said', 'begun']);
    await saver.putWrites(
      { configurable: { ...known?.config.configurable, ...under(2).configurable } },
      [['log', ['written']]],
      'task',
    );
    expect((await saver.getTuple(under(2)))?.pendingWrites).toHaveLength(2);
    const answered = await graph.invoke(new Command({ resume: 'yes' }), under(2));
    expect(answered.log).toEqual(['said', 'begun', 'heard yes']);
  });

  it('is looked for once where there is none, and found once it was put', async () => {
    const saver = await open();
    expect(await saver.getTuple(under(1))).toBeUndefined();
    await putNew(saver, 't', { log: ['from elsewhere'] });
    expect((await saver.getTuple(under(1)))?.checkpoint.channel_values).toEqual({ log: ['from elsewhere'] });
    expect(await saver.getTuple(under(2))).toBeDefined();
    await saver.deleteThread('t');
    expect(await saver.getTuple(under(2))).toBeUndefined();
    await askingGraph(saver).invoke({ log: ['said'] }, under(2));
    expect(await saver.getTuple(under(2))).toBeDefined();
  });

  it('is read by the next lease, which finds what another one wrote', async () => {
    const saver = await open();
    const graph = askingGraph(saver);
    await graph.invoke({ log: ['said'] }, under(1));
    await (await saver.send('t'))?.durable;
    await graph.updateState(thread('t'), { log: ['from elsewhere'] }, 'begin');
    expect((await saver.getTuple(under(2)))?.checkpoint.channel_values.log).toContain('from elsewhere');
    expect((await saver.getTuple(under(1)))?.checkpoint.channel_values.log).toContain('from elsewhere');
  });

  it('is forgotten when what was put of it is refused', async () => {
    const saver = await open();
    const graph = askingGraph(saver);
    await graph.invoke({ log: ['said'] }, under(1));
    await saver.claim('t', 2);
    const sent = await saver.send('t');
    await expect(sent?.durable).rejects.toBeInstanceOf(FencedError);
    expect(await saver.getTuple(under(1))).toBeUndefined();
  });

  it('goes with the thread', async () => {
    const saver = await open();
    await askingGraph(saver).invoke({ log: ['said'] }, under(1));
    await saver.deleteThread('t');
    expect(await saver.getTuple(under(1))).toBeUndefined();
  });

  it('gives each reader lists of its own', async () => {
    const saver = await open();
    await askingGraph(saver).invoke({ log: ['said'] }, under(1));
    const log = (await saver.getTuple(under(1)))?.checkpoint.channel_values.log;
    if (Array.isArray(log)) log.push('mine');
    expect((await saver.getTuple(under(1)))?.checkpoint.channel_values.log).toEqual(['said', 'begun']);
  });
});
