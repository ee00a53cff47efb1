import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { stringify } from 'yaml';
import { type AuditEntry, auditEntries } from '../../src/gate/audit/chain.ts';
import { findBarriers } from '../helpers/axe.ts';
import { launchChromium } from '../helpers/chromium.ts';
import { askedOnTheWeb, BOB, CAROL } from '../helpers/decide-on-web.ts';
import { startProcess, temporaryFolder } from '../helpers/process.ts';
import { createVisitor, type Visited } from '../helpers/web-visitor.ts';

const MINUTE = 60_000;

/** What the form that decides has for this; the first form of a page signs out. */
function field(page: Visited, name: string): string {
  const form = page.html.split('<form').find((part) => part.includes('name="digest"')) ?? '';
  const value = new RegExp(`name="${name}" value="([^"]+)"`).exec(form)?.[1];
  if (value === undefined) throw new Error(`No ${name} in\n${page.html}`);
  return value;
}

describe('a call that is decided on the web', () => {
  it('is shown whole to who signed in and may decide it, and their approval runs it once', async () => {
    const it = await askedOnTheWeb(
      { reason: 'Money leaves the company' },
      {
        entry: 'rent\u202Etner',
        amount: 900,
        note: `${'a long note\n'.repeat(80)}and then everything`,
      },
    );
    const { visitor, page } = await it.arrive('bob', await it.addressFor('bob'));
    const call = await it.call();
    for (const line of [
      'Signed in as Bob',
      'Add entry ‘rent⟨U+202E⟩tner’',
      'Requested by Ana. Only Bob can approve.',
      'rent⟨U+202E⟩tner',
      'and then everything',
      'Rule: money (Money leaves the company)',
      `Digest: ${call.digest.slice(0, 16)}`,
    ]) {
      expect(page.text).toContain(line);
    }
    expect(page.html).not.toContain('\u202E');
    expect(it.entered()).toEqual({});

    const after = await visitor.press(page, 'Approve');
    expect(after.text).toContain('You approved this');
    await it.model.says('It is in.');
    await it.cardSays('Approved by Bob on the web');
    expect(Object.values(it.entered())).toEqual([1]);

    const again = await visitor.press(page, 'Approve');
    expect([again.status, again.text]).toEqual([409, expect.stringContaining('You already approved this')]);
    expect(Object.values(it.entered())).toEqual([1]);
    expect((await it.call()).decision).toMatchObject({ type: 'approve', via: 'web' });
    const entries = await it.app.inStore((store) => store.query(auditEntries, 'byThread', {}, 100));
    const decided = entries.items
      .map(({ value }): AuditEntry => value)
      .filter(({ what }) => what === 'decided');
    expect(decided.map(({ details }) => details.via)).toEqual(['web']);
  });

  it('shows nothing of itself to who has not signed in, or may not decide it', async () => {
    const it = await askedOnTheWeb();
    const address = await it.addressFor('bob');
    const stranger = await createVisitor().visit(address);
    expect(stranger.status).toBe(401);
    const { page } = await it.arrive('ana', address);
    expect([page.status, page.text]).toEqual([403, expect.stringContaining('Only Bob may decide this.')]);
    for (const { text } of [stranger, page]) expect(text).not.toMatch(/rent|900|Add entry/);
    expect((await it.call()).state).toBe('pending');
  });

  it('has its sentence as its heading, as on its card', async () => {
    const it = await askedOnTheWeb();
    const { page } = await it.arrive('bob', await it.addressFor('bob'));
    expect(/<h1>(.*?)<\/h1>/.exec(page.html)?.[1]).toMatch(/^Add entry ‘rent’.*\(ledger\.add_entry\)$/);
  });

  it('is not decided by a form that is sent once its sign-in is over, and the page says so', async () => {
    const it = await askedOnTheWeb();
    const address = await it.addressFor('bob');
    const { visitor, page } = await it.arrive('bob', address);
    visitor.jar.clear();
    const form = { token: field(page, 'token'), digest: field(page, 'digest'), word: 'approve' };
    const sent = await visitor.visit(address, form);
    expect([sent.status, sent.text]).toEqual([401, expect.stringContaining('so nothing was done')]);
    expect(sent.text).not.toMatch(/rent|900|Add entry/);
    expect((await it.call()).state).toBe('pending');
    await visitor.press(await visitor.follow(sent, 'Sign in with Slack'), 'I am Bob Berger');
    expect((await visitor.visit(address)).text).toContain('Add entry');
  });

  it('is not decided by who signed in as somebody else than decides', async () => {
    const it = await askedOnTheWeb();
    const address = await it.addressFor('bob');
    const bob = await it.arrive('bob', address);
    const ana = await it.arrive('ana', address);
    // Ana has Bob's form, and her own session.
    const form = { token: field(bob.page, 'token'), digest: field(bob.page, 'digest'), word: 'approve' };
    const tried = await ana.visitor.visit(address, form);
    expect([tried.status, tried.text]).toEqual([403, expect.stringContaining('not made for you')]);
    expect((await it.call()).state).toBe('pending');
    const entries = await it.app.inStore((store) => store.query(auditEntries, 'byThread', {}, 100));
    const refused = entries.items.map(({ value }) => value).filter(({ what }) => what === 'refused');
    const { callId } = await it.call();
    expect(refused.map((entry) => [entry.actor.name, entry.details.attempt, entry.callId])).toContainEqual([
      'Ana',
      'web form',
      callId,
    ]);
  });

  it('is not decided by a form that is forged, or is of something else than was shown', async () => {
    const it = await askedOnTheWeb();
    const address = await it.addressFor('bob');
    const { visitor, page } = await it.arrive('bob', address);
    const [token, digest] = [field(page, 'token'), field(page, 'digest')];
    for (const form of [
      { digest, word: 'approve' },
      { token: '', digest, word: 'approve' },
      { token: token.slice(1), digest, word: 'approve' },
      { token: /name="token" value="([^"]+)"/.exec(page.html)?.[1] ?? '', digest, word: 'approve' },
      { token, digest: 'f'.repeat(64), word: 'approve' },
      { token, digest, word: 'withdraw' },
    ]) {
      const sent = await visitor.visit(address, form);
      expect([sent.status, sent.text]).toEqual([403, expect.stringContaining('not made for you')]);
    }
    // It is what was changed that is refused: as it was given out, the form is read.
    const whole = await visitor.visit(address, { token, digest, word: 'approve', feedback: 'Paid already' });
    expect([whole.status, whole.text]).toEqual([422, expect.stringContaining('and clicked Approve')]);
    const elsewhere = await visitor.press(page, 'Approve', { place: 'f'.repeat(16) });
    expect(elsewhere.status).toBe(409);
    // What was shown changes before the button is pressed.
    const card = await it.card();
    await it.driver.as('bob').click(card, 'Edit');
    await it.driver.as('bob').waitForModal();
    await it.driver.as('bob').submit({ Amount: '800' });
    const stale = await visitor.press(page, 'Approve');
    expect([stale.status, stale.text]).toEqual([
      409,
      expect.stringContaining('changed since it was shown to you'),
    ]);
    expect((await it.call()).state).toBe('pending');
    expect(it.entered()).toEqual({});
  });

  it('is decided by who may decide it at that moment, and by nobody who may no more', async () => {
    const it = await askedOnTheWeb({ approvers: '@finance' }, undefined, { finance: ['bob'] });
    const { visitor, page } = await it.arrive('bob', await it.addressFor('bob'));
    it.driver.setUsergroup({ id: 'S0FINANCE', handle: 'finance', name: 'finance', users: [] });
    const tried = await visitor.press(page, 'Approve');
    expect([tried.status, tried.text]).toEqual([403, expect.stringContaining('may decide this')]);
    expect((await it.call()).state).toBe('pending');
  });

  it('needs everybody on the web whom the rule wants', async () => {
    const it = await askedOnTheWeb({ approvers: { from: [BOB, CAROL], quorum: 2 } });
    const bob = await it.arrive('bob', await it.addressFor('bob'));
    const first = await bob.visitor.press(bob.page, 'Approve');
    expect(first.text).toContain('You approved this; others must decide too');
    expect(it.entered()).toEqual({});
    const carol = await it.arrive('carol', await it.addressFor('carol'));
    expect(carol.page.text).toContain('1 of 2 approved: Bob');
    await carol.visitor.press(carol.page, 'Approve');
    await it.model.says('It is in.');
    await it.cardSays('Approved by Bob');
    expect(it.entered()).toEqual({ rent: 1 });
  });

  it('needs the value typed as well, where the rule wants that', async () => {
    const it = await askedOnTheWeb({ confirm_by_typing: 'amount' });
    const { visitor, page } = await it.arrive('bob', await it.addressFor('bob'));
    const wrong = await visitor.press(page, 'Approve', { 'typed.0': '90' });
    expect([wrong.status, wrong.text]).toEqual([
      422,
      expect.stringContaining('This isn’t the value of amount.'),
    ]);
    expect(wrong.html).toContain('value="90"');
    await visitor.press(wrong, 'Approve', { 'typed.0': '900' });
    await it.model.says('It is in.');
    await it.cardSays('Approved by Bob on the web');
    expect(it.entered()).toEqual({ rent: 1 });
  });

  it('is rejected there with a reason, which the model hears', async () => {
    const it = await askedOnTheWeb();
    const { visitor, page } = await it.arrive('bob', await it.addressFor('bob'));
    const after = await visitor.press(page, 'Reject', { feedback: 'paid <b>twice</b>' });
    expect(after.text).toContain('You rejected this');
    expect(after.html).toContain('paid &lt;b&gt;twice&lt;/b&gt;');
    expect(await it.model.heard()).toContain('paid <b>twice</b>');
    await it.model.says('Then not.');
    expect(it.entered()).toEqual({});
  });

  it('is not rejected there without one, where the rule wants one', async () => {
    const it = await askedOnTheWeb({ rejection_reason: 'required' });
    const { visitor, page } = await it.arrive('bob', await it.addressFor('bob'));
    const empty = await visitor.press(page, 'Reject', { feedback: ' ' });
    expect([empty.status, empty.text]).toEqual([422, expect.stringContaining('reason')]);
    expect((await it.call()).state).toBe('pending');
  });

  it('is rejected there without one', async () => {
    const it = await askedOnTheWeb();
    const { visitor, page } = await it.arrive('bob', await it.addressFor('bob'));
    const after = await visitor.press(page, 'Reject', { feedback: ' ' });
    expect(after.text).toContain('You rejected this');
    await it.model.says('Then not.');
    expect((await it.call()).decision).toMatchObject({ type: 'reject', feedback: null });
    expect(it.entered()).toEqual({});
  });
});

describe('a sign-in', () => {
  it('counts for a quarter of an hour', async () => {
    const it = await askedOnTheWeb();
    const { visitor, page } = await it.arrive('bob', await it.addressFor('bob'));
    await it.app.pass(15 * MINUTE + 1);
    const late = await visitor.press(page, 'Approve');
    expect([late.status, late.text]).toEqual([401, expect.stringContaining('Sign in with Slack')]);
    expect((await it.call()).state).toBe('pending');
  });

  it('is good once, in the browser that began it, and for ten minutes', async () => {
    const it = await askedOnTheWeb();
    const address = await it.addressFor('bob');
    const { visitor } = await it.arrive('bob', address);
    const callback = visitor.trail.find((line) => line.includes('/callback?'))?.split(' ')[1] ?? '';
    expect((await visitor.visit(callback)).status).toBe(403);

    // Begun by one browser and brought to an end by another: Ana's link would sign Bob in as Ana.
    const ana = createVisitor();
    const asked = await ana.follow(await ana.visit(address), 'Sign in with Slack');
    const back = await fetch(asked.url, {
      method: 'POST',
      body: new URLSearchParams({ user: it.driver.as('ana').id }),
      redirect: 'manual',
    });
    const elsewhere = createVisitor();
    const planted = await elsewhere.visit(back.headers.get('location') ?? '');
    expect([planted.status, planted.text]).toEqual([403, expect.stringContaining('This sign-in is over')]);
    expect(elsewhere.jar.size).toBe(0);

    const slow = createVisitor();
    const page = await slow.follow(await slow.visit(address), 'Sign in with Slack');
    await it.app.pass(10 * MINUTE + 1);
    expect((await slow.press(page, 'I am Bob Berger')).status).toBe(403);
  });

  it('that somebody calls off at Slack signs nobody in', async () => {
    const it = await askedOnTheWeb();
    const address = await it.addressFor('bob');
    const visitor = createVisitor();
    const asked = await visitor.follow(await visitor.visit(address), 'Sign in with Slack');
    const after = await visitor.press(asked, 'Cancel');
    expect([after.status, after.text]).toEqual([403, expect.stringContaining('You are not signed in')]);
    expect((await visitor.visit(address)).status).toBe(401);
  });
});

describe('a call that has expired', () => {
  it('is not decided on the web any more', async () => {
    const it = await askedOnTheWeb({ deadline: '5m' });
    const { visitor, page } = await it.arrive('bob', await it.addressFor('bob'));
    await it.app.pass(5 * MINUTE + 1);
    const tried = await visitor.press(page, 'Approve');
    expect([tried.status, tried.text]).toEqual([409, expect.stringContaining('expired')]);
    expect(it.entered()).toEqual({});
  });
});

const browser = await launchChromium();
afterAll(() => browser?.close());

// Where a machine is busy, starting app and browser takes most of a minute.
describe.skipIf(browser === null)('in a real browser, with its rules for pages', { timeout: 180_000 }, () => {
  it('somebody signs in, reads, approves, and reads what became of it', async () => {
    const world = await askedOnTheWeb({ confirm_by_typing: 'amount', reason: 'Money leaves the company' });
    const address = await world.addressFor('bob');
    const page = await browser?.newPage({ viewport: { width: 400, height: 800 } });
    if (!page) return;
    onTestFinished(() => page.close());
    const problems: string[] = [];
    page.on('console', (message) => message.type() === 'error' && problems.push(message.text()));
    page.on('pageerror', (error) => problems.push(error.message));
    const shoot = async (name: string) => {
      const folder = process.env.SHOTS;
      if (folder) await page.screenshot({ path: `${folder}/${name}.png`, fullPage: true });
      for (const colorScheme of ['dark', 'light'] as const) {
        await page.emulateMedia({ colorScheme });
        expect(await findBarriers(page), `${name}, ${colorScheme}`).toEqual([]);
      }
    };
    await page.goto(address);
    await shoot('1-sign-in');
    await page.getByRole('link', { name: 'Sign in with Slack' }).click();
    await shoot('2-who');
    await page.getByRole('button', { name: 'I am Bob Berger' }).click();
    await page.getByRole('heading', { name: 'Add entry' }).waitFor();
    // Nothing stands beside the screen of a phone.
    const width = await page.evaluate('document.documentElement.scrollWidth');
    expect(width).toBeLessThanOrEqual(400);
    await shoot('3-decide');
    await page.getByLabel('Type the value of Amount').fill('900');
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.getByRole('heading', { name: 'You approved this' }).waitFor();
    await world.model.says('It is in.');
    await world.cardSays('Approved by Bob on the web');
    await page.reload();
    await page.getByText('done').first().waitFor();
    await shoot('4-done');
    // The page before the sign-in is answered with 401, which a browser notes as an error.
    expect(problems.filter((text) => !text.includes('401'))).toEqual([]);
    expect(world.entered()).toEqual({ rent: 1 });
  });

  it('in the local workspace it works as it is, with the person whom its page is used as', async () => {
    const folder = temporaryFolder();
    const rule = { name: 'writing', tools: 'calendar.create_*', action: 'ask', decide_on: 'web' };
    const config = join(folder, 'countersign.yaml');
    writeFileSync(
      config,
      stringify({ policy: { rules: [rule] }, mcpServers: { calendar: { in_process: 'calendar' } } }),
    );
    const countersign = startProcess({ dataDir: folder, env: { COUNTERSIGN_CONFIG: config } });
    const { workspaceUrl } = await countersign.ready();
    const context = await browser?.newContext();
    if (!context || workspaceUrl === null) throw new Error('neither browser nor workspace');
    onTestFinished(() => context.close());
    const slack = await context.newPage();
    await slack.goto(workspaceUrl);
    const composer = slack.getByRole('textbox', { name: 'Message countersign' });
    await composer.fill('create a meeting called Standup tomorrow at 9am');
    await composer.press('Enter');
    await slack.getByRole('button', { name: 'Decide on the web…' }).click();
    const opened = context.waitForEvent('page');
    await slack
      .getByRole('dialog')
      .getByRole('link', { name: /^Open 127\.0\.0\.1/ })
      .click();
    const web = await opened;
    await web.getByRole('link', { name: 'Sign in with Slack' }).click();
    await web.getByRole('button', { name: 'Continue as Ana Almeida' }).click();
    await web.getByRole('button', { name: 'Approve' }).click();
    await web.getByRole('heading', { name: 'You approved this' }).waitFor();
    await slack.getByText('Approved by Ana on the web').first().waitFor();
  });
});
