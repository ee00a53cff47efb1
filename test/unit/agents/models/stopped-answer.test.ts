import { expect, it, vi } from 'vitest';
import { startNetwork } from '../../../helpers/network.ts';
import { ana, THREAD } from '../../../helpers/people.ts';
import { delta, events, startRawModel } from '../../../helpers/raw-model.ts';

it('an answer that is stopped in the middle is no answer that broke off', async () => {
  const begun = events(delta({ role: 'assistant', content: 'One, two,' }));
  const { model, requests } = await startRawModel([{ pieces: [begun], hangs: true }]);
  const network = startNetwork({
    agentPorts: (ports) => ({ ...ports, models: { main: model, router: null } }),
  });
  const itemId = await network.send('count');
  await vi.waitFor(() => expect(network.live).toContainEqual({ type: 'token', text: 'One, two,' }));
  expect(await network.runs.cancel(THREAD, ana)).toBe(true);
  await network.runs.idle();
  expect(await network.item(itemId)).toMatchObject({
    state: 'cancelled',
    response: expect.stringMatching(/^Stopped by Ana/),
  });
  expect(requests).toHaveLength(1);
});
