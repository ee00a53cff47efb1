import { randomBytes } from 'node:crypto';
import { createAuditLog } from '../../src/gate/index.ts';
import type { Logger } from '../../src/lib/logger.ts';
import { createToolListCache, createToolListRecords } from '../../src/mcp/tools/list-cache.ts';
import { createOAuth } from '../../src/oauth/index.ts';
import { isSlackActor } from '../../src/slack/ids.ts';
import { openSqliteStore } from '../../src/storage/sqlite/store.ts';
import { auditKeys } from '../helpers/audit-keys.ts';

/** Where authorization servers take this program to be; nothing is ever asked there. */
const PUBLIC_URL = 'https://conformance-test.local';

/** Our own sign-ins, with a store that ends with the process. */
export function createSigningIn(log: Logger) {
  const store = openSqliteStore({ path: ':memory:' });
  const oauth = createOAuth({
    getsLinkOnRequest: isSlackActor,
    store,
    clock: Date.now,
    log,
    audit: createAuditLog({ store, auditKeys, clock: Date.now }),
    toolLists: createToolListRecords(store),
    keys: [{ id: 'conformance', key: randomBytes(32) }],
    publicUrl: () => PUBLIC_URL,
    resumeCalls: async () => {},
  });
  return { oauth, toolLists: createToolListCache({ store, clock: Date.now }) };
}
type Pages = ReturnType<typeof createOAuth>['pages'];

/**
 * What a person's browser does with a link of ours: our page, the authorization server, which asks nobody here, and
 * back. Throws when the sign-in does not come about.
 */
export async function visit(pages: Pages, link: string): Promise<void> {
  const begun = await pages.begin(new URL(link).searchParams.get('link') ?? '');
  if (!begun.ok) throw new Error(`The sign-in could not be begun: ${begun.problem}`);
  const consented = await fetch(begun.url, { redirect: 'manual' });
  const back = new URL(consented.headers.get('location') ?? '', PUBLIC_URL);
  const finished = await pages.finish({
    parameters: back.searchParams,
    browser: (name) => (name === begun.browser.name ? begun.browser.value : null),
  });
  if (!finished.ok) throw new Error(`The sign-in did not come about: ${finished.problem}`);
}
