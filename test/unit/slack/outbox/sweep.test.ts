import { expect, it, onTestFinished, vi } from 'vitest';
import { call, openOutbox, said } from '../../../helpers/slack-outbox.ts';

it('a row that no wake-up told of is shown by the next sweep', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const scene = await openOutbox();
  await scene.outbox.start();
  scene.show(call('a'), said('A'));
  await scene.announce('general', call('a'));
  expect(scene.shown('general')).toEqual([]);
  vi.advanceTimersByTime(15_000);
  await scene.emptied();
  expect(scene.shown('general')).toEqual(['A']);
});

it('an outbox that cannot be read does not start', async () => {
  const scene = await openOutbox();
  const broken = scene.start({ ...scene.store, query: () => Promise.reject(new Error('disk I/O error')) });
  await expect(broken.start()).rejects.toThrow('disk I/O error');
});
