import type { View } from '@countersign/slack-emulator';
import { renderText } from '@countersign/slack-emulator/driver';
import { expect, it } from 'vitest';
import { REQUESTER_ALONE } from '../../src/gate/policy/approver-rules.ts';
import { startAppWithModel } from '../helpers/app.ts';
import { setGroup } from '../helpers/dialogue-world.ts';
import { fillWithWaiting } from '../helpers/waiting-calls.ts';

const LEDGER = new URL('../fixtures/servers/ledger.ts', import.meta.url).pathname;
/** With the one that is asked for in a thread they are a thousand. */
const WAITING = 999;
/** What a Home may ask of Slack at once, however much waits. */
const LOOKUPS = 20;
/** Monday, 08:00 in Berlin: an hour before the app's clock begins. */
const EARLIER = Date.UTC(2026, 10, 23, 7);

it('a Home with 1,000 calls that wait opens, is turned to its end, and the last one is decided there', {
  timeout: 180_000,
}, async () => {
  const { app, model, driver } = await startAppWithModel({
    file: { mcpServers: { ledger: { command: process.execPath, args: [LEDGER, '$FOLDER'] } } },
  });
  const ana = driver.as('ana');
  ana.dm('enter rent');
  await model.calls([{ name: 'ledger__add_entry', arguments: { entry: 'rent' } }]);
  await driver.waitForMessage((message) => message.byApp && driver.text(message).includes('[Approve]'));
  const requester = { id: `slack:${driver.workspace.team.id}:${ana.id}`, name: 'Ana' };
  await app.inStore((store) => fillWithWaiting(store, WAITING, requester, EARLIER));

  const words = (view: View | undefined): string => renderText({ blocks: view?.blocks ?? [] });
  expect(words(await ana.openHome())).toContain('Waiting for you (1,000)');

  await ana.useElement('home.filter', 'ledger (1)', ana.home());
  expect(words(ana.home())).toContain('Waiting for you (1 of 1,000)');
  await ana.useElement('home.filter', 'calendar (999)', ana.home());
  expect(words(ana.home())).toContain('Waiting for you (999 of 1,000)');
  await ana.useElement('Next 8', undefined, ana.home());
  expect(words(ana.home())).toContain('Page 2 of 125');
  await ana.useElement('home.filter', 'All (1,000)', ana.home());

  const seen = new Map<string, number>();
  for (let page = 1; ; page += 1) {
    const shown = words(ana.home());
    expect(shown).toContain(`Page ${page} of 125`);
    const [waiting = ''] = shown.split('You asked for');
    for (const [entry] of waiting.matchAll(/(?<=Title +)Entry \d+\./g))
      seen.set(entry, (seen.get(entry) ?? 0) + 1);
    if (!shown.includes('[Next 8]')) break;
    await ana.useElement('Next 8', undefined, ana.home());
  }
  expect(seen.size).toBe(WAITING);
  expect(new Set(seen.values())).toEqual(new Set([1]));
  expect(driver.calls('views.publish').filter(({ error }) => error !== null)).toEqual([]);

  expect(words(ana.home())).toContain('rent');
  const buttons = ana.home()?.blocks.findLast(({ block_id: id }) => String(id).startsWith('call:'));
  await ana.useElement(String(buttons?.block_id), undefined, ana.home());
  await model.says('It is in.');
  await driver.waitUntil(() => words(ana.home()).includes('Waiting for you (999)'));
  await driver.waitForMessage(
    (message) => message.byApp && driver.text(message).includes('done: entered rent'),
  );
});

it('a Home with 1,000 calls that a group or a channel decides opens for who stands in for one of them', {
  timeout: 180_000,
}, async () => {
  const { app, driver } = await startAppWithModel({ file: {} });
  const [ana, bob, carol] = [driver.as('ana'), driver.as('bob'), driver.as('carol')];
  setGroup(app, 'finance', ['ana']);
  await ana.command(`/countersign delegate <@${bob.id}> until friday`);
  const team = driver.workspace.team.id;
  const finance = { ...REQUESTER_ALONE, steps: [{ from: ['group:finance' as const], quorum: 1 }] };
  const channel = { ...REQUESTER_ALONE, steps: [{ from: ['channel' as const], quorum: 1 }] };
  const requester = { id: `slack:${team}:${carol.id}`, name: 'Carol' };
  await app.inStore((store) =>
    fillWithWaiting(store, 1_000, requester, EARLIER, (number) => ({
      threadId: `slack:${team}:C0GENERAL1:${number}.0`,
      verdict: {
        action: 'ask',
        rule: 'writes',
        reason: null,
        policyVersion: 'v1',
        approval: number % 2 === 0 ? finance : channel,
      },
    })),
  );

  const words = (view: View | undefined): string => renderText({ blocks: view?.blocks ?? [] });
  const askedSlack = () =>
    driver.calls().filter(({ method }) => /^(?:users|usergroups|conversations)\./.test(method)).length;
  const before = askedSlack();
  expect(words(await bob.openHome())).toContain('Waiting for you (1,000)');
  expect(askedSlack() - before).toBeLessThan(LOOKUPS);

  const seen = new Set<string>();
  for (let page = 1; ; page += 1) {
    const shown = words(bob.home());
    expect(shown).toContain(`Page ${page} of 125`);
    for (const [entry] of shown.matchAll(/Entry \d+\./g)) seen.add(entry);
    if (!shown.includes('[Next 8]')) break;
    const atOnce = askedSlack();
    await bob.useElement('Next 8', undefined, bob.home());
    expect(askedSlack() - atOnce).toBeLessThan(LOOKUPS);
  }
  expect(seen.size).toBe(1_000);
  expect(driver.calls('views.publish').filter(({ error }) => error !== null)).toEqual([]);
  // She is in the channel, and in nobody else’s place.
  expect(words(await carol.openHome())).toContain('Waiting for you (500)');
});
