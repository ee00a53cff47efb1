import { describe, expect, it } from 'vitest';
import { manualClock } from '../src/index.ts';
import { startWorkspace, webClient } from './helpers/workspace.ts';

const refusal = (error: string) =>
  expect.objectContaining({ data: expect.objectContaining({ ok: false, error }) });

describe('an agent session', () => {
  const place = (threadTs: string) => ({ channel_id: 'D0ANA00001', thread_ts: threadTs });

  it('is made by its first status, keeps its first title, and outlasts the app’s messages', async () => {
    const workspace = await startWorkspace();
    const threadTs = workspace.driver.as('ana').dm('hello');
    const { agents, chat } = webClient(workspace);
    const first = { ...place(threadTs), status: 'processing', title: 'Greetings' };
    expect(await agents.sessions.setStatus(first)).toMatchObject({
      status: 'processing',
      title: 'Greetings',
    });
    await chat.postMessage({ channel: 'D0ANA00001', thread_ts: threadTs, text: 'hi' });
    expect(workspace.driver.statuses(threadTs).map((it) => it.status)).toEqual(['is working…']);
    await agents.sessions.setStatus({ ...place(threadTs), status: 'suspended', title: 'Other' });
    expect(workspace.driver.statuses(threadTs).map((it) => it.status)).toEqual(['is working…', '']);
    expect([...workspace.driver.workspace.sessions.values()]).toEqual([
      { status: 'suspended', title: 'Greetings' },
    ]);
  });

  it('is processing for an hour at most', async () => {
    const clock = manualClock();
    const workspace = await startWorkspace({ clock });
    const threadTs = workspace.driver.as('ana').dm('hello');
    await webClient(workspace).agents.sessions.setStatus({ ...place(threadTs), status: 'processing' });
    clock.advance(3_600_000);
    expect(workspace.driver.statuses(threadTs).map((it) => it.status)).toEqual(['is working…', '']);
  });

  it.each(['is thinking…', ''])('has no words of its own: %j is refused', async (status) => {
    const workspace = await startWorkspace();
    const threadTs = workspace.driver.as('ana').dm('hello');
    const { agents } = webClient(workspace);
    await expect(agents.sessions.setStatus({ ...place(threadTs), status })).rejects.toEqual(
      refusal('invalid_arguments'),
    );
  });

  it('is unknown where the workspace lacks it', async () => {
    const workspace = await startWorkspace({ missingMethods: ['agents.sessions.setStatus'] });
    const threadTs = workspace.driver.as('ana').dm('hello');
    const { agents } = webClient(workspace);
    await expect(agents.sessions.setStatus({ ...place(threadTs), status: 'active' })).rejects.toEqual(
      refusal('unknown_method'),
    );
  });

  it('names the event that Stop needs, where the app does not get it', async () => {
    const workspace = await startWorkspace({ subscriptions: ['app_mention'] });
    const threadTs = workspace.driver.as('ana').dm('hello');
    const answer = await webClient(workspace).agents.sessions.setStatus({
      ...place(threadTs),
      status: 'processing',
    });
    expect(answer.warning).toBe('missing_agent_session_stopped_event_subscription');
  });
});
