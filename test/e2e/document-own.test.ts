import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createApiKeys } from '../../src/http/api/keys.ts';
import { CALL } from '../../src/http/web/calls/texts.ts';
import { randomSecret } from '../../src/lib/clock.ts';
import { BOB } from '../helpers/decide-on-web.ts';
import { openForFiles, reportPdf } from '../helpers/dropped-files.ts';
import { post } from '../helpers/http-client.ts';
import { createProgram } from '../helpers/personal-programs.ts';
import { ON_REDIS } from '../helpers/storage.ts';
import { createVisitor, signIn } from '../helpers/web-visitor.ts';

const SLOW = 180_000;
const KEY = 'a-key-of-whoever-has-documents-27182';
const LEDGER = new URL('../fixtures/servers/ledger.ts', import.meta.url).pathname;
/** In the name of somebody's own document, and in what it says. */
const OWN = 'Nightjar';
const TEXT = 'Nightjar pays 812 crowns.';

const SEARCH = { name: 'documents__search_documents', arguments: { query: 'crowns' } };
/** Whoever approves it sees it whole, also where it is from the document. */
const ENTER = { name: 'ledger__add_entry', arguments: { entry: 'bonus of 812 crowns' } };

/** The app with documents, whose entries Bob approves, who is an admin. */
async function open(file: Readonly<Record<string, unknown>> = {}) {
  const opened = await openForFiles({
    web: true,
    env: { COUNTERSIGN_API_KEY: KEY },
    file: {
      admins: ['U0BOB00001'],
      policy: {
        rules: [
          { tools: 'documents.*', action: 'allow' },
          { tools: 'ledger.*', action: 'ask', approvers: BOB },
        ],
      },
      mcpServers: {
        documents: { in_process: 'documents' },
        ledger: { command: process.execPath, args: [LEDGER, '$FOLDER'], trusted: true },
      },
      ...file,
    },
  });
  const { driver, line } = opened;
  const ana = driver.as('ana');
  return {
    ...opened,
    ana,
    bob: driver.as('bob'),
    /** Ana drops a document of hers into a direct message. */
    async dropped(): Promise<void> {
      ana.dm('', { files: [{ name: 'Nightjar offer.pdf', content: reportPdf(TEXT) }] });
      await line('ready');
    },
  };
}
type Opened = Awaited<ReturnType<typeof open>>;

const callsSchema = z.object({
  calls: z.array(z.object({ call_id: z.string(), thread_id: z.string(), tool: z.string() })),
});

/** What a surface shows, by its name. */
type Shown = Readonly<Record<string, string>>;

/** Everything that Bob, or whoever has a key that reads, sees of all calls, at any time. */
async function openEyes({ app, driver, bob }: Opened) {
  const key = await app.inStore((store) =>
    createApiKeys({ store, clock: Date.now, secrets: randomSecret, environmentKey: null }).create('reader', [
      'read',
      'documents',
      'run',
    ]),
  );
  const get = async (path: string) => {
    const response = await fetch(`${app.url}${path}`, { headers: { authorization: `Bearer ${key}` } });
    return `${response.status} ${await response.text()}`;
  };
  const visitor = createVisitor();
  const dashboard = await signIn(visitor, app, 'bob', `${app.publicUrl}/dashboard`);
  const visit = async (path: string) => {
    const page = await visitor.visit(`${app.publicUrl}${path}`);
    return `${page.status} ${page.html}`;
  };

  async function ofCall({ call_id, thread_id, tool }: z.infer<typeof callsSchema>['calls'][number]) {
    const [id, thread] = [encodeURIComponent(call_id), encodeURIComponent(thread_id)];
    const whole = encodeURIComponent(thread_id.split('~')[0] ?? '');
    const shown: Shown = {
      'its page': await visit(`/dashboard/calls/${id}`),
      'its page to decide': await visit(`/decide/${id}`),
      'its timeline': await visit(`/dashboard/sessions/timeline?thread=${thread}`),
      'its notebook': await visit(`/dashboard/sessions/notebook?thread=${thread}`),
      'the notebook of all': await visit(`/dashboard/sessions/notebook?thread=${whole}`),
      'GET /api/calls/{id}': await get(`/api/calls/${id}`),
      'GET /api/sessions/{id}/notebook': await get(`/api/sessions/${thread}/notebook`),
      'GET /runs/{thread}/events': await get(`/runs/${thread}/events`),
      'GET /jobs/{id}/events': await get(`/jobs/${id}/events`),
    };
    return Object.entries(shown).map(([where, text]) => [`${tool}: ${where}`, text]);
  }

  return async (): Promise<Shown> => {
    const calls = await get('/api/calls');
    const parsed = callsSchema.parse(JSON.parse(calls.slice(4)));
    const each = [];
    for (const call of parsed.calls) each.push(...(await ofCall(call)));
    return {
      ...Object.fromEntries(each),
      'the list of calls': await visit('/dashboard/calls'),
      'the list of sessions': await visit('/dashboard/sessions'),
      'what waits for Bob': (await visitor.visit(dashboard.url)).html,
      'GET /api/calls': calls,
      'GET /api/requests': await get('/api/requests'),
      'GET /api/audit': await get('/api/audit'),
      'GET /documents': await get('/documents'),
      'GET /metrics': await get('/metrics'),
      'Bob’s Home': JSON.stringify(await bob.openHome()),
      'Bob’s direct messages': JSON.stringify(driver.messages(bob.dmChannel)),
      '/countersign documents': JSON.stringify(await bob.command('/countersign documents', 'general')),
      '/countersign pending': JSON.stringify(await bob.command('/countersign pending', 'general')),
      '/countersign history': JSON.stringify(await bob.command('/countersign history', 'general')),
      'Bob’s forms': JSON.stringify(bob.modals()),
      'the channels': JSON.stringify([driver.messages('general'), driver.messages('ops')]),
    };
  };
}

function leaksIn(shown: Shown): readonly string[] {
  return Object.entries(shown).flatMap(([where, text]) => (text.includes(OWN) ? [where] : []));
}

interface Way {
  readonly file?: Readonly<Record<string, unknown>>;
  /** Asks, and finds the document, until Bob is asked to approve an entry. */
  readonly ask: (opened: Opened) => Promise<void>;
  /** Answers with what it says once the entry is made. */
  readonly answer: (opened: Opened) => Promise<void>;
}

const AGENTS = {
  reader: { description: 'Reads documents.', tools: ['documents.*'] },
  writer: { description: 'Writes into the ledger.', tools: ['ledger.*'] },
};
const TASKS = [
  { id: 'find', agent: 'reader', task: 'Find it' },
  { id: 'enter', agent: 'writer', task: 'Enter it', depends_on: ['find'] },
];

const WAYS: Readonly<Record<string, Way>> = {
  'the assistant, in a direct message': {
    async ask({ ana, model, dropped }) {
      await dropped();
      ana.dm('enter what I get');
      await model.calls([SEARCH]);
      expect(await model.heard()).toContain(TEXT);
      await model.saysAndCalls(`You wrote: ${TEXT}`, [ENTER]);
    },
    async answer({ model, line }) {
      await model.heard();
      await model.says(`It is entered: ${TEXT}`);
      await line('It is entered', TEXT);
    },
  },
  'the planner, in a direct message': {
    file: { routes: { dm: 'planner' } },
    async ask({ ana, model, dropped }) {
      await dropped();
      ana.dm('enter what I get');
      const steps = [
        { tool: SEARCH.name, arguments: SEARCH.arguments },
        { tool: ENTER.name, arguments: ENTER.arguments, needs: [1], why: TEXT },
      ];
      await model.calls([{ name: 'make_plan', arguments: { title: 'Enter it', steps } }]);
    },
    async answer({ model, line }) {
      expect(await model.sent()).toContain(TEXT);
      await model.says(`It is entered: ${TEXT}`);
      await line('It is entered', TEXT);
    },
  },
  'a team, in a direct message': {
    file: { routes: { dm: 'team' }, team: { agents: AGENTS } },
    async ask({ ana, model, dropped }) {
      await dropped();
      ana.dm('enter what I get');
      await model.askedBy('master');
      const plan = { analysis: { intent: 'Enter it' }, execution_plan: TASKS };
      await model.calls([{ name: 'make_team_plan', arguments: plan }]);
      await model.askedBy('reader');
      await model.calls([SEARCH]);
      await model.askedBy('reader');
      await model.says(TEXT);
      await model.askedBy('writer');
      expect(await model.sent()).toContain(TEXT);
      await model.saysAndCalls(`It was found: ${TEXT}`, [ENTER]);
    },
    async answer({ model, line }) {
      await model.askedBy('writer');
      await model.says(`Entered: ${TEXT}`);
      await model.askedBy('composer');
      await model.says(`It is entered: ${TEXT}`);
      await line('It is entered', TEXT);
    },
  },
  'a key of the API': {
    async ask({ app, model }) {
      const client = { url: app.url, key: KEY };
      const headers = { authorization: `Bearer ${KEY}` };
      const form = new FormData();
      form.set('file', new File([TEXT], 'Nightjar offer.md'));
      const given = await fetch(`${app.url}/documents`, { method: 'POST', headers, body: form });
      expect(given.status).toBe(202);
      const learned = async () => (await fetch(`${app.url}/documents`, { headers })).text();
      await expect.poll(learned, { timeout: 30_000 }).toMatch(/Nightjar[^}]*"learned"/);
      void post(client, '/run', { user_request: 'enter what I get', thread_id: 't1' });
      await model.calls([SEARCH]);
      expect(await model.heard()).toContain(TEXT);
      await model.saysAndCalls(`You wrote: ${TEXT}`, [ENTER]);
    },
    async answer({ app, model }) {
      await model.heard();
      await model.says(`It is entered: ${TEXT}`);
      const headers = { authorization: `Bearer ${KEY}` };
      const events = await fetch(`${app.url}/runs/t1/events`, { headers });
      for await (const chunk of events.body ?? []) if (Buffer.from(chunk).toString().includes(TEXT)) break;
    },
  },
};

describe.skipIf(ON_REDIS)('what is found in somebody’s own documents', { timeout: SLOW }, () => {
  it.each(Object.entries(WAYS))(
    'by %s, is shown neither to who approves what comes next, nor to admins, nor to other keys',
    async (_who, { file = {}, ask, answer }) => {
      const opened = await open(file);
      const { bob } = opened;
      await ask(opened);
      const home = async () => JSON.stringify(await bob.openHome());
      await expect.poll(home, { timeout: 30_000 }).toContain('bonus');
      const look = await openEyes(opened);
      const asked = await look();
      expect(leaksIn(asked)).toEqual([]);
      // They do see what there is to decide.
      for (const where of ['add_entry: its page to decide', 'what waits for Bob', 'GET /api/calls'])
        expect(asked[where]).toContain('bonus of 812 crowns');
      await bob.useElement('View everything', undefined, bob.home());
      expect(JSON.stringify(await bob.waitForModal())).toContain('bonus');
      expect(leaksIn(await look())).toEqual([]);
      await bob.useElement('Approve');
      await answer(opened);
      const done = await look();
      expect(leaksIn(done)).toEqual([]);
      expect(done['search_documents: its page']).toContain(CALL.ownResult);
    },
  );

  it('by a program of theirs, is on no card in a channel; its button shows it to them alone', async () => {
    const opened = await open({
      personal_programs: { tools: ['documents.*'], channel: 'C0GENERAL1' },
      policy: { rules: [{ tools: 'documents.*', action: 'ask', approvers: BOB }] },
    });
    const { app, ana, bob, driver, line, dropped } = opened;
    await dropped();
    const program = await createProgram({ app, mcpUrl: new URL(`${app.publicUrl}/mcp`) });
    const client = await program.signIn();
    const found = client.callTool(SEARCH);
    await bob.click(await line('Search documents', '[Approve]'), 'Approve');
    expect(JSON.stringify(await found)).toContain(TEXT);
    const card = await line('Search documents', '[Show result');
    expect(card.channel).toBe('C0GENERAL1');
    const look = await openEyes(opened);
    await bob.click(card, 'Show result');
    await driver.waitUntil(() => JSON.stringify(bob.ephemerals()).includes('Ana'));
    const shown = await look();
    expect(leaksIn({ ...shown, 'what only Bob sees': JSON.stringify(bob.ephemerals()) })).toEqual([]);
    expect(shown['the channels']).toContain('Search documents');
    await ana.click(card, 'Show result');
    expect(JSON.stringify(await ana.waitForModal())).toContain(TEXT);
  });
});
