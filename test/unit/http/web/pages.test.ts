import type { Browser } from 'playwright-core';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import {
  connectedPage,
  forwardPage,
  noLinkPage,
  offerPage,
  problemPage,
  signInFirstPage,
  wrongPersonPage,
} from '../../../../src/http/web/pages/connect.ts';
import {
  consentPage,
  goBackPage,
  problemPage as programProblemPage,
} from '../../../../src/http/web/pages/consent.ts';
import { messagePage } from '../../../../src/http/web/pages/layout.ts';
import { findBarriers } from '../../../helpers/axe.ts';
import { launchChromium } from '../../../helpers/chromium.ts';

const browser: Browser | null = await launchChromium();
afterAll(() => browser?.close());

const ANA = { id: 'slack:T1:UANA', name: 'Ana' };
const BOB = { id: 'slack:T1:UBOB', name: 'Bob' };
const BACK = 'https://t.slack.com/archives/C1/p1';
const PROGRAM = { name: 'Builder', place: 'localhost' };
const PAGES: Readonly<Record<string, () => Promise<Response>>> = {
  'an offer to connect': () =>
    offerPage(
      { server: 'tasks', person: ANA, host: 'tasks.test' },
      { ticket: 'abc', linkLifetimeMs: 600_000 },
    ),
  'a sign-in first': () => signInFirstPage('tasks', 'https://countersign.test/sign-in/slack'),
  'a link of somebody else': () =>
    wrongPersonPage({ server: 'tasks', person: ANA }, BOB, {
      back: BACK,
      signInUrl: 'https://countersign.test/sign-in/slack',
    }),
  'on to the other site': () => forwardPage('https://login.test/authorize'),
  'a connection that was made': () => connectedPage('tasks', 'ana@example.com', BACK),
  'a link that has expired': () =>
    problemPage('expired', { server: 'tasks', back: BACK, linkLifetimeMs: 600_000 }),
  'a program that wants to be let in': () =>
    consentPage(PROGRAM, { person: ANA, token: 'abc', signInUrl: 'https://countersign.test/sign-in/slack' }),
  'a program for whoever has not signed in': () =>
    programProblemPage.signInFirst('Builder', 'https://countersign.test/sign-in/slack'),
  'back to a program': () => goBackPage(PROGRAM, { url: 'https://countersign.test/on', isAllowed: true }),
  'no link': () => noLinkPage(),
  'an error': () => messagePage('That did not work', ['Nothing was done.'], 500, 'Signed in as Ana'),
};

describe.skipIf(browser === null)('a web page, as axe judges it,', () => {
  it.each(['light', 'dark'] as const)('has no barrier, %s', async (colorScheme) => {
    const page = await browser?.newPage({ viewport: { width: 390, height: 844 }, colorScheme });
    if (!page) return;
    onTestFinished(() => page.close());
    const barriers: Record<string, string[]> = {};
    for (const [name, answer] of Object.entries(PAGES)) {
      // Without the header that sends on: the page would be left while it is looked at.
      await page.setContent(await (await answer()).text());
      const found = await findBarriers(page);
      if (found.length > 0) barriers[name] = found;
    }
    expect(barriers).toEqual({});
  });
});
