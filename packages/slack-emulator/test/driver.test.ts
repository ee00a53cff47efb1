import { expect, it } from 'vitest';
import type { SlackEmulator } from '../src/index.ts';
import { connectBolt, startWorkspace, webClient } from './helpers/workspace.ts';

const plain = (text: string) => ({ type: 'plain_text' as const, text });

/** Posts a card with one button as the app, and gives its `ts` back. */
async function postButton(workspace: SlackEmulator): Promise<string> {
  const elements = [{ type: 'button' as const, action_id: 'go', text: plain('Go') }];
  const blocks = [{ type: 'actions' as const, elements }];
  const { ts = '' } = await webClient(workspace).chat.postMessage({
    channel: 'C0GENERAL1',
    text: 'card',
    blocks,
  });
  return ts;
}

it('fills every kind of field with plain values, by label or action id', async () => {
  const workspace = await startWorkspace();
  await connectBolt(workspace, (app) => {
    app.action('go', async ({ ack, body, client }) => {
      await ack();
      if (body.type !== 'block_actions') return;
      const field = (id: string, element: object) => ({
        type: 'input',
        block_id: id,
        label: plain(id),
        element: { ...element, action_id: `${id}_action` },
      });
      const options = ['Low', 'High'].map((it) => ({ text: plain(it), value: it.toLowerCase() }));
      await client.views.open({
        trigger_id: body.trigger_id,
        view: {
          type: 'modal',
          title: plain('Fields'),
          submit: plain('Send'),
          blocks: [
            field('When', { type: 'datepicker' }),
            field('Level', { type: 'static_select', options }),
            field('Tags', { type: 'multi_static_select', options }),
            field('Who', { type: 'users_select' }),
            field('Count', { type: 'number_input', is_decimal_allowed: false }),
          ],
        },
      });
    });
  });
  const ts = await postButton(workspace);
  const ana = workspace.driver.as('ana');
  await ana.click(ts, 'Go');
  await ana.waitForModal();
  ana.fill({
    When: '2026-11-24',
    Level: 'High',
    Tags_action: ['low', 'High'],
    Who: 'U0BOB00001',
    Count: '3',
  });
  expect(ana.modal().values).toMatchObject({
    When: { When_action: { selected_date: '2026-11-24' } },
    Level: { Level_action: { selected_option: { value: 'high' } } },
    Tags: { Tags_action: { selected_options: [{ value: 'low' }, { value: 'high' }] } },
    Who: { Who_action: { selected_user: 'U0BOB00001' } },
    Count: { Count_action: { value: '3' } },
  });
  expect(workspace.driver.text(ana.modal())).toContain('Tags: {Low, High}');
});

it('says which buttons there are when a test names one that is not', async () => {
  const workspace = await startWorkspace();
  const ts = await postButton(workspace);
  await expect(workspace.driver.as('ana').click(ts, 'Stop')).rejects.toThrow('there are: Go');
});

it('shows the last messages when what a test waits for does not come', async () => {
  const workspace = await startWorkspace();
  workspace.driver.as('ana').post('general', 'hello');
  await expect(workspace.driver.waitForMessage((it) => it.text === 'never', 10)).rejects.toThrow(
    'ana: hello',
  );
});

it('sends an event a second time, as Slack may', async () => {
  const workspace = await startWorkspace();
  const ids: string[] = [];
  await connectBolt(workspace, (app) => {
    app.event('app_mention', async ({ body }) => {
      ids.push(body.event_id);
    });
  });
  workspace.driver.as('ana').post('general', '@app hi');
  await workspace.driver.eventsDelivered();
  const mention = workspace.driver.events().at(-1) ?? {};
  await workspace.driver.forge('events_api', mention);
  expect(ids).toEqual([mention.event_id, mention.event_id]);
});

it('lets a stranger of another workspace act', async () => {
  const workspace = await startWorkspace();
  const eve = workspace.driver.addUser({ id: 'U0EVE00001', name: 'eve', teamId: 'T0OTHER001' });
  const seen: unknown[] = [];
  await connectBolt(workspace, (app) => {
    app.action('go', async ({ ack, body }) => {
      seen.push(body.user);
      await ack();
    });
  });
  workspace.driver.invite('general', 'eve');
  const ts = await postButton(workspace);
  await eve.click(ts, 'Go');
  expect(seen).toMatchObject([{ id: 'U0EVE00001', team_id: 'T0OTHER001' }]);
});

it('puts a file beside a message', async () => {
  const workspace = await startWorkspace();
  workspace.driver.as('ana').dm('see', { files: [{ name: 'a.csv', content: 'a,b' }] });
  const event = workspace.driver.events().at(-1)?.event;
  expect(event).toMatchObject({
    subtype: 'file_share',
    files: [{ name: 'a.csv', mimetype: 'text/csv', size: 3 }],
  });
});
