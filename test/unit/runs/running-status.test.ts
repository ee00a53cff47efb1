import { expect, it } from 'vitest';
import { createCallStatus } from '../../../src/runs/dispatch-call.ts';

it('names the calls that run in a thread, until none does', async () => {
  const said: string[] = [];
  const context = {
    threadId: 't1',
    emit: (event: { readonly type: string; readonly text?: string }) =>
      void said.push(event.text ?? event.type),
  };
  const during = createCallStatus();
  const ends = new Map<string, () => void>();
  const run = (title: string, name: string) =>
    during(context, title, () => new Promise<void>((resolve) => ends.set(name, resolve)));
  const other = during({ threadId: 't2', emit: () => {} }, 'Elsewhere', () => new Promise<void>(() => {}));
  void other;
  const calls = [run('Create event', 'a'), run('Create event', 'b'), run('Send mail', 'c')];
  for (const name of ['b', 'c', 'a']) ends.get(name)?.();
  await Promise.all(calls);
  expect(said).toEqual([
    'Create event…',
    'Create event…',
    'Create event, Send mail…',
    'Create event, Send mail…',
    'Create event…',
    '',
  ]);
});

it('ends with the call, also when that fails', async () => {
  const said: unknown[] = [];
  const during = createCallStatus();
  const failing = during({ threadId: 't', emit: (event) => void said.push(event) }, 'Try', () =>
    Promise.reject(new Error('no')),
  );
  await expect(failing).rejects.toThrow('no');
  expect(said.at(-1)).toEqual({ type: 'status', text: '' });
});
