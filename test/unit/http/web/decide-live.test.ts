import { Hono } from 'hono';
import { expect, it } from 'vitest';
import { callKey } from '../../../../src/gate/call/digest.ts';
import { readLatestEntries } from '../../../../src/gate/index.ts';
import { compilePolicy } from '../../../../src/gate/policy/evaluate.ts';
import { policySchema } from '../../../../src/gate/policy/schema.ts';
import type { HttpEnv } from '../../../../src/http/context.ts';
import { decideRoute } from '../../../../src/http/web/decide.ts';
import { readVersion } from '../../../../src/http/web/decide-views.ts';
import type { WebPorts } from '../../../../src/http/web/ports.ts';
import { createSignIn } from '../../../../src/http/web/session/sessions.ts';
import { toDecisionPage } from '../../../../src/slack/views/decision-sheet.ts';
import { collectingLogger } from '../../../fixtures/mcp/harness.ts';
import { openGate, opening, proposed } from '../../../helpers/gate.ts';
import { bob, carol, membersOnly, THREAD } from '../../../helpers/people.ts';
import { callView } from '../../slack/cards/fixtures.ts';

const KEY = callKey(THREAD, 'c1');
const APPROVERS = [bob, carol].map(({ id }) => `user:${id.split(':')[2]}` as const);

/** A call of Ana's that takes Bob and Carol; Bob has signed in. `meanwhile`: is done as soon as a page has read it. */
async function open(meanwhile: (approve: () => Promise<unknown>) => Promise<unknown> = async () => null) {
  const rules = [{ tools: '*', action: 'ask', approvers: { from: APPROVERS, quorum: 2 } }];
  const evaluate = compilePolicy(policySchema.parse({ rules }));
  const { gate, store, fence, call, time } = openGate({ people: membersOnly, evaluate });
  await gate.requests.open(opening(await fence(), proposed('c1')));
  const decide = async (actor: typeof bob, type: 'approve' | 'reject') =>
    gate.decisions.decide([{ callKey: KEY, digest: (await call('c1')).digest, type }], actor);
  const publicUrl = () => 'http://countersign.test';
  let secrets = 0;
  const signIn = createSignIn({
    ...{ store, clock: () => time.now, openId: null, isOpen: async () => true, publicUrl },
    secrets: () => `secret-${++secrets}`,
  });
  const web: WebPorts = {
    ...{ signIn, publicUrl, isLinkEnough: true, onChange: () => () => undefined },
    samePerson: (one, other) => one.id === other.id,
    actor: async () => bob,
    async sheet() {
      const sheet = toDecisionPage(callView(await call('c1')));
      await meanwhile(() => decide(carol, 'approve'));
      return sheet;
    },
    sheets: async () => [],
    plan: async () => null,
    headlines: async () => new Map(),
    place: async () => null,
  };
  const app = new Hono<HttpEnv>();
  const mcp = { whereabouts: async () => ({ waitingFor: null, url: null }) };
  const log = collectingLogger();
  decideRoute(app, { gate, log, admin: null, mcp }, web, (c) => c.body('stream'));
  const secret = await signIn.useLink(new URL(await signIn.offerLink('U2')).searchParams.get('link') ?? '');
  const visit = (path: string) =>
    app.request(`http://countersign.test${path}`, { headers: { cookie: `countersign-session=${secret}` } });
  return { gate, store, decide, visit };
}

it('a page of a call that changes while it is read is told so', async () => {
  const { gate, visit } = await open((approve) => approve());
  const html = await (await visit(`/decide/${KEY}`)).text();
  const shown = /data-version="([^"]+)"/.exec(html)?.[1];
  expect(shown).toMatch(/^[\w-]{43}$/);
  expect(shown).not.toBe(await readVersion({ gate }, KEY));
});

it('a page that listens again once somebody else has decided is no attempt to decide', async () => {
  const { decide, store, visit } = await open();
  expect((await visit(`/decide/${KEY}/events`)).status).toBe(200);
  await decide(carol, 'reject');
  expect((await visit(`/decide/${KEY}/events`)).status).toBe(404);
  const entries = await readLatestEntries(store, { threadId: THREAD, limit: 10 });
  expect(entries.map(({ what }) => what)).toContain('decided');
  expect(entries.map(({ what }) => what)).not.toContain('refused');
});
