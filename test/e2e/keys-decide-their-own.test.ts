import { expect, it } from 'vitest';
import { createApiKeys } from '../../src/http/api/keys.ts';
import { effectsIn } from '../fixtures/servers/effects.ts';
import { startAppWithModel } from '../helpers/app.ts';
import { createVisitor } from '../helpers/web-visitor.ts';

const LEDGER = new URL('../fixtures/servers/ledger.ts', import.meta.url).pathname;

/** Ana asks in Slack for what the key `ci` and Bob may approve, and she may not. */
async function anaAsks() {
  const approvers = { from: ['api:ci', 'user:U0BOB00001'], exclude_requester: true };
  const { app, model, driver } = await startAppWithModel({
    web: true,
    file: {
      policy: { rules: [{ tools: 'ledger.*', action: 'ask', approvers }] },
      mcpServers: { ledger: { command: process.execPath, args: [LEDGER, '$FOLDER'] } },
    },
  });
  const key = await app.inStore((store) =>
    createApiKeys({
      store,
      clock: Date.now,
      secrets: () => 'k'.repeat(43),
      environmentKey: null,
    }).create('ci', ['run', 'read', 'admin']),
  );
  driver.as('ana').post('general', '@countersign enter rent');
  await model.calls([{ name: 'ledger__add_entry', arguments: { entry: 'rent', amount: 900 } }]);
  await driver.waitForMessage((message) => /rent.*Approve/s.test(driver.text(message)));
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const read = async (path: string) => (await fetch(`${app.url}${path}`, { headers })).json();
  const [request] = (await read('/api/requests?status=open')).requests;
  const state = async () => (await read('/api/calls')).calls[0].status;
  return { app, key, headers, request, state };
}

it('whoever asked in Slack cannot approve it with a key that they hold, over the API', async () => {
  const { app, headers, request, state } = await anaAsks();
  const approvals = [{ call_id: request.calls[0].call_id, approved: true }];
  const answer = await fetch(`${app.url}/api/requests/${request.request_id}/decisions`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ approvals }),
  });
  expect(answer.status).toBe(403);
  const said = await answer.text();
  expect(said).toContain('A key only decides what it asked for itself');
  expect(said).not.toContain('rent');
  expect(await state()).toBe('pending');
  expect(effectsIn(app.folder)).toEqual({});
});

it('nor with a browser that was signed in with the key', async () => {
  const { app, key, request, state } = await anaAsks();
  const visitor = createVisitor();
  const dashboard = await visitor.visit(`${app.publicUrl}/sign-in/key`, { key });
  expect(dashboard.text).not.toContain('Approve');
  const page = await visitor.visit(`${app.publicUrl}/decide/${request.calls[0].call_id}`);
  expect(page.status).toBe(403);
  expect(page.text).toContain('A key only decides what it asked for itself');
  expect(await state()).toBe('pending');
});
