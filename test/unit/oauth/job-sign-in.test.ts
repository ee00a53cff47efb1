import { expect, test } from 'vitest';
import { jobRules } from '../../../src/mcp/config/jobs.ts';
import { httpServerSchema } from '../../../src/mcp/config/schema.ts';
import { createGatedCaller } from '../../../src/tools/gated-caller.ts';
import { ANA, emptyStore, oauthInstance, tasksServer } from '../../fixtures/oauth/instance.ts';
import { beginning, openGate, proposed } from '../../helpers/gate.ts';

test('a job whose server wants its person to sign in again asks them, and goes on once they have', async () => {
  const server = await tasksServer({ exports: true });
  const instance = oauthInstance(server, { store: await emptyStore() });
  await instance.hub.start();
  await instance.signIn(ANA, 'ana');
  const fixture = openGate({
    evaluate: () => ({ action: 'allow', rule: 'all', reason: null, policyVersion: '1' }),
  });
  const job = { id: 'job_id', status: 'export_state' };
  const seen: string[] = [];
  const caller = createGatedCaller({
    gate: fixture.gate,
    maxConcurrentCalls: 8,
    clock: fixture.ports.clock,
    jobs: jobRules({ tasks: httpServerSchema.parse({ url: server.url, jobs: { export_tasks: job } }) }),
    send: ({ name, arguments: args, person = ANA }) => instance.send(name, person, args),
    async wait() {
      const { need } = await fixture.call('c1');
      seen.push(need?.message ?? 'running');
      server.refuseAll(need === null);
      if (need !== null) await instance.signIn(ANA, 'ana');
    },
  });
  const tool = (await instance.hub.tools(ANA)).find(({ name }) => name === 'export_tasks') ?? null;
  const input = beginning(await fixture.fence(), proposed('c1', tool, {}));
  const record = await caller({
    ...input,
    signal: new AbortController().signal,
    onProgress: () => undefined,
  });
  expect(seen).toEqual(['running', 'Connect tasks as yourself to go on.']);
  expect(record).toMatchObject({ state: 'succeeded', need: null, outcome: { ownAccount: true } });
});
