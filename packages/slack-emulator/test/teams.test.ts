import { describe, expect, it } from 'vitest';
import { TEAM } from '../src/index.ts';
import { connectBolt, startWorkspace, webClient } from './helpers/workspace.ts';

const BUTTON = { type: 'button', action_id: 'go', text: { type: 'plain_text', text: 'Go' } } as const;
const INPUT = {
  type: 'input',
  block_id: 'why',
  label: { type: 'plain_text', text: 'Why?' },
  element: { type: 'plain_text_input', action_id: 'why' },
} as const;
const OURS = { id: TEAM.id };

/** The payloads of a message, a click on an answer, and a form, all by Carol. */
async function listenTo(change: (driver: Awaited<ReturnType<typeof startWorkspace>>['driver']) => void) {
  const workspace = await startWorkspace();
  const { driver } = workspace;
  change(driver);
  const heard: unknown[] = [];
  await connectBolt(workspace, (app) => {
    app.action('go', async ({ ack, body, client }) => {
      heard.push(body);
      await ack();
      if (!('trigger_id' in body)) return;
      const title = { type: 'plain_text', text: 'Form' } as const;
      await client.views.open({
        trigger_id: body.trigger_id,
        view: { type: 'modal', callback_id: 'form', title, submit: title, blocks: [INPUT] },
      });
    });
    app.view('form', async ({ ack, body }) => {
      heard.push(body);
      await ack();
    });
  });
  const carol = driver.as('carol');
  const ts = carol.post('general', '@app hi');
  await driver.eventsDelivered();
  heard.push(driver.events().at(-1));
  const card = { channel: 'C0GENERAL1', thread_ts: ts, text: 'Go?' };
  await webClient(workspace).chat.postMessage({
    ...card,
    blocks: [{ type: 'actions', elements: [BUTTON] }],
  });
  await carol.click(await driver.waitForMessage((it) => it.byApp), 'Go');
  await carol.waitForModal();
  await carol.submit({ 'Why?': 'so' });
  const { user } = await webClient(workspace).users.info({ user: carol.id });
  return { heard, user };
}

describe('the teams in payloads', () => {
  it('are the workspace’s where there is no other', async () => {
    const { heard, user } = await listenTo(() => {});
    expect(heard).toMatchObject([
      { team_id: TEAM.id, authorizations: [{ team_id: TEAM.id }], is_ext_shared_channel: false },
      { team: OURS, user: { team_id: TEAM.id }, enterprise: null },
      { team: OURS, user: { team_id: TEAM.id }, view: { app_installed_team_id: TEAM.id } },
    ]);
    expect(user).toMatchObject({ team_id: TEAM.id, is_stranger: false });
  });

  it('tell somebody of another organisation in a shared channel apart', async () => {
    const { heard, user } = await listenTo((driver) => {
      driver.setUser('carol', { teamId: 'T0ELSEWHERE' });
      driver.setInstallation({ eventTeam: { team_id: 'T0ELSEWHERE' } });
    });
    expect(heard).toMatchObject([
      {
        team_id: 'T0ELSEWHERE',
        authorizations: [{ team_id: TEAM.id }],
        is_ext_shared_channel: true,
        event: { team: 'T0ELSEWHERE', user_team: 'T0ELSEWHERE' },
      },
      { team: OURS, user: { team_id: 'T0ELSEWHERE' } },
      { team: { id: 'T0ELSEWHERE' }, view: { app_installed_team_id: TEAM.id } },
    ]);
    // They share a channel with the app.
    expect(user).toMatchObject({ team_id: 'T0ELSEWHERE', is_stranger: false });
  });

  it('are none where the app is installed in a whole organisation', async () => {
    const { heard, user } = await listenTo((driver) => {
      driver.setUser('carol', { teamId: 'T0SISTER', workspaces: ['T0SISTER'] });
      driver.setInstallation({ enterpriseId: 'E0ORG', isOrgWide: true });
    });
    const orgWide = { team: null, enterprise: { id: 'E0ORG' }, is_enterprise_install: true };
    expect(heard).toMatchObject([
      { authorizations: [{ team_id: null, enterprise_id: 'E0ORG', is_enterprise_install: true }] },
      { ...orgWide, user: { team_id: 'E0ORG' } },
      orgWide,
    ]);
    expect(user).toMatchObject({ enterprise_user: { enterprise_id: 'E0ORG', teams: ['T0SISTER'] } });
  });
});
