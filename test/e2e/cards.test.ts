import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { type Message, pageHandler } from '@countersign/slack-emulator';
import type { Page } from 'playwright-core';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { type CardKind, EVENTS, KINDS, PLAN } from '../cards/kinds.ts';
import { startDeploys } from '../fixtures/servers/deploys-http.ts';
import { startAppWithModel } from '../helpers/app.ts';
import { findBarriers } from '../helpers/axe.ts';
import { launchChromium } from '../helpers/chromium.ts';
import { ROOT } from '../helpers/process.ts';
import { sourceFiles } from '../helpers/sources.ts';

const OFFICE = new URL('../fixtures/servers/office.ts', import.meta.url).pathname;
const FILES = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-filesystem/dist/index.js');
/** Monday, 09:00 in Berlin, as for the app: "today" on a card is the same day in every picture. */
const BEGIN = Date.UTC(2026, 10, 23, 8, 0, 0);
const SIZES = { desktop: { width: 1440, height: 2400 }, phone: { width: 390, height: 2400 } };
const SCHEMES = ['light', 'dark'] as const;
const UPDATES = process.env.UPDATE_CARDS === '1';
const PICTURES = join(ROOT, 'docs/images/cards');
const STYLES = join(ROOT, 'packages/slack-emulator/src/page/styles');
/** The component that a picture is of. */
const MESSAGE = 'packages/slack-emulator/src/page/conversation/message.tsx';
/** What the pictures were made from: a hash of each card's blocks, by its name, of the style sheets and the components. */
const HASHES = join(PICTURES, 'hashes.json');
/** Each kind takes a turn of the bot, and each picture a page. */
const PATIENCE_MS = 300_000;

const configSchema = z.looseObject({
  policy: z.looseObject({ rules: z.array(z.unknown()) }),
  cards: z.looseObject({}),
});
const FILE_CARD = {
  title: 'Write {content.lines} to {path}',
  look_up: { tool: 'files.read_text_file', with: { path: '{path}' }, as: 'content' },
};
const browser = await launchChromium();
afterAll(() => browser?.close());

/** The whole app as it comes, with a few servers and rules beside its calendar. */
async function startOffice() {
  const own = configSchema.parse(parse(readFileSync(join(ROOT, 'countersign.yaml'), 'utf8')));
  const office = (name: string) => ({ command: process.execPath, args: [OFFICE, name], trusted: true });
  const paying = {
    name: 'paying',
    tools: 'books.pay_*',
    action: 'ask',
    approvers: { from: '@finance', quorum: 2, exclude_requester: true },
  };
  const reading = { name: 'reading files', tools: 'files.read_*', action: 'allow' };
  const deploys = await startDeploys();
  const { app, model, driver } = await startAppWithModel({
    file: {
      ...own,
      policy: { ...own.policy, rules: [...own.policy.rules, paying, reading] },
      cards: { ...own.cards, 'files.write_file': FILE_CARD },
      mcpServers: {
        calendar: { in_process: 'calendar' },
        files: { command: process.execPath, args: [FILES, '$FOLDER'], trusted: true },
        mail: office('mail'),
        orders: office('orders'),
        books: office('books'),
        deploys: { url: deploys.url, trusted: true },
      },
    },
    slack: { page: pageHandler() },
  });
  const users = ['ana', 'bob', 'carol'].map((name) => driver.as(name).id);
  driver.setUsergroup({ id: 'S0FINANCE', handle: 'finance', name: 'finance', users });
  writeFileSync(join(app.folder, 'plan.md'), PLAN);

  /** The last message of the app in the thread that shows these words, once there is one. */
  const shown = (threadTs: string, words: string): Promise<Message> =>
    driver.waitUntil(() =>
      driver
        .messages('general', { threadTs })
        .findLast((message) => message.byApp && driver.text(message).includes(words)),
    );

  /** Brings the bot to where the card of this kind is as its picture shows it. */
  async function show(kind: CardKind): Promise<Shown> {
    const { ask, calls, why, clicks = [], answer, shows = '[Edit' } = kind;
    const threadTs = driver.as('ana').post('general', `@countersign ${ask}`);
    await (why === undefined ? model.calls(calls) : model.saysAndCalls(why, calls));
    if (kind.serverGoesDown) deploys.goDown();
    for (const { who, button } of clicks) {
      await driver.as(who).click(await shown(threadTs, `[${button}]`), button);
    }
    if (answer !== undefined) await model.says(answer);
    const { ts } = await shown(threadTs, shows);
    return { threadTs, ts };
  }

  for (const [index, event] of EVENTS.entries()) {
    await show({
      name: 'before',
      ask: 'plan this',
      calls: [{ name: 'calendar__create_event', arguments: event }],
      clicks: [{ who: 'ana', button: 'Approve' }],
      answer: 'Planned.',
      shows: `evt_${index + 1}`,
    });
  }
  const message = (ts: string): Message => {
    const found = driver.messages('general').find((one) => one.ts === ts);
    if (!found) throw new Error(`There is no message ${ts}.`);
    return found;
  };
  return { url: app.workspace.url, show, message };
}

/** Where a card is. */
interface Shown {
  readonly threadTs: string;
  readonly ts: string;
}

describe.skipIf(browser === null)('the kinds of cards', () => {
  it(
    'fit a desktop and a phone, light and dark, and are those of the pictures; `npm run cards` takes these again',
    async () => {
      const office = await startOffice();
      const cards: (Shown & { name: string })[] = [];
      for (const kind of KINDS) cards.push({ name: kind.name, ...(await office.show(kind)) });
      const hashes = {
        ...Object.fromEntries(cards.map(({ name, ts }) => [name, hashOf(office.message(ts))])),
        styles: hashOfStyles(),
        components: hashOfComponents(),
      };
      if (UPDATES) writeFileSync(HASHES, `${JSON.stringify(hashes, null, 2)}\n`);
      const made = JSON.parse(readFileSync(HASHES, 'utf8'));
      expect(
        made,
        'The pictures are of other cards, in another style or of other components: take them again with `npm run cards`.',
      ).toEqual(hashes);
      for (const [size, viewport] of Object.entries(SIZES)) {
        const page = await browser?.newPage({ viewport, timezoneId: 'Europe/Berlin', locale: 'en-GB' });
        if (!page) return;
        onTestFinished(() => page.close());
        page.setDefaultTimeout(20_000);
        await page.clock.setFixedTime(BEGIN);
        for (const card of cards) {
          await page.goto(`${office.url}/#U0ANA00001/C0GENERAL1/${card.threadTs}`);
          await checkCard(page, card.ts, `${card.name}-${size}`);
        }
      }
    },
    PATIENCE_MS,
  );
});

describe('the page of the cards', () => {
  it.each(KINDS)('shows $name, on a desktop and a phone, light and dark', ({ name }) => {
    const page = readFileSync(join(ROOT, 'docs/cards.md'), 'utf8');
    for (const size of Object.keys(SIZES)) {
      for (const scheme of SCHEMES) {
        const picture = `images/cards/${name}-${size}-${scheme}.png`;
        expect(page).toContain(`="${picture}"`);
        expect(existsSync(join(ROOT, 'docs', picture)), picture).toBe(true);
      }
    }
  });
});

async function checkCard(page: Page, ts: string, name: string): Promise<void> {
  const card = page.locator(`.thread article[data-ts="${ts}"] .message-body`);
  await card.waitFor();
  const isCut = await card.evaluate((element) => element.scrollWidth > element.clientWidth);
  expect(isCut, `${name} is wider than it may be`).toBe(false);
  await page.mouse.move(0, 0);
  for (const colorScheme of SCHEMES) {
    await page.emulateMedia({ colorScheme });
    expect(await findBarriers(page), `${name}, ${colorScheme}`).toEqual([]);
    if (!UPDATES) continue;
    const path = join(PICTURES, `${name}-${colorScheme}.png`);
    await card.screenshot({ path, animations: 'disabled', caret: 'hide' });
  }
}

/** A hash of what people see of a message: without ids, and as if no time had passed since it began. */
function hashOf({ blocks }: Message): string {
  const seen = JSON.stringify(blocks, (key, value) =>
    ['block_id', 'action_id', 'value', 'url', 'timestamp'].includes(key) ? undefined : value,
  );
  const timeless = seen.replace(/<!date\^\d+/g, '<!date').replace(/(2026), 09:\d\d/g, '$1, 09:00');
  return shortHash(timeless);
}

/** A hash of the style sheets that the cards are shown with. */
function hashOfStyles(): string {
  const files = readdirSync(STYLES).toSorted();
  return shortHash(files.map((file) => `${file}\n${readFileSync(join(STYLES, file), 'utf8')}`).join('\n'));
}

/** A hash of the code that shows a message, with all that it imports of the page. */
function hashOfComponents(): string {
  const files = new Map(sourceFiles('packages/slack-emulator/src').map((file) => [file.path, file]));
  const used = new Set([MESSAGE]);
  // What is added meanwhile is looked at too.
  for (const path of used) {
    for (const { target, typeOnly } of files.get(path)?.imports ?? []) {
      if (target !== null && !typeOnly) used.add(target);
    }
  }
  // Without comments, and however it is set in lines.
  const code = (path: string) => files.get(path)?.code.replace(/\s+/g, ' ') ?? '';
  return shortHash(
    [...used]
      .toSorted()
      .map((path) => `${path}\n${code(path)}`)
      .join('\n'),
  );
}

function shortHash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}
