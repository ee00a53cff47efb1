import type { Message } from '@countersign/slack-emulator';
import type { CallRecord } from '../../src/gate/call/record.ts';
import { calls } from '../../src/gate/store/collections.ts';
import type { JsonObject } from '../../src/lib/json.ts';
import { effectsIn } from '../fixtures/servers/effects.ts';
import { startAppWithModel } from './app.ts';
import { createVisitor, decideAddress, signIn, type Visited, type Visitor } from './web-visitor.ts';

const LEDGER = new URL('../fixtures/servers/ledger.ts', import.meta.url).pathname;
export const BOB = 'user:U0BOB00001';
export const CAROL = 'user:U0CAROL001';

/** The whole app, in which Ana asks for an entry that `rule` has approved on the web page. */
export async function askedOnTheWeb(
  rule: JsonObject = {},
  args: JsonObject = { entry: 'rent', amount: 900 },
  groups: Readonly<Record<string, readonly string[]>> = {},
  env: Readonly<Record<string, string>> = {},
) {
  const { app, model, driver } = await startAppWithModel({
    web: true,
    env,
    file: {
      policy: {
        rules: [
          { name: 'money', tools: 'ledger.*', action: 'ask', approvers: BOB, decide_on: 'web', ...rule },
        ],
      },
      // Trusted, so that adding an entry is not destructive, and asked about once.
      mcpServers: { ledger: { command: process.execPath, args: [LEDGER, '$FOLDER'], trusted: true } },
    },
  });
  for (const [handle, names] of Object.entries(groups)) {
    const users = names.map((name) => driver.as(name).id);
    driver.setUsergroup({ id: `S0${handle.toUpperCase()}`, handle, name: handle, users });
  }
  const ts = driver.as('ana').post('general', '@countersign do it');
  await model.calls([{ name: 'ledger__add_entry', arguments: args }]);
  const said = () => driver.messages('general', { threadTs: ts }).filter(({ byApp }) => byApp);
  const card = () =>
    driver.waitUntil(() => said().find((it) => driver.text(it).includes('Requested by Ana')));
  await driver.waitUntil(() => said().find((it) => driver.text(it).includes('[Decide on the web…]')));

  return {
    app,
    model,
    driver,
    card,
    /** Waits until the card says so. */
    cardSays: (words: string): Promise<Message> =>
      driver.waitUntil(() => said().find((it) => driver.text(it).includes(words))),
    /** How often each thing was entered. */
    entered: () => effectsIn(app.folder),
    /** Where this person decides it. */
    async addressFor(who: string): Promise<string> {
      const message = await card();
      return decideAddress(app, who, () => driver.as(who).click(message, 'Decide on the web…'));
    },
    /** The page as this person sees it who has just signed in. */
    async arrive(who: string, address: string): Promise<{ visitor: Visitor; page: Visited }> {
      const visitor = createVisitor();
      return { visitor, page: await signIn(visitor, app, who, address) };
    },
    /** The one call, as it is on record. */
    async call(): Promise<CallRecord> {
      const page = await app.inStore((store) => store.query(calls, 'byThread', {}, 10));
      const [only] = page.items;
      if (!only) throw new Error('There is no call.');
      return only.value;
    },
  };
}
