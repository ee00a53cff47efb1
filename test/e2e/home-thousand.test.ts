import { expect, it, onTestFinished } from 'vitest';
import type { View } from '../../src/local-workspace/index.ts';
import { renderText } from '../../src/local-workspace/index.ts';
import { startTestApp } from '../helpers/app.ts';
import { startModel } from '../helpers/model.ts';
import { fillWithWaiting } from '../helpers/waiting-calls.ts';

const LEDGER = new URL('../fixtures/servers/ledger.ts', import.meta.url).pathname;
/** With the one that is asked for in a thread they are a thousand. */
const WAITING = 999;
/** Monday, 08:00 in Berlin: an hour before the app's clock begins. */
const EARLIER = Date.UTC(2026, 10, 23, 7);

it('a Home with 1,000 calls that wait opens, is turned to its end, and the last one is decided there', {
  timeout: 180_000,
}, async () => {
  const model = await startModel();
  const app = await startTestApp({
    modelUrl: model.url,
    file: { mcpServers: { ledger: { command: process.execPath, args: [LEDGER, '$FOLDER'] } } },
  });
  onTestFinished(async () => {
    model.giveUp();
    await app.stopApp();
    await model.stop();
    await app.remove();
  });
  const { driver } = app;
  const ana = driver.as('ana');
  ana.dm('enter rent');
  await model.calls([{ name: 'ledger__add_entry', arguments: { entry: 'rent' } }]);
  await driver.waitForMessage((message) => message.byApp && driver.text(message).includes('[Approve]'));
  const requester = { id: `slack:${driver.workspace.team.id}:${ana.id}`, name: 'Ana' };
  await app.inStore((store) => fillWithWaiting(store, WAITING, requester, EARLIER));

  const words = (view: View | undefined): string => renderText({ blocks: view?.blocks ?? [] });
  expect(words(await ana.openHome())).toContain('Waiting for you (1,000)');

  const seen = new Map<string, number>();
  for (let page = 1; ; page += 1) {
    const shown = words(ana.home());
    expect(shown).toContain(`Page ${page} of 125`);
    const [waiting = ''] = shown.split('You asked for');
    for (const [entry] of waiting.matchAll(/Entry \d+\./g)) seen.set(entry, (seen.get(entry) ?? 0) + 1);
    if (!shown.includes('[Show 8 more]')) break;
    await ana.act('Show 8 more', undefined, ana.home());
  }
  expect(seen.size).toBe(WAITING);
  expect(new Set(seen.values())).toEqual(new Set([1]));
  expect(driver.calls('views.publish').filter(({ error }) => error !== null)).toEqual([]);

  expect(words(ana.home())).toContain('rent');
  const buttons = ana.home()?.blocks.findLast(({ block_id: id }) => String(id).startsWith('call:'));
  await ana.act(String(buttons?.block_id), undefined, ana.home());
  await model.says('It is in.');
  await driver.waitUntil(() => words(ana.home()).includes('Waiting for you (999)'));
  await driver.waitForMessage(
    (message) => message.byApp && driver.text(message).includes('done: entered rent'),
  );
});
