import { launchChromium } from '../helpers/chromium.ts';
import { startPageBackend } from '../helpers/page-backend.ts';
import * as c from '../fixtures/page-content.ts';
const backend = await startPageBackend({ state: { ...c.WORKSPACE, home: c.HOME_VIEW }, messages: c.GENERAL_MESSAGES, page: (await import('../../src/local-workspace/page-assets.ts')).pageHandler() });
const browser = await launchChromium();
if (!browser) throw new Error('none');
for (const scheme of ['light', 'dark'] as const)
  for (const [name, viewport] of [['desk', { width: 1280, height: 800 }], ['phone', { width: 390, height: 844 }]] as const) {
    const page = await browser.newPage({ viewport, colorScheme: scheme });
    page.on('console', (m) => console.log(scheme, name, m.type(), m.text()));
    page.on('pageerror', (e) => console.log('PAGEERROR', e.message));
    const shot = async (what: string) => { await page.waitForTimeout(350); await page.screenshot({ path: `/tmp/scratch/shots/${name}-${scheme}-${what}.png` }); };
    await page.goto(`${backend.url}/`);
    await page.waitForSelector('.welcome');
    await shot('welcome');
    await page.goto(`${backend.url}/#${c.ANA.id}/${c.GENERAL}`);
    await page.waitForSelector('.message');
    backend.emit({ type: 'status', channel: c.GENERAL, threadTs: c.THREAD_TS, status: 'is reading the calendar…' });
    await shot('channel');
    await page.goto(`${backend.url}/#${c.ANA.id}/${c.GENERAL}/${c.THREAD_TS}`);
    await page.waitForSelector('.thread .message');
    await shot('thread');
    if (scheme === 'light') { await page.click('.thread .button-overflow'); await shot('menu'); await page.keyboard.press('Escape');
      await page.click('text=Delete it'); await shot('confirm'); await page.keyboard.press('Escape'); }
    backend.emit({ type: 'modals', modals: [c.FORM] });
    await page.waitForSelector('dialog form');
    await shot('modal');
    await page.keyboard.press('Escape');
    await page.waitForSelector('dialog', { state: 'detached' });
    await page.goto(`${backend.url}/#${c.ANA.id}/${c.DIRECT}/home`);
    await shot('home');
    if (name === 'phone') { await page.goto(`${backend.url}/#${c.ANA.id}`); await shot('list'); }
    if (scheme === 'light') { await page.click('.stand-in'); await shot('about'); await page.keyboard.press('Escape'); }
    await page.close();
    backend.emit({ type: 'status', channel: c.GENERAL, threadTs: c.THREAD_TS, status: '' });
  }
await browser.close(); await backend.close();
