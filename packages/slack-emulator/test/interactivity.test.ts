import type { App } from '@slack/bolt';
import type { ModalView } from '@slack/types';
import { describe, expect, it } from 'vitest';
import { manualClock, PersonRefusal, type SlackEmulator } from '../src/index.ts';
import { connectBolt, startWorkspace, webClient } from './helpers/workspace.ts';

const card = (label: string) => [
  {
    type: 'actions' as const,
    block_id: 'buttons',
    elements: [
      {
        type: 'button' as const,
        action_id: 'approve',
        value: 'v1',
        text: { type: 'plain_text' as const, text: label },
      },
      {
        type: 'overflow' as const,
        action_id: 'more',
        options: [
          { text: { type: 'plain_text' as const, text: 'Everything' }, value: 'all' },
          { text: { type: 'plain_text' as const, text: 'Remember' }, value: 'keep' },
        ],
      },
    ],
  },
];
/** Posts the card as the app, and gives its `ts` back. */
async function postCard(workspace: SlackEmulator): Promise<string> {
  const blocks = card('Approve');
  const { ts = '' } = await webClient(workspace).chat.postMessage({
    channel: 'C0GENERAL1',
    text: 'card',
    blocks,
  });
  return ts;
}
const form: ModalView = {
  type: 'modal',
  callback_id: 'form',
  private_metadata: 'secret-free',
  title: { type: 'plain_text', text: 'Form' },
  submit: { type: 'plain_text', text: 'Send' },
  notify_on_close: true,
  blocks: [
    {
      type: 'input',
      block_id: 'why',
      label: { type: 'plain_text', text: 'Reason' },
      element: { type: 'plain_text_input', action_id: 'text', max_length: 10 },
    },
  ],
};
const opensForm = (app: App) => {
  app.action('approve', async ({ ack, body, client }) => {
    await ack();
    if (body.type === 'block_actions') await client.views.open({ trigger_id: body.trigger_id, view: form });
  });
};

describe('an element of a message', () => {
  it('reaches the app with message, channel, state and value', async () => {
    const workspace = await startWorkspace();
    const bodies: unknown[] = [];
    await connectBolt(workspace, (app) => {
      app.action('approve', async ({ ack, body }) => {
        bodies.push(body);
        await ack();
      });
    });
    const ts = await postCard(workspace);
    await workspace.driver.as('ana').click(ts, 'Approve');
    expect(bodies).toMatchObject([
      {
        type: 'block_actions',
        user: { id: 'U0ANA00001', team_id: 'T0LOCAL001' },
        container: { type: 'message', message_ts: ts, channel_id: 'C0GENERAL1' },
        message: { ts, bot_id: 'B0LOCAL001' },
        state: { values: {} },
        actions: [{ action_id: 'approve', block_id: 'buttons', type: 'button', value: 'v1' }],
      },
    ]);
  });

  it('gives the chosen option of an overflow menu, by its label', async () => {
    const workspace = await startWorkspace();
    const chosen: unknown[] = [];
    await connectBolt(workspace, (app) => {
      app.action('more', async ({ ack, payload }) => {
        chosen.push(payload);
        await ack();
      });
    });
    const ts = await postCard(workspace);
    await workspace.driver.as('ana').click(ts, 'Remember');
    expect(chosen).toMatchObject([{ type: 'overflow', selected_option: { value: 'keep' } }]);
  });

  it('is refused once it is gone, while a stale click still reaches the app', async () => {
    const workspace = await startWorkspace();
    const values: unknown[] = [];
    await connectBolt(workspace, (app) => {
      app.action('approve', async ({ ack, payload }) => {
        values.push('value' in payload ? payload.value : null);
        await ack();
      });
    });
    const client = webClient(workspace);
    const ts = await postCard(workspace);
    const before = workspace.driver.message('general', ts);
    await client.chat.update({ channel: 'C0GENERAL1', ts, text: 'done' });
    const ana = workspace.driver.as('ana');
    await expect(ana.click(ts, 'Approve')).rejects.toMatchObject({ code: 'element_gone' });
    await ana.clickStale(before, 'Approve');
    expect(values).toEqual(['v1']);
  });

  it('tells the person when the app does not acknowledge in time', async () => {
    const clock = manualClock();
    const workspace = await startWorkspace({ clock });
    let told = () => {};
    const reached = new Promise<void>((resolve) => {
      told = resolve;
    });
    await connectBolt(workspace, (app) => {
      app.action('approve', async () => told());
    });
    const ts = await postCard(workspace);
    const click = expect(workspace.driver.as('ana').click(ts, 'approve')).rejects.toMatchObject({
      code: 'operation_timed_out',
    });
    await reached;
    clock.advance(3000);
    await click;
  });

  it('is refused when no app is connected', async () => {
    const workspace = await startWorkspace();
    const ts = await postCard(workspace);
    await expect(workspace.driver.as('ana').click(ts, 'Approve')).rejects.toMatchObject({
      code: 'app_not_connected',
    });
  });

  it('lets the app answer by response_url five times', async () => {
    const workspace = await startWorkspace();
    const results: boolean[] = [];
    await connectBolt(workspace, (app) => {
      app.action('approve', async ({ ack, body }) => {
        await ack();
        if (body.type !== 'block_actions') return;
        for (const text of ['1', '2', '3', '4', '5', '6']) {
          const answer = await fetch(body.response_url, {
            method: 'POST',
            body: JSON.stringify({ text, replace_original: text === '1' }),
          });
          results.push(answer.ok);
        }
        await app.client.chat.postMessage({ channel: 'C0GENERAL1', text: 'end' });
      });
    });
    const ts = await postCard(workspace);
    const ana = workspace.driver.as('ana');
    await ana.click(ts, 'Approve');
    await workspace.driver.waitForMessage((it) => it.text === 'end');
    expect(results).toEqual([true, true, true, true, true, false]);
    expect(workspace.driver.message('general', ts)).toMatchObject({ text: '1', blocks: [] });
    expect(ana.ephemerals().map((it) => it.text)).toEqual(['2', '3', '4', '5']);
  });
});

describe('modals', () => {
  const withCard = async (register: (app: App) => void) => {
    const workspace = await startWorkspace();
    await connectBolt(workspace, (app) => {
      opensForm(app);
      register(app);
    });
    const ts = await postCard(workspace);
    const ana = workspace.driver.as('ana');
    await ana.click(ts, 'Approve');
    await ana.waitForModal();
    return { workspace, ana };
  };

  it('submit what was filled in by label, and close', async () => {
    const views: unknown[] = [];
    const { ana } = await withCard((app) => {
      app.view('form', async ({ ack, view }) => {
        views.push(view);
        await ack();
      });
    });
    expect(await ana.submit({ Reason: 'because' })).toEqual({ errors: {} });
    expect(views).toMatchObject([
      {
        private_metadata: 'secret-free',
        state: { values: { why: { text: { type: 'plain_text_input', value: 'because' } } } },
      },
    ]);
    expect(ana.modals()).toEqual([]);
  });

  it('show the errors that the app answers and stay open', async () => {
    const { ana } = await withCard((app) => {
      app.view('form', async ({ ack }) => ack({ response_action: 'errors', errors: { why: 'Say more' } }));
    });
    expect(await ana.submit({ Reason: 'no' })).toEqual({ errors: { why: 'Say more' } });
    expect(ana.modals()).toHaveLength(1);
  });

  it.each([
    ['', 'Please complete this required field.'],
    ['far too long', 'This field must have at most 10 characters.'],
  ])('do not send %j, which Slack itself refuses', async (value, error) => {
    let sent = 0;
    const { ana } = await withCard((app) => {
      app.view('form', async ({ ack }) => {
        sent += 1;
        await ack();
      });
    });
    expect(await ana.submit({ Reason: value })).toEqual({ errors: { why: error } });
    expect(sent).toBe(0);
  });

  it('are replaced by an update, keeping what was entered', async () => {
    const { ana } = await withCard((app) => {
      app.view('form', async ({ ack }) =>
        ack({ response_action: 'update', view: { ...form, title: { type: 'plain_text', text: 'Again' } } }),
      );
    });
    await ana.submit({ Reason: 'kept' });
    expect(ana.modal()).toMatchObject({
      title: { text: 'Again' },
      values: { why: { text: { value: 'kept' } } },
    });
  });

  it('stack up to three and are cleared together', async () => {
    let depth = 1;
    const { ana } = await withCard((app) => {
      app.view('form', async ({ ack }) => {
        depth += 1;
        await ack(depth <= 3 ? { response_action: 'push', view: form } : { response_action: 'clear' });
      });
    });
    await ana.submit({ Reason: 'one' });
    await ana.submit({ Reason: 'two' });
    expect(ana.modals()).toHaveLength(3);
    await ana.submit({ Reason: 'three' });
    expect(ana.modals()).toEqual([]);
  });

  it('refuse errors for a block that is no input of theirs', async () => {
    const { ana } = await withCard((app) => {
      app.view('form', async ({ ack }) => ack({ response_action: 'errors', errors: { other: 'x' } }));
    });
    await expect(ana.submit({ Reason: 'x' })).rejects.toThrow(PersonRefusal);
  });

  it('tell the app when they are closed, if it asked for that', async () => {
    const closed: unknown[] = [];
    const { ana } = await withCard((app) => {
      app.view({ callback_id: 'form', type: 'view_closed' }, async ({ ack, body }) => {
        closed.push(body);
        await ack();
      });
    });
    await ana.close();
    expect(closed).toMatchObject([{ type: 'view_closed', is_cleared: false }]);
  });

  it('open once for a trigger, and not after three seconds', async () => {
    const clock = manualClock();
    const workspace = await startWorkspace({ clock });
    const triggers: string[] = [];
    await connectBolt(workspace, (app) => {
      app.action('approve', async ({ ack, body }) => {
        if (body.type === 'block_actions') triggers.push(body.trigger_id);
        await ack();
      });
    });
    const client = webClient(workspace);
    const ts = await postCard(workspace);
    const ana = workspace.driver.as('ana');
    await ana.click(ts, 'Approve');
    await ana.click(ts, 'Approve');
    const [first = '', second = ''] = triggers;
    await client.views.open({ trigger_id: first, view: form });
    await expect(client.views.open({ trigger_id: first, view: form })).rejects.toMatchObject({
      data: { error: 'exchanged_trigger_id' },
    });
    clock.advance(3001);
    await expect(client.views.open({ trigger_id: second, view: form })).rejects.toMatchObject({
      data: { error: 'expired_trigger_id' },
    });
  });
});

describe('Home and commands', () => {
  it('publishes the Home when a person opens it, and refuses a stale hash', async () => {
    const workspace = await startWorkspace();
    await connectBolt(workspace, (app) => {
      app.event('app_home_opened', async ({ event, client }) => {
        const blocks = [
          { type: 'header' as const, text: { type: 'plain_text' as const, text: 'Waiting for you' } },
        ];
        await client.views.publish({ user_id: event.user, view: { type: 'home', blocks } });
      });
    });
    const home = await workspace.driver.as('ana').openHome();
    expect(workspace.driver.text(home)).toBe('Waiting for you');
    const stale = webClient(workspace).views.publish({
      user_id: 'U0ANA00001',
      hash: 'old',
      view: { type: 'home', blocks: [] },
    });
    await expect(stale).rejects.toMatchObject({ data: { error: 'hash_conflict' } });
  });

  it('shows the answer to a command to its person only', async () => {
    const workspace = await startWorkspace({ commands: [{ command: '/sign', description: '', usage: '' }] });
    await connectBolt(workspace, (app) => {
      app.command('/sign', async ({ ack, command }) => ack(`got ${command.text}`));
    });
    expect(await workspace.driver.as('ana').command('/sign the paper')).toEqual(['got the paper']);
    expect(workspace.driver.messages('general', { user: 'bob' })).toEqual([]);
  });

  it('knows only the commands of the app', async () => {
    const workspace = await startWorkspace();
    await expect(workspace.driver.as('ana').command('/nothing')).rejects.toMatchObject({
      code: 'unknown_command',
    });
  });

  it('tells the app that a person pressed stop', async () => {
    const workspace = await startWorkspace();
    const ana = workspace.driver.as('ana');
    const ts = ana.dm('go');
    ana.stop(ana.dmChannel, ts);
    expect(workspace.driver.events().at(-1)?.event).toMatchObject({
      type: 'agent_session_stopped',
      thread_ts: ts,
      user: ana.id,
    });
  });
});
