import { expect, it } from 'vitest';
import { openInboxNetwork, STANDING_WISH } from '../../../helpers/inbox-agent.ts';
import { calls, json, startRawModel } from '../../../helpers/raw-model.ts';

const doneCall = (id: string) =>
  calls({ index: 0, id, type: 'function', function: { name: 'Done', arguments: '{}' } });

async function say(model: Awaited<ReturnType<typeof startRawModel>>['model']) {
  const network = openInboxNetwork({
    agentPorts: (ports) => ({ ...ports, models: { main: model, router: null } }),
  });
  network.runs.start();
  const { response } = await network.say(STANDING_WISH, { graph: 'inbox' });
  return { network, response };
}

it('the provider is told that a tool has to be called', async () => {
  const { model, requests } = await startRawModel([doneCall('d')]);
  const { response } = await say(model);
  expect(requests.map((one) => one.tool_choice)).toEqual(['required']);
  expect(response).toContain('marked as read');
});

it('a provider that refuses a forced choice is asked without, and from then on', async () => {
  const refusal = json({ error: { message: 'tool_choice required is not supported' } }, 400);
  const { model, requests } = await startRawModel([refusal, doneCall('d1'), doneCall('d2')]);
  const { network, response } = await say(model);
  expect(response).toContain('marked as read');
  await network.say('and again');
  expect(requests.map((one) => one.tool_choice)).toEqual(['required', undefined, undefined]);
});

it('a provider that refuses anyway ends the run, and the next is asked as before', async () => {
  const refusal = json({ error: { message: 'no' } }, 400);
  const { model, requests } = await startRawModel([refusal, refusal, doneCall('d')]);
  const { network } = await say(model);
  await network.say('and again');
  expect(requests.map((one) => one.tool_choice)).toEqual(['required', undefined, 'required']);
});
