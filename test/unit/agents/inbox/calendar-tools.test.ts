import { expect, it } from 'vitest';
import { offerFor } from '../../../../src/agents/inbox/tools.ts';
import { loadConnectors } from '../../../../src/connectors/index.ts';
import { testHub } from '../../../fixtures/mcp/harness.ts';
import { ana } from '../../../helpers/people.ts';

it('a conversation about a mail has the tools of Google’s calendar that it needs, by its own names', async () => {
  const servers = { 'google-calendar': { connector: 'google-calendar', oauth: { client_id: 'none' } } };
  const { hub } = testHub(servers, { connectors: await loadConnectors(servers) });
  await hub.start();
  const offered = { tools: await hub.tools(), instructions: [], down: [] };
  const mail = {
    server: 'mail',
    calendar: 'google-calendar',
    messageId: 'm1',
    conversationId: 't1',
    owner: ana,
  };
  const { tools } = offerFor(mail, offered);
  expect(tools.map(({ name, modelName }) => [name, modelName])).toEqual([
    ['create_event', 'schedule_meeting'],
    ['get_free_busy', 'check_free_busy'],
    ['list_events', 'check_calendar'],
    ['ask_user', 'Question'],
  ]);
});
