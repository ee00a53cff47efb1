import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { auditEntries, NO_THREAD } from '../../src/gate/audit/chain.ts';
import { put } from '../../src/storage/store.ts';
import { startAppWithModel } from '../helpers/app.ts';
import { findBarriers } from '../helpers/axe.ts';
import { launchChromium } from '../helpers/chromium.ts';
import { BOB } from '../helpers/decide-on-web.ts';
import { keepPictures } from '../helpers/picture.ts';
import { createVisitor, signIn, type Visited, type Visitor } from '../helpers/web-visitor.ts';

const LEDGER = new URL('../fixtures/servers/ledger.ts', import.meta.url).pathname;
const PAGES = ['approvals', 'health', 'spending', 'connections', 'audit', 'keys'];

/** The app, in which Bob is an admin, and a limit has what is used counted. */
async function start() {
  const { app, model, driver } = await startAppWithModel({
    web: true,
    file: {
      admins: ['U0BOB00001'],
      limits: { person: { calls_per_day: 50 }, channel: { calls_per_day: 60 } },
      policy: { rules: [{ name: 'money', tools: 'ledger.*', action: 'ask', approvers: BOB }] },
      mcpServers: { ledger: { command: process.execPath, args: [LEDGER, '$FOLDER'] } },
    },
  });
  const address = (page: string) => `${app.publicUrl}/dashboard/${page}`;
  return {
    app,
    model,
    driver,
    address,
    /** An entry that Ana asks for and Bob approves. */
    async enter(entry: string): Promise<void> {
      driver.as('ana').post('general', `@countersign enter ${entry}`);
      await model.calls([{ name: 'ledger__add_entry', arguments: { entry, amount: 900 } }]);
      const card = await driver.waitForMessage((it) => driver.text(it).includes('[Approve]'));
      await driver.as('bob').click(card, 'Approve');
      await model.says('Entered.');
      await driver.waitForMessage((it) => driver.text(it).includes('Approved by Bob'));
    },
    async arrive(who: string): Promise<{ visitor: Visitor; see: (page: string) => Promise<Visited> }> {
      const visitor = createVisitor();
      await signIn(visitor, app, who, `${app.publicUrl}/dashboard`);
      return { visitor, see: (page) => visitor.visit(address(page)) };
    },
  };
}

/** The hidden fields of the form that is sent to this part of a page. */
function fieldsOf({ html }: Visited, part: string): Record<string, string> {
  const form = new RegExp(`<form[^>]*action="[^"]*/${part}"[^>]*>([\\s\\S]*?)</form>`).exec(html)?.[1] ?? '';
  const hidden = [...form.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)">/g)];
  return Object.fromEntries(
    hidden.map(([, name = '', value = '']) => [name, value.replaceAll('&quot;', '"')]),
  );
}

describe('the pages for admins', () => {
  it('are refused by address to whoever is no admin, and to whoever has not signed in', async () => {
    const town = await start();
    const { visitor, see } = await town.arrive('carol');
    for (const page of [...PAGES, 'audit/export']) {
      expect(await see(page), page).toMatchObject({
        status: 403,
        text: expect.stringContaining('This is for admins'),
      });
      expect((await createVisitor().visit(town.address(page))).status, page).toBe(401);
    }
    for (const part of ['keys/make', 'keys/revoke', 'audit/verify', 'connections/disconnect']) {
      const refused = await visitor.visit(town.address(part), {
        token: 'x',
        about: '',
        name: 'n',
        scope: 'admin',
      });
      expect(refused.status, part).toBe(403);
    }
    expect((await visitor.visit(`${town.app.publicUrl}/dashboard`)).text).not.toContain('Approval health');
  });

  it('are what a sign-in comes back to', async () => {
    const town = await start();
    const page = await signIn(createVisitor(), town.app, 'bob', town.address('audit?person=Ana'));
    expect([page.status, page.url]).toEqual([200, town.address('audit?person=Ana')]);
  });

  it('make a key that works and is shown once, and revoke it for whoever repeats its name; both are in the audit', async () => {
    const town = await start();
    const { visitor, see } = await town.arrive('bob');
    const before = await see('keys');
    const form = fieldsOf(before, 'make');
    const made = await visitor.visit(town.address('keys/make'), { ...form, name: 'ci', scope: 'read' });
    const secret = /cs_[\w-]+/.exec(made.text)?.[0] ?? '';
    expect([made.headers.get('cache-control'), secret.length]).toEqual(['no-store', 46]);
    const use = () => fetch(`${town.app.url}/api/calls`, { headers: { authorization: `Bearer ${secret}` } });
    expect((await use()).status).toBe(200);

    const listed = await see('keys');
    expect(listed.text).not.toContain(secret);
    const revoke = fieldsOf(listed, 'revoke');
    const wrong = await visitor.visit(town.address('keys/revoke'), { ...revoke, name: 'cd' });
    expect([wrong.status, (await use()).status]).toEqual([422, 200]);
    const done = await visitor.visit(town.address('keys/revoke'), { ...revoke, name: 'ci' });
    expect([done.text, (await use()).status]).toEqual([
      expect.stringContaining('revoked\nMon 23 Nov 2026'),
      401,
    ]);

    const audit = await see(`audit?person=Bob&thread=${NO_THREAD}`);
    expect(audit.text).toContain('made a key: ci');
    expect(audit.text).toContain('revoked a key: ci');
  });

  it.each([
    ['without what it may do', { name: 'ci' }, 422],
    ['with a scope that there is not', { name: 'ci', scope: 'root' }, 403],
    ['with a name that is none', { name: '../x', scope: 'read' }, 400],
    ['with a token of nobody', { name: 'ci', scope: 'read', token: 'x' }, 403],
  ])('make no key %s', async (_, sent, status) => {
    const town = await start();
    const { visitor, see } = await town.arrive('bob');
    const form = fieldsOf(await see('keys'), 'make');
    const answer = await visitor.visit(town.address('keys/make'), { ...form, ...sent });
    expect(answer.status).toBe(status);
    if (status !== 422) expect((await visitor.follow(answer, 'Back to Keys')).url).toBe(town.address('keys'));
    expect((await see('keys')).text).toContain('There are none.');
  });

  it('tell the audit in words, filtered, verify it and find what was changed, and export it', async () => {
    const town = await start();
    await town.enter('rent');
    const { visitor, see } = await town.arrive('bob');
    const decided = await see('audit?what=decided');
    expect(decided.text).toContain('approved: ledger.add_entry');
    expect(decided.text).toContain('1 shown');
    expect((await see('audit?what=decided&person=Carol')).text).toContain('0 shown');
    expect((await see('audit?what=decided&to=2026-11-22')).text).toContain('0 shown');
    expect((await see('audit?what=ended')).text).toContain('ended, done: ledger.add_entry');
    const unread = await see('audit?what=nonsense&from=28.11.2026');
    expect(unread.text).toContain('can’t be read, so nothing was searched: what, from.');
    expect(unread.text).toContain('0 shown');
    expect(unread.text).not.toContain('ledger.add_entry');

    const verify = async (): Promise<Visited> => {
      await visitor.visit(town.address('audit/verify'), fieldsOf(await see('audit'), 'verify'));
      return expect
        .poll(() => see('audit'), { timeout: 10_000 })
        .toMatchObject({
          text: expect.stringMatching(/as it was written|wrong\./),
        })
        .then(() => see('audit'));
    };
    expect((await verify()).text).toMatch(/Everything is as it was written\.\n\d+ entries in \d+ chains/);

    await town.app.inStore(async (store) => {
      const page = await store.query(auditEntries, 'byThread', {}, 100);
      const entry = page.items.find(({ value }) => value.what === 'decided');
      if (!entry) throw new Error('Nobody decided.');
      const changed = { ...entry.value, actor: { id: 'user:U1', name: 'Mallory' } };
      await store.commit({ put: [put(auditEntries, entry.id, changed)] });
    });
    const broken = await verify();
    expect(broken.text).toMatch(/things? (is|are) wrong\./);

    const file = await see('audit/export');
    expect(file.headers.get('content-disposition')).toContain('audit.jsonl');
    expect(
      file.html
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).what),
    ).toContain('decided');
  });

  it('name threads and calls in the audit and on the page of a call, with their ids beside', async () => {
    const town = await start();
    await town.enter('rent');
    const { visitor, see } = await town.arrive('bob');
    const audit = await see('audit?what=decided');
    const thread = /\bslack:T\w+:C\w+:[\d.]+/.exec(audit.text)?.[0] ?? 'none';
    expect(audit.text).toContain(`approved: ledger.add_entry\n#general: “enter rent”\n${thread}`);
    const call = await visitor.follow(audit, 'approved: ledger.add_entry');
    expect(call.text).toContain('Add entry ‘rent’');
    expect(call.text).toContain(`Its session\n#general: “enter rent”\n${thread}`);
    expect(call.text).toContain(`Id\n${call.url.split('/').at(-1)}`);
  });

  it('show how it is: what waits, the servers, who used what of which limit, and who decides how', async () => {
    const town = await start();
    await town.enter('rent');
    const { see } = await town.arrive('bob');
    const health = await see('health');
    expect(health.text).toMatch(/Calls to be sent\n0\n–/);
    expect(health.text).toMatch(/ledger\nup\nMon 23 Nov 2026, 08:0\d UTC\n\d[\d.]*\n–\n\d/);
    expect(health.text).toMatch(/Within an hour\n0\n–/);
    expect(health.text).toMatch(/Slack\nin order\nconnected/);
    expect((await see('approvals')).text).toMatch(/money\n1\n1\n0\n0/);
    expect((await see('connections')).text).toContain('Nobody has connected an account.');
    await expect
      .poll(async () => (await see('spending')).text, { timeout: 15_000 })
      .toMatch(/person\nAna[^\n]*\n\d+\n1 of 50 \(2 %\)/);
    const spending = (await see('spending')).text;
    expect(spending).toMatch(/channel\n#general\ntool calls\n1 of 60/);
    expect(spending).not.toMatch(/slack:T/);
  });
});

describe('limits on the page of spending', () => {
  it('are extended by an admin, once by each form, and that is taken back; the person hears of it', async () => {
    const town = await start();
    await town.enter('rent');
    const { visitor, see } = await town.arrive('bob');
    const used = /person\nAna[^\n]*\ntool calls\n1 of 50 \(2 %\)/;
    await expect.poll(async () => (await see('spending')).text, { timeout: 15_000 }).toMatch(used);
    const fields = fieldsOf(await see('spending'), 'extend');
    const extend = (amount: string) => visitor.visit(town.address('spending/extend'), { ...fields, amount });
    expect((await extend('1e13')).status).not.toBe(200);
    const extended = await extend('25');
    expect(extended.text).toMatch(/tool calls\n1 of 75 \(1 %\)\nBob[^\n]* allowed 25 more tool calls\./);
    await town.driver.waitForMessage((it) =>
      town.driver.text(it).includes('has allowed you 25 more tool calls'),
    );
    expect((await extend('25')).text).toContain('Nothing was changed');
    const back = await visitor.visit(town.address('spending/take-back'), fieldsOf(extended, 'take-back'));
    expect(back.text).toMatch(used);
  });

  it('are not extended by a form that is sent once its sign-in is over, and the page says so', async () => {
    const town = await start();
    const sent = await createVisitor().visit(town.address('spending/extend'), { about: '', token: 'x' });
    expect([sent.status, sent.text]).toEqual([401, expect.stringContaining('so nothing was done')]);
  });

  it('are not extended by whoever is no admin, or without the form', async () => {
    const town = await start();
    await town.enter('rent');
    const [carol, bob] = [await town.arrive('carol'), await town.arrive('bob')];
    await expect
      .poll(async () => (await bob.see('spending')).html, { timeout: 15_000 })
      .toContain('/extend"');
    const fields = { ...fieldsOf(await bob.see('spending'), 'extend'), amount: '25' };
    expect((await carol.visitor.visit(town.address('spending/extend'), fields)).status).toBe(403);
    const forged = await bob.visitor.visit(town.address('spending/extend'), { ...fields, token: 'x' });
    expect(forged.status).toBe(403);
    expect((await bob.see('spending')).text).toContain('1 of 50');
  });
});

const browser = await launchChromium();
afterAll(() => browser?.close());

/** The width at which a page is in the docs. */
const PICTURED: Readonly<Record<string, number>> = { 'Approval health': 1100, Health: 390, Spending: 1100 };

describe.skipIf(browser === null)('in a browser, the pages for admins', () => {
  it.each([1100, 390])('have no barriers, no errors, and fit %d pixels, light and dark', async (width) => {
    const town = await start();
    await town.enter('rent');
    const context = await browser?.newContext({ viewport: { width, height: 800 } });
    if (!context) throw new Error('There is no browser.');
    onTestFinished(() => context.close());
    const page = await context.newPage();
    const problems: string[] = [];
    page.on('console', (message) => message.type() === 'error' && problems.push(message.text()));
    await page.goto(`${town.app.publicUrl}/dashboard`);
    await page.getByRole('link', { name: 'Sign in with Slack' }).click();
    await page.getByRole('button', { name: 'I am Bob Berger' }).click();
    for (const name of ['Approval health', 'Health', 'Spending', 'Connections', 'Audit', 'Keys']) {
      await page.getByRole('link', { name, exact: true }).click();
      await page.getByRole('heading', { level: 1, name, exact: true }).waitFor();
      for (const colorScheme of ['dark', 'light'] as const) {
        await page.emulateMedia({ colorScheme });
        expect(await findBarriers(page), `${name}, ${colorScheme}`).toEqual([]);
      }
      const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
      expect(await page.evaluate(overflow), name).toBe(0);
      const hidden = await page
        .getByRole('region')
        .evaluateAll((all) => all.map((it) => it.scrollWidth - it.clientWidth));
      expect(Math.max(0, ...hidden), `${name}: columns out of sight`).toBe(0);
      if (name === 'Spending') {
        expect(await page.getByRole('heading', { level: 2 }).first().textContent()).toBe('Today’s limits');
        const limits = page.getByRole('region', { name: 'Today’s limits' });
        await limits.getByText('Allow Ana more tool calls…').waitFor();
        await limits.getByText('Allow').first().click();
        expect(await limits.evaluate((it) => it.scrollWidth - it.clientWidth), 'Today’s limits').toBe(0);
        if (process.env.SHOTS)
          await page.screenshot({ path: `${process.env.SHOTS}/spending-${width}.png`, fullPage: true });
        await limits.getByText('Allow').first().click();
      }
      if (width === PICTURED[name]) {
        await page.evaluate('scrollTo(0, 0)');
        await keepPictures(page, `dashboard-${name.toLowerCase().replaceAll(' ', '-')}`);
      }
    }
    expect(problems.filter((text) => !text.includes('401'))).toEqual([]);
  });

  it('tell times in the zone of whoever reads them', async () => {
    const town = await start();
    await town.enter('rent');
    const context = await browser?.newContext({ timezoneId: 'America/New_York', locale: 'en-US' });
    if (!context) throw new Error('There is no browser.');
    onTestFinished(() => context.close());
    const page = await context.newPage();
    await page.goto(`${town.app.publicUrl}/dashboard`);
    await page.getByRole('link', { name: 'Sign in with Slack' }).click();
    await page.getByRole('button', { name: 'I am Bob Berger' }).click();
    // 08:00 UTC.
    for (const name of ['Audit', 'Health']) {
      await page.getByRole('link', { name, exact: true }).click();
      await page
        .getByText(/^Nov 23, 2026, 3:0\d\sAM$/)
        .first()
        .waitFor();
    }
  });

  it('make a key by keyboard alone', async () => {
    const town = await start();
    const context = await browser?.newContext();
    if (!context) throw new Error('There is no browser.');
    onTestFinished(() => context.close());
    const page = await context.newPage();
    await page.goto(`${town.app.publicUrl}/dashboard`);
    await page.getByRole('link', { name: 'Sign in with Slack' }).click();
    await page.getByRole('button', { name: 'I am Bob Berger' }).click();
    await page.getByRole('link', { name: 'Keys' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Keys' }).waitFor();
    await page.keyboard.press('Tab');
    while (!(await page.evaluate("document.activeElement.id === 'key-name'")))
      await page.keyboard.press('Tab');
    await page.keyboard.type('ci');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Space');
    await page.keyboard.press('Enter');
    await page.getByRole('status').filter({ hasText: 'The key ci' }).waitFor();
  });
});
