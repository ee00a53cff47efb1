import { describe, expect, it } from 'vitest';
import { createSlots, type Slot } from '../../../../src/lib/slots/slots.ts';

const NEVER = new AbortController().signal;
const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Work in slots of one key, each piece of which ends when it is told to. */
function openWork(most: number) {
  const inSlot = createSlots(most);
  const begun: string[] = [];
  const slots = new Map<string, Slot>();
  const ends = new Map<string, () => void>();
  return {
    begun,
    slots,
    begin(name: string, { key = 'thread', signal = NEVER } = {}): Promise<void> {
      return inSlot(key, signal, (slot) => {
        begun.push(name);
        slots.set(name, slot);
        return new Promise<void>((resolve) => ends.set(name, resolve));
      });
    },
    async end(name: string): Promise<void> {
      ends.get(name)?.();
      await settled();
    },
  };
}

describe('slots', () => {
  it('let so many run at a time, and the next in order when one ends', async () => {
    const work = openWork(2);
    for (const name of ['a', 'b', 'c', 'd']) void work.begin(name);
    await settled();
    expect(work.begun).toEqual(['a', 'b']);
    await work.end('b');
    expect(work.begun).toEqual(['a', 'b', 'c']);
    await work.end('a');
    expect(work.begun).toEqual(['a', 'b', 'c', 'd']);
  });

  it('of one key do not hold up another', async () => {
    const work = openWork(1);
    void work.begin('a');
    void work.begin('b', { key: 'another thread' });
    await settled();
    expect(work.begun).toEqual(['a', 'b']);
  });

  it('are free again after work that failed', async () => {
    const inSlot = createSlots(1);
    await expect(inSlot('thread', NEVER, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(await inSlot('thread', NEVER, async () => 'ran')).toBe('ran');
  });

  it('are not held while the work waits outside, and what comes back does not wait', async () => {
    const work = openWork(1);
    const answer = Promise.withResolvers<string>();
    void work.begin('a');
    await settled();
    const answered = work.slots.get('a')?.outside(() => answer.promise);
    void work.begin('b');
    void work.begin('c');
    await settled();
    expect(work.begun).toEqual(['a', 'b']);
    answer.resolve('yes');
    expect(await answered).toBe('yes');
    await work.end('b');
    expect(work.begun).toEqual(['a', 'b']);
    await work.end('a');
    expect(work.begun).toEqual(['a', 'b', 'c']);
  });

  it('are counted once where the work waits for two things, and one of them outlasts it', async () => {
    const work = openWork(1);
    const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    void work.begin('a');
    await settled();
    void work.slots.get('a')?.outside(() => first.promise);
    void work.slots.get('a')?.outside(() => second.promise);
    void work.begin('b');
    void work.begin('c');
    await settled();
    first.resolve();
    await work.end('a');
    second.resolve();
    await settled();
    expect(work.begun).toEqual(['a', 'b']);
    await work.end('b');
    expect(work.begun).toEqual(['a', 'b', 'c']);
  });

  it('are not waited for any longer by what is stopped, which never begins', async () => {
    const work = openWork(1);
    const stop = new AbortController();
    void work.begin('a');
    const stopped = work.begin('b', { signal: stop.signal });
    void work.begin('c');
    stop.abort(new Error('stopped'));
    await expect(stopped).rejects.toThrow('stopped');
    await work.end('a');
    expect(work.begun).toEqual(['a', 'c']);
  });
});
