import { afterAll, expect, it } from 'vitest';
import { startAppWithModel } from '../helpers/app.ts';
import { findBarriers } from '../helpers/axe.ts';
import { launchChromium } from '../helpers/chromium.ts';
import { PERMISSIONS_FILE } from '../helpers/dialogue-world.ts';
import { keepPictures } from '../helpers/picture.ts';
import { createVisitor, signIn } from '../helpers/web-visitor.ts';

const KEY = 'a-key-of-a-program-that-asks-2718';
const ANA = 'U0ANA00001';
const browser = await launchChromium();
afterAll(() => browser?.close());

const RULE = 'private data, untrusted content and a write';
const RISK = 'This session has read private data and untrusted content; this call can write outside.';

/** The app with a program that has read private data, then what strangers wrote, and now waits to write. */
async function start() {
  const { app, driver } = await startAppWithModel({
    web: true,
    env: { COUNTERSIGN_API_KEY: KEY },
    file: {
      admins: [ANA],
      programs: { env: { title: 'Builder', for: ANA, channel: 'C0GENERAL1' } },
      policy: { default: 'allow' },
      risk: { permissions: PERMISSIONS_FILE },
      mcpServers: {},
    },
  });
  const begin = (name: string) =>
    fetch(`${app.url}/agent/begin`, {
      method: 'POST',
      headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
      body: JSON.stringify({ session_id: 'day', name, timeout_s: 60 }),
    }).then((answer) => answer.json());
  await begin('read_customers');
  await begin('read_reviews');
  const writing = begin('post_reply');
  const card = await driver.waitForMessage((it) => driver.text(it).includes('[Approve]'));
  const address = `${app.publicUrl}/dashboard/sessions/timeline?program=key%3Aenv&session=day`;
  return { app, driver, card, writing, address };
}

it('the timeline of a session says which call set each flag, and why a write was held for it', async () => {
  const { app, driver, card, writing, address } = await start();
  const visitor = createVisitor();
  const page = await signIn(visitor, app, 'ana', address);
  const plain = (html: string) => html.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ');
  const rows = [...page.html.matchAll(/<tr><td>([\s\S]*?)<\/tr>/g)].map(([, row = '']) => plain(row));
  expect(rows).toEqual([
    expect.stringMatching(/^Private data.* agent\.agent_read_customers /),
    expect.stringMatching(/^Text of strangers.* agent\.agent_read_reviews /),
    expect.stringMatching(/^Highest level: PRIVATE.* agent\.agent_read_customers /),
  ]);
  const steps = [...page.html.matchAll(/<li id=[\s\S]*?<\/li>/g)].map(([step]) => plain(step));
  expect(steps).toEqual([
    expect.not.stringContaining('rule'),
    expect.not.stringContaining('rule'),
    expect.stringContaining(`Needs approval (rule “${RULE}”) ${RISK}`),
  ]);
  await driver.as(ANA).click(card, 'Approve');
  await writing;
  const after = plain((await visitor.visit(address)).html);
  expect(after).toContain(`Needs approval (rule “${RULE}”) ${RISK} Approved by Ana`);
  expect(after).toMatch(/A write agent\.agent_post_reply /);
});

it.skipIf(browser === null)(
  'shows it in a browser without barriers, light and dark, on a phone too',
  async () => {
    const { address, driver, card, writing } = await start();
    const page = await browser?.newPage({ viewport: { width: 1100, height: 800 } });
    if (!page) throw new Error('There is no browser.');
    await page.goto(address);
    await page.getByRole('link', { name: 'Sign in with Slack' }).click();
    await page.getByRole('button', { name: 'I am Ana' }).click();
    await page.getByText(RISK).waitFor();
    for (const width of [390, 1100]) {
      await page.setViewportSize({ width, height: 800 });
      for (const colorScheme of ['dark', 'light'] as const) {
        await page.emulateMedia({ colorScheme });
        expect(await findBarriers(page), `${width}, ${colorScheme}`).toEqual([]);
      }
      const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
      expect(await page.evaluate(overflow)).toBeLessThanOrEqual(0);
    }
    await keepPictures(page, 'dashboard-timeline');
    await driver.as(ANA).click(card, 'Approve');
    await writing;
  },
);
