import { Hono } from 'hono';
import { expect, it } from 'vitest';
import { callKey } from '../../../../src/gate/call/digest.ts';
import type { CallRecord } from '../../../../src/gate/types.ts';
import type { HttpEnv } from '../../../../src/http/context.ts';
import { createDashboardList } from '../../../../src/http/web/dashboard-list.ts';
import { decideRoute } from '../../../../src/http/web/decide.ts';
import { waitingPart } from '../../../../src/http/web/pages/dashboard.ts';
import type { WebPorts } from '../../../../src/http/web/ports.ts';
import { createSignIn } from '../../../../src/http/web/session/sessions.ts';
import { findNews } from '../../../../src/slack/views/answer-pairs.ts';
import { toDecisionPage } from '../../../../src/slack/views/decision-sheet.ts';
import { collectingLogger } from '../../../fixtures/mcp/harness.ts';
import { openGate, opening, proposed } from '../../../helpers/gate.ts';
import { ana, THREAD } from '../../../helpers/people.ts';
import { newerMail } from '../../../helpers/waiting-draft.ts';
import { callView } from '../../slack/cards/fixtures.ts';

const SITE = 'http://countersign.test';
const MARK = 'A newer mail of this conversation came from cy@other.test, which this draft doesn’t know.';
const TOLD = 'It came after this was shown to you, so nothing was accepted yet.';

/** Drafts of replies wait for Ana, who has signed in. */
async function open(...ids: readonly string[]) {
  let newest: string | null = null;
  const newer = () => (newest === null ? null : newerMail(newest));
  const { gate, store, fence, call, time } = openGate({
    findNews: (of) => findNews({ newerThan: async () => newer() }, of),
  });
  const draft = {
    server: 'mail',
    name: 'reply_to_message',
    modelName: 'send_email',
    graph: 'inbox',
  } as const;
  const drafts = ids.map((id) => ({ ...proposed(id, draft), modelName: 'send_email' }));
  await gate.requests.open(opening(await fence(), ...drafts));
  const publicUrl = () => SITE;
  let secrets = 0;
  const signIn = createSignIn({
    ...{ store, clock: () => time.now, openId: null, isOpen: async () => true, publicUrl },
    secrets: () => `secret-${++secrets}`,
  });
  const toSheet = (of: CallRecord) =>
    toDecisionPage({ ...callView({}, { newer: newer() }), callKey: callKey(THREAD, of.callId), call: of });
  const web: WebPorts = {
    ...{ signIn, publicUrl, isLinkEnough: true, onChange: () => () => undefined },
    samePerson: (one, other) => one.id === other.id,
    actor: async () => ana,
    async sheet(key) {
      const found = await gate.calls.get(key);
      return found && toSheet(found);
    },
    sheets: async (calls) => calls.map(toSheet),
    plan: async () => null,
    headlines: async () => new Map(),
    place: async () => null,
  };
  const app = new Hono<HttpEnv>();
  const whereabouts = async () => ({ waitingFor: null, url: null });
  decideRoute(app, { gate, log: collectingLogger(), admin: null, mcp: { whereabouts } }, web, (c) =>
    c.body(''),
  );
  const secret =
    (await signIn.useLink(new URL(await signIn.offerLink('U1')).searchParams.get('link') ?? '')) ?? '';
  const cookie = `countersign-session=${secret}`;
  const list = createDashboardList({ gate, whereabouts }, web);
  return {
    call,
    comes: (id: string) => {
      newest = id;
    },
    page: async (id: string) =>
      (await app.request(`${SITE}/decide/${callKey(THREAD, id)}`, { headers: { cookie } })).text(),
    async dashboard() {
      const session = await signIn.session(secret);
      if (session === null) throw new Error('nobody is signed in');
      return String(waitingPart(await list.read({ actor: ana, session })));
    },
    /** Presses Approve in the form on this page that is sent there. */
    async approve(path: string, html: string) {
      const [form = ''] =
        html
          .match(/<form[\s\S]*?<\/form>/g)
          ?.filter((one) => !one.includes('action=') || one.includes(`${path}"`)) ?? [];
      const fields = [...form.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)">/g)];
      const body = new URLSearchParams(
        fields.map(([, name = '', value = '']) => [name, value.replaceAll('&quot;', '"')]),
      );
      body.set('word', 'approve');
      const answer = await app.request(`${SITE}${path}`, { method: 'POST', headers: { cookie }, body });
      return { status: answer.status, html: await answer.text() };
    },
  };
}

it('the page of a draft that tells of no newer mail accepts nothing, and is shown anew, where it does', async () => {
  const { call, comes, page, approve } = await open('c1');
  const path = `/decide/${callKey(THREAD, 'c1')}`;
  const before = await page('c1');
  comes('m2');
  const again = await approve(path, before);
  expect(again.status).toBe(422);
  expect(again.html).toContain(`<p class="warning">${MARK}</p>`);
  expect(again.html).toContain(`<p class="warning" role="alert">${MARK} ${TOLD}`);
  expect((await call('c1')).state).toBe('pending');
  comes('m3');
  expect((await approve(path, again.html)).status).toBe(422);
  expect((await approve(path, await page('c1'))).status).toBe(303);
  expect((await call('c1')).state).toBe('approved');
});

it('so does what waits on the dashboard', async () => {
  const { call, comes, dashboard, approve } = await open('c1');
  const path = `/decide/${callKey(THREAD, 'c1')}`;
  const before = await dashboard();
  comes('m2');
  const again = await approve(path, before);
  expect(again.html).toContain(TOLD);
  // It leads back there.
  expect(again.html).toContain('name="back" value="dashboard"');
  expect((await call('c1')).state).toBe('pending');
  await approve(path, await dashboard());
  expect((await call('c1')).state).toBe('approved');
});

it('so does the form of several, which says so', async () => {
  const { call, comes, dashboard, approve } = await open('c1', 'c2');
  const before = await dashboard();
  comes('m2');
  const { html, status } = await approve('/decide/together', before);
  expect(status).toBe(409);
  expect(html).toContain(TOLD);
  expect([(await call('c1')).state, (await call('c2')).state]).toEqual(['pending', 'pending']);
  await approve('/decide/together', await dashboard());
  expect([(await call('c1')).state, (await call('c2')).state]).toEqual(['approved', 'approved']);
});
