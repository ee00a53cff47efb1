import { Hono } from 'hono';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { CallRecord, SessionRisk } from '../../../../src/gate/types.ts';
import type { HttpEnv } from '../../../../src/http/context.ts';
import { callRoutes } from '../../../../src/http/web/calls/routes.ts';
import { openSqliteStore } from '../../../../src/storage/sqlite/store.ts';
import { callRecord } from '../../slack/cards/fixtures.ts';

const AT = Date.UTC(2026, 10, 24, 9, 0);

/** The pages over these calls, newest first; sessions are called like the Slack user who signed in. */
function pages(items: readonly CallRecord[], risk: SessionRisk | null, isRecorded = true) {
  const app = new Hono<HttpEnv>();
  const store = openSqliteStore({ path: ':memory:' });
  onTestFinished(() => store.close());
  const asked: object[] = [];
  callRoutes(
    app,
    {
      gate: {
        calls: {
          search: async ({ requesterId }, _limit, _cursor, fits = () => true) => ({
            items: items
              .filter((call) => requesterId === null || call.requester.id === requesterId)
              .filter(fits),
            next: null,
          }),
          outlines: async () => ({ items: [], next: null }),
          inbox: async () => ({ calls: [], isMore: false }),
          waitsFor: async () => false,
          get: async () => null,
          getMany: async (keys) =>
            keys.map((key) => (key === 'mail.read-key' ? (items[0] ?? null) : callRecord())),
        },
        risk: {
          isRecorded,
          session: async (origin) => {
            asked.push(origin);
            return risk;
          },
        },
      },
      notebooks: {
        write: async () => ({
          title: 'Half the dose',
          page: { name: 'notebook.md', title: 'Half the dose', content: Buffer.from('# Lab notebook') },
          files: [],
          problems: [],
        }),
        isOwn: async (_threadId, { id }) => items.every(({ requester }) => requester.id === id),
      },
      store,
      mcp: { whereabouts: async () => ({ waitingFor: null, url: null }) },
      admin: { isAdmin: async (id) => id === 'UADMIN' },
    },
    {
      publicUrl: () => 'http://countersign.test',
      actor: async (user) => ({ id: user, name: user }),
      signIn: { session: async (secret) => ({ secret, user: secret, via: 'slack' }), slack: null },
      sheet: async () => null,
      plan: async () => null,
      headlines: async () => new Map(),
      place: async () => null,
      samePerson: (one, other) => one.id === other.id,
    },
  );
  return {
    asked,
    async open(user: string, path = '/sessions/timeline?thread=t1') {
      const headers = { cookie: `countersign-session=${user}` };
      const answer = await app.request(`http://countersign.test/dashboard${path}`, { headers });
      return { status: answer.status, html: await answer.text() };
    },
  };
}

const source = (tool: string, minutes: number) => ({
  callKey: `${tool}-key`,
  tool,
  at: AT + minutes * 60_000,
});
const RISK: SessionRisk = {
  private: source('mail.read', 0),
  untrusted: source('web.fetch', 2),
  write: null,
  program: null,
  highest: { ...source('files.read', 3), acl: 'SECRET' },
  reads: [source('web.fetch', 2)],
  at: AT,
};

describe('the timeline of a session', () => {
  const own = callRecord({ threadId: 't1', requester: { id: 'UANA', name: 'Ana' } });

  it('says what set each flag of its risk, and when; with links for admins', async () => {
    const { open, asked } = pages([own], RISK);
    const { html } = await open('UADMIN');
    const rows = [...html.matchAll(/<tr><td>([\s\S]*?)<\/tr>/g)].map(([, row = '']) =>
      row
        .replaceAll(/<time datetime="([^"]*)"[^>]*>[^<]*<\/time>/g, '$1')
        .replaceAll(/<[^>]*>/g, ' ')
        .split(/\s{2,}/),
    );
    expect(rows.map((row) => row.map((cell) => cell.trim()).filter((cell) => cell !== ''))).toEqual([
      ['Private data', 'mail.read', '2026-11-24T09:00:00.000Z'],
      ['Text of strangers', 'web.fetch', '2026-11-24T09:02:00.000Z'],
      ['Highest level: SECRET', 'files.read', '2026-11-24T09:03:00.000Z'],
    ]);
    expect(html).toContain('/dashboard/calls/web.fetch-key"');
    expect(asked).toEqual([{ threadId: 't1' }]);
  });

  it('names only calls that somebody may see: of others’ no tool and no time, but that something was read', async () => {
    const { open } = pages([own], RISK);
    const { html } = await open('UANA');
    expect(html).toContain('/dashboard/calls/mail.read-key"');
    expect(html).toContain('Text of strangers</td><td>a call of somebody else');
    for (const hidden of ['web.fetch', 'files.read', '09:02:00', '09:03:00'])
      expect(html).not.toContain(hidden);
  });

  it('says where no risk is recorded that nothing is known of it, and not that nothing was read', async () => {
    const said = 'What sessions read and write is not recorded here';
    const off = await pages([own], null, false).open('UADMIN');
    expect(off.html).toContain(said);
    expect(off.html).not.toContain('has read nothing private');
    const on = await pages([own], null).open('UADMIN');
    expect(on.html).toContain('has read nothing private');
    expect(on.html).not.toContain(said);
    // What was recorded before it was switched off.
    const before = await pages([own], RISK, false).open('UADMIN');
    expect(before.html).toContain(said);
    expect(before.html).toContain('mail.read');
  });

  it('has only the calls that were asked for in the name of who looks, and is none without any', async () => {
    const { open } = pages([own], null);
    expect((await open('UANA')).status).toBe(200);
    const { status, html } = await open('UBOB');
    expect(status).toBe(404);
    expect(html).not.toContain(own.tool.name);
  });

  it('asks for a thread, or a program and its session', async () => {
    const { open } = pages([own], null);
    for (const query of ['', '?program=key%3Aenv', '?session=day'])
      expect((await open('UADMIN', `/sessions/timeline${query}`)).status).toBe(404);
  });

  it('links to its notebook for those who may see all of it, who can save it', async () => {
    const others = callRecord({ threadId: 't1', callId: 'c2', requester: { id: 'UBOB', name: 'Bob' } });
    const { open } = pages([own, others], null);
    const path = '/sessions/notebook?thread=t1';
    expect((await open('UADMIN')).html).toContain(`/dashboard${path}"`);
    expect(await open('UADMIN', path)).toEqual({ status: 200, html: '# Lab notebook' });
    expect((await open('UANA')).html).not.toContain(path);
    expect((await open('UANA', path)).status).toBe(404);
    const { open: openOwn } = pages([own], null);
    expect((await openOwn('UANA')).html).toContain(path);
    expect((await openOwn('UANA', path)).status).toBe(200);
  });
});
