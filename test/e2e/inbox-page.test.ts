import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTransport } from 'nodemailer';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { findBarriers } from '../helpers/axe.ts';
import { keepPicture, launchChromium, WIDTHS } from '../helpers/chromium.ts';
import { type CountersignProcess, ON_SOURCES, spawnProcess } from '../helpers/process.ts';
import { ON_REDIS } from '../helpers/storage.ts';

const SLOW = 240_000;
const browser = await launchChromium();

describe.skipIf(browser === null || ON_REDIS)(
  'the mailbox of the local workspace, without any account',
  () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'countersign-inbox-'));
    let countersign: CountersignProcess;
    let page: Page;
    let url = '';
    let smtpPort = 0;

    beforeAll(async () => {
      if (browser === null) return;
      countersign = spawnProcess({ dataDir, command: ON_SOURCES });
      url = (await countersign.ready()).workspaceUrl ?? '';
      const [, port] = await countersign.waitFor(
        /Mailboxes of the local workspace: \S+, and SMTP at [\d.]+:(\d+)/,
      );
      smtpPort = Number(port);
      page = await browser.newPage({ viewport: WIDTHS.desktop });
      page.setDefaultTimeout(60_000);
      await page.goto(url);
    }, SLOW);

    afterAll(async () => {
      await browser?.close();
      await countersign?.end('SIGKILL');
      rmSync(dataDir, { recursive: true, force: true });
    });

    afterEach(async ({ task }) => {
      if (task.result?.state !== 'fail') return;
      process.stderr.write(countersign.output());
    });

    const composer = () => page.getByRole('textbox', { name: 'Message countersign' });
    const thread = () => page.getByRole('complementary', { name: 'Thread' });
    const inThread = (name: string) => thread().getByRole('button', { name, exact: true });
    const dialog = () => page.getByRole('dialog');
    const mailbox = (address: string) => `${url}/mail?of=${encodeURIComponent(address)}`;

    async function type(command: string): Promise<void> {
      await composer().fill(command);
      await composer().press('Enter');
    }

    /** Opens the thread in which a mail is answered, with its card. */
    async function openThread(subject: string): Promise<void> {
      await page.goto(url);
      const message = page
        .locator('.message')
        .filter({ hasText: subject })
        .filter({ hasText: 'Mail from' })
        .first();
      await message.waitFor();
      await message.getByRole('button', { name: /^\d+ repl/ }).click();
      await thread().getByText(subject).first().waitFor();
    }

    it('is turned on by a command, and what needs no answer is told', { timeout: SLOW }, async () => {
      await type('/countersign inbox on');
      await page.getByText('I look at your mailbox mail from now on').first().waitFor();
      await type('/countersign inbox now');
      const digest = page
        .locator('.message')
        .filter({ hasText: 'It tries to tell an assistant what to do.' })
        .first();
      await digest.waitFor();
      await page.getByText('Quick favour before five').first().waitFor();
      const lists = page.locator('.message').filter({ hasText: 'Your rules, and how often I tell you' });
      await keepPicture(page, 'inbox-digest', lists.first());
    });

    it('has a draft for what does, which is sent as it was edited, and learned from', {
      timeout: SLOW,
    }, async () => {
      await openThread('Order 10482');
      await inThread('Accept').scrollIntoViewIfNeeded();
      await keepPicture(page, 'inbox-draft');
      await inThread('Edit').click();
      const body = dialog().getByRole('textbox', { name: 'Text', exact: true });
      const drafted = await body.inputValue();
      expect(drafted).toContain('order 10482');
      await body.fill(drafted.replace('\nBest,', '\nBest regards,'));
      await keepPicture(page, 'inbox-edit');
      await dialog().getByRole('button', { name: 'Accept with changes' }).click();
      await thread().getByText('I learned: Sign off with “Best regards”').waitFor();
      await thread().getByText('The mail is marked as read.').waitFor();
      await keepPicture(page, 'inbox-learned');
      await page.goto(mailbox('idris.bello@tidewater.test'));
      await page.getByText('Re: Order 10482 still not here').click();
      await page.getByText('Best regards,').waitFor();
    });

    it('answers the next mail as it has learned, also one that comes by SMTP', {
      timeout: SLOW,
    }, async () => {
      const transport = createTransport({ host: '127.0.0.1', port: smtpPort, ignoreTLS: true });
      await transport.sendMail({
        from: 'Hana Sato <hana@northlight.test>',
        to: 'ana@example.com',
        subject: 'Weight of H2',
        text: 'Hello Ana, could you tell me how heavy lamp H2 is?',
      });
      transport.close();
      await openThread('Weight of H2');
      await thread().getByText('Best regards,').first().waitFor();
      await inThread('Accept').click();
      await thread().getByText('The mail is marked as read.').waitFor();
      await page.goto(mailbox('ana@example.com'));
      await page.getByRole('region', { name: 'Sent' }).getByText('Re: Weight of H2').waitFor();
      await keepPicture(page, 'inbox-mailboxes');
      expect(await findBarriers(page)).toEqual([]);
    });

    it('shows in Home what it knows, and the page leads to the mailboxes', { timeout: SLOW }, async () => {
      await page.goto(url);
      await page.getByRole('tab', { name: 'Home' }).click();
      const home = page.getByRole('tabpanel', { name: 'Home' });
      await home.getByRole('button', { name: 'Edit rules…' }).click();
      await dialog()
        .getByRole('textbox', { name: 'About you' })
        .fill('I look after the lamps of Northlight.');
      await dialog()
        .getByRole('textbox', { name: 'Rules' })
        .fill('Newsletters: ignore\nWhat customers ask about an order: answer');
      await dialog().getByRole('button', { name: 'Save' }).click();
      await dialog().getByText('as rule 2').waitFor();
      await dialog().getByRole('button', { name: 'Close' }).first().click();
      await home.getByText('1. Newsletters: ignore').waitFor();
      await home.getByText('Sign off with “Best regards”').first().waitFor();
      await keepPicture(page, 'inbox-home', home.getByText('Your mailboxes').first());
      await home.getByText('The mail, as it came:').first().waitFor();
      await keepPicture(page, 'inbox-waiting', home.getByText('Waiting for you').first());
      await page.getByRole('link', { name: 'Mailboxes' }).click();
      await page.getByRole('navigation', { name: 'Mailboxes' }).getByText('Bob Berger').waitFor();
      await page.getByText('Write a mail to').click();
      await page.getByLabel('From').fill('hana@northlight.test');
      await page.getByLabel('Subject').fill('From the page');
      await page.getByLabel('Text').fill('Hello Ana.');
      await page.getByRole('button', { name: 'Send' }).click();
      await page.getByText('From the page').first().waitFor();
    });
  },
);
