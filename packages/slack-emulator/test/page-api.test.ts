import { request } from 'node:http';
import type { KnownBlock } from '@slack/types';
import { expect, it } from 'vitest';
import { ANA, type SlackEmulator, type SlackEmulatorOptions } from '../src/index.ts';
import type { PageEvent, PageMessage, WorkspaceState } from '../src/server/page-api.ts';
import { connectBolt, startWorkspace, webClient } from './helpers/workspace.ts';

const post = (workspace: SlackEmulator, path: string, body: object) =>
  fetch(`${workspace.url}/workspace/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ user: ANA, ...body }),
  });
const history = async (workspace: SlackEmulator, user = ANA): Promise<PageMessage[]> => {
  const response = await fetch(`${workspace.url}/workspace/history?user=${user}&channel=C0GENERAL1`);
  const { messages }: { messages: PageMessage[] } = await response.json();
  return messages;
};

it('tells who is who, the channels, and whether an app is connected', async () => {
  const workspace = await startWorkspace();
  const response = await fetch(`${workspace.url}/workspace/state?user=${ANA}`);
  const state: WorkspaceState = await response.json();
  expect(state.me).toEqual({ id: ANA, name: 'ana', realName: 'Ana Almeida', isBot: false });
  expect(state.channels.map((it) => it.name)).toEqual(['general', 'random', 'ops', 'App']);
  expect(state.appConnected).toBe(false);
});

it('has further channels, which the app is in, if it is told so', async () => {
  const workspace = await startWorkspace({ channels: ['lab'] });
  const response = await fetch(`${workspace.url}/workspace/state?user=${ANA}`);
  const state: WorkspaceState = await response.json();
  expect(state.channels.map((it) => it.name)).toEqual(['general', 'random', 'ops', 'lab', 'App']);
  await webClient(workspace).chat.postMessage({ channel: 'C0LAB00000', text: 'here' });
});

it('says of the app its name, and nothing that only one app would, unless it is told', async () => {
  const texts = async (options: SlackEmulatorOptions) => {
    const workspace = await startWorkspace(options);
    const state: WorkspaceState = await (await fetch(`${workspace.url}/workspace/state?user=${ANA}`)).json();
    return state.texts;
  };
  expect(await texts({ botName: 'deployer' })).toEqual({
    title: 'deployer',
    welcome: 'Write to deployer as you would in Slack.',
    examples: [],
    examplesIn: {},
    links: [],
    about: 'deployer is connected to this workspace on your own machine, to be tried out.',
  });
  expect(await texts({ pageTexts: { welcome: 'Say what to deploy.' } })).toMatchObject({
    title: 'App',
    welcome: 'Say what to deploy.',
  });
});

it('posts a message, which all see, escaped and with references', async () => {
  const workspace = await startWorkspace();
  await post(workspace, 'post', { channel: 'C0GENERAL1', text: '@bob 1 < 2' });
  expect(await history(workspace, 'U0BOB00001')).toMatchObject([
    { user: ANA, text: '<@U0BOB00001> 1 &lt; 2' },
  ]);
});

it('takes a message that is sent again as the one that came', async () => {
  const workspace = await startWorkspace();
  const say = async () => {
    const message = { channel: 'C0GENERAL1', text: 'once', client_msg_id: 'of-the-page' };
    const { ts }: { ts: string } = await (await post(workspace, 'post', message)).json();
    return ts;
  };
  expect(await say()).toBe(await say());
  expect(await history(workspace)).toHaveLength(1);
});

it('counts unread messages until they are read', async () => {
  const workspace = await startWorkspace();
  workspace.driver.as('bob').post('general', 'hi');
  const unread = async () => {
    const state: WorkspaceState = await (await fetch(`${workspace.url}/workspace/state?user=${ANA}`)).json();
    return state.channels[0]?.unread;
  };
  expect(await unread()).toBe(1);
  await post(workspace, 'read', { channel: 'C0GENERAL1' });
  expect(await unread()).toBe(0);
});

it('tells everybody who has direct messages of the app to read, and nobody of other conversations', async () => {
  const workspace = await startWorkspace();
  const bob = workspace.driver.as('bob');
  await webClient(workspace).chat.postMessage({ channel: bob.dmChannel, text: 'for Bob' });
  workspace.driver.as('ana').post('general', 'for all');
  const answered = await fetch(`${workspace.url}/workspace/state?user=${ANA}`);
  const { directUnread }: WorkspaceState = await answered.json();
  expect(directUnread).toEqual({ [bob.id]: 1 });
});

it('streams what happens to the person who sees it', async () => {
  const workspace = await startWorkspace();
  const response = await fetch(`${workspace.url}/workspace/events?user=${ANA}`);
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  const events: PageEvent[] = [];
  await reader?.read();
  await webClient(workspace).chat.postEphemeral({
    channel: 'C0GENERAL1',
    user: 'U0BOB00001',
    text: 'not for Ana',
  });
  workspace.driver.as('bob').post('general', 'for all');
  while (!events.some((it) => it.type === 'unread')) {
    const { value = '' } = (await reader?.read()) ?? {};
    for (const line of value.split('\n').filter((it) => it.startsWith('data: ')))
      events.push(JSON.parse(line.slice(6)));
  }
  await reader?.cancel();
  expect(events).toMatchObject([
    { type: 'message', message: { text: 'for all' } },
    { type: 'unread', channel: 'C0GENERAL1', unread: 1 },
  ]);
});

it('clicks a button and submits the modal that opens', async () => {
  const workspace = await startWorkspace();
  await connectBolt(workspace, (app) => {
    app.action('go', async ({ ack, body, client }) => {
      await ack();
      if (body.type !== 'block_actions') return;
      await client.views.open({
        trigger_id: body.trigger_id,
        view: {
          type: 'modal',
          callback_id: 'form',
          title: { type: 'plain_text', text: 'Form' },
          submit: { type: 'plain_text', text: 'Send' },
          blocks: [
            {
              type: 'input',
              block_id: 'b',
              label: { type: 'plain_text', text: 'L' },
              element: { type: 'plain_text_input', action_id: 'a' },
            },
          ],
        },
      });
    });
    app.view('form', async ({ ack, view }) =>
      ack({ response_action: 'errors', errors: { b: `not ${view.state.values.b?.a?.value}` } }),
    );
  });
  const blocks: KnownBlock[] = [
    {
      type: 'actions',
      block_id: 'x',
      elements: [{ type: 'button', action_id: 'go', text: { type: 'plain_text', text: 'Go' } }],
    },
  ];
  const { ts } = await webClient(workspace).chat.postMessage({ channel: 'C0GENERAL1', text: 'card', blocks });
  await post(workspace, 'click', { channel: 'C0GENERAL1', message_ts: ts, block_id: 'x', action_id: 'go' });
  const modal = await workspace.driver.as('ana').waitForModal();
  const state = { values: { b: { a: { value: 'this' } } } };
  const answer = await post(workspace, 'submit', { view_id: modal.id, state });
  expect(await answer.json()).toEqual({ errors: { b: 'not this' } });
});

it('answers a refused call with 4xx and words for people', async () => {
  const workspace = await startWorkspace();
  const answer = await post(workspace, 'click', {
    channel: 'C0GENERAL1',
    message_ts: '1.000001',
    block_id: 'x',
    action_id: 'y',
  });
  expect(answer.status).toBe(400);
  expect(await answer.json()).toEqual({ error: 'That message does not exist any more.' });
});

it.each([
  ['a foreign Origin', { origin: 'http://evil.example' }],
  ['a foreign Host', { host: 'rebound.example' }],
  ['another site in the same browser', { 'sec-fetch-site': 'cross-site' }],
])('refuses %s', async (_, headers) => {
  const workspace = await startWorkspace();
  const status = await new Promise((resolve, reject) => {
    const call = request(`${workspace.url}/workspace/state?user=${ANA}`, { headers }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    call.on('error', reject);
    call.end();
  });
  expect(status).toBe(403);
});

it('leads from the address of a message to its thread, as the person the page was last used as', async () => {
  const workspace = await startWorkspace();
  const ts = workspace.driver.as('bob').post('general', 'hi');
  const { permalink = '' } = await webClient(workspace).chat.getPermalink({
    channel: 'C0GENERAL1',
    message_ts: ts,
  });
  const visit = (headers: Record<string, string>, url = permalink) =>
    fetch(url, { headers, redirect: 'manual' });
  const fromElsewhere = { 'sec-fetch-site': 'cross-site', 'sec-fetch-dest': 'document' };
  const there = await visit({ ...fromElsewhere, cookie: 'workspace-person=U0BOB00001' });
  expect([there.status, there.headers.get('location')]).toEqual([302, `/#U0BOB00001/C0GENERAL1/${ts}`]);
  expect((await visit(fromElsewhere)).headers.get('location')).toBe(`/#/C0GENERAL1/${ts}`);
  expect((await visit({ ...fromElsewhere, 'sec-fetch-dest': 'iframe' })).status).toBe(403);
  expect((await visit(fromElsewhere, `${workspace.url}/archives/x`)).status).toBe(404);
  expect((await visit(fromElsewhere, `${workspace.url}/workspace/state?user=${ANA}`)).status).toBe(403);
});

it('has nothing at an address that is none, and goes on', async () => {
  const workspace = await startWorkspace();
  const { port } = new URL(workspace.url);
  const ask = (headers: Readonly<Record<string, string>>) =>
    new Promise<number | null>((resolve) => {
      const asked = request({ port, host: '127.0.0.1', path: '//', headers }, (response) => {
        response.resume();
        resolve(response.statusCode ?? null);
      });
      asked.on('error', () => resolve(null));
      asked.end();
    });
  expect(await ask({})).toBe(404);
  // A connection of Socket Mode is refused.
  expect(await ask({ connection: 'upgrade', upgrade: 'websocket' })).toBeNull();
  expect(await ask({})).toBe(404);
});
