import { afterEach, beforeEach, expect, it } from 'vitest';
import { z } from 'zod';
import { createAuditLog } from '../../../../src/gate/index.ts';
import { mcpServersSchema } from '../../../../src/mcp/config/schema.ts';
import { toDefinition } from '../../../../src/mcp/tools/definition.ts';
import { createToolListCache } from '../../../../src/mcp/tools/list-cache.ts';
import { readRecordedTools } from '../../../../src/mcp/tools/recorded-tools.ts';
import { toolDefinitions, toolReviews } from '../../../../src/mcp/tools/review-state.ts';
import { createToolReviews } from '../../../../src/mcp/tools/reviews.ts';
import { openSqliteStore } from '../../../../src/storage/sqlite/store.ts';
import { collection, put, type Store } from '../../../../src/storage/store.ts';
import type { ToolDefinition } from '../../../../src/tools/ports.ts';
import { collectingLogger } from '../../../fixtures/mcp/harness.ts';
import { entriesOf } from '../../../helpers/audit.ts';
import { auditKeys } from '../../../helpers/audit-keys.ts';

const DRIVE = 'https://drive.test/mcp';
const BOB = { id: 'slack:T1:U2', name: 'Bob' };
let store: Store;
beforeEach(() => {
  store = openSqliteStore({ path: ':memory:' });
});
afterEach(() => store.close());

/** A process of those that share the store. */
function open({
  tool_review = 'first_use',
  at = 1_000,
}: {
  tool_review?: 'first_use' | 'required' | 'off';
  at?: number;
} = {}) {
  const told: string[] = [];
  const logger = collectingLogger();
  const reviews = createToolReviews({
    store,
    clock: () => at,
    servers: mcpServersSchema.parse({
      ledger: { command: 'x', tool_review },
      own: { in_process: 'own' },
      drive: { url: DRIVE, tool_review },
      mail: { url: 'https://mail.test/mcp', auth: 'oauth', tool_review },
    }),
    audit: createAuditLog({ store, auditKeys, clock: () => at }),
    mode: 'required',
    logger,
  });
  reviews.onHeld((server) => void told.push(server));
  return { reviews, told, logger };
}

function tool(description: string, server = 'ledger', name = 'add'): ToolDefinition {
  return toDefinition(
    { name, description, inputSchema: { type: 'object' } },
    { server, toolType: server, modelName: `${server}__${name}` },
  );
}

const isHeld = (tools: readonly ToolDefinition[]) =>
  tools.map(({ unavailableReason: held }) => held !== undefined);

it('what one process has seen first, another one holds to', async () => {
  expect(isHeld(await open().reviews.withReviews([tool('one')]))).toEqual([false]);
  const other = open();
  expect(isHeld(await other.reviews.withReviews([tool('another')]))).toEqual([true]);
  expect(other.told).toEqual(['ledger']);
});

it('what a server offered is known afterwards, also to who asks no server', async () => {
  const readTool = { name: 'read', inputSchema: { type: 'object' as const } };
  await createToolListCache({ store, clock: () => 1 }).save('drive', DRIVE, [readTool], null);
  await open().reviews.withReviews([tool('one')]);
  expect(await readRecordedTools(store, ['ledger', 'drive', 'mail'])).toEqual([
    { server: 'ledger', name: 'add' },
    { server: 'drive', name: 'read' },
  ]);
});

it('two processes that see something first at once take one of the two, and hold the other', async () => {
  const found = await Promise.all([
    open().reviews.withReviews([tool('one')]),
    open().reviews.withReviews([tool('another')]),
  ]);
  expect(isHeld(found.flat()).toSorted()).toEqual([false, true]);
});

it('admins are told once of what waits, whoever sees it', async () => {
  await open().reviews.withReviews([tool('one')]);
  const [first, second] = [open(), open()];
  await first.reviews.withReviews([tool('another')]);
  await second.reviews.withReviews([tool('another')]);
  expect([...first.told, ...second.told]).toEqual(['ledger']);
  expect(first.logger.lines.map(({ message }) => message)).toEqual([
    'tools to review: npx countersign servers review',
  ]);
});

it('what was accepted in one process is offered by the others a moment later, and called at once', async () => {
  const [here, there] = [open(), open()];
  await here.reviews.withReviews([tool('one')]);
  await there.reviews.withReviews([tool('another')]);
  const [held] = await here.reviews.held();
  expect(await here.reviews.accept('ledger', held?.tools.map(({ hash }) => hash) ?? [], BOB)).toEqual([
    'add',
  ]);
  expect(await there.reviews.withReview(tool('another'))).not.toHaveProperty('held');
  expect(await here.reviews.held()).toEqual([]);
});

it('an acceptance is in the audit, with whose it is and of what', async () => {
  const { reviews } = open({ tool_review: 'required' });
  await reviews.withReviews([tool('one')]);
  await reviews.accept('ledger', [tool('one').definitionHash], BOB);
  expect(await entriesOf(store)).toMatchObject([
    {
      what: 'tools_reviewed',
      actor: BOB,
      details: { server: 'ledger', tools: ['add'], definitions: [tool('one').definitionHash] },
    },
  ]);
});

it('definitions that are shown in turn are told of once each, and are used once both were accepted', async () => {
  const { reviews, told } = open();
  await reviews.withReviews([tool('Sends mail of Carol')]);
  const people = [tool('Sends mail of Ana'), tool('Sends mail of Bob')];
  for (let look = 0; look < 10; look += 1) {
    for (const definition of people) await reviews.withReview(definition);
  }
  expect(told).toEqual(['ledger', 'ledger']);
  const [held] = await reviews.held();
  expect(held?.tools.map(({ variant, changes }) => [variant, changes.at(-1)])).toEqual([
    ['1 of 2', '+ description: "Sends mail of Ana"'],
    ['2 of 2', '+ description: "Sends mail of Bob"'],
  ]);
  for (const { definitionHash } of people) {
    expect(await reviews.accept('ledger', [definitionHash], BOB)).toEqual(['add']);
  }
  expect(isHeld(await Promise.all(people.map(reviews.withReview)))).toEqual([false, false]);
  expect(await reviews.held()).toEqual([]);
});

it('what an earlier version kept is read: of each tool the one definition that waits', async () => {
  const [one, other] = [tool('one'), tool('another')];
  const accepted = [{ hash: one.definitionHash, at: 1, by: null }];
  const tools = [
    { name: 'add', accepted, held: { hash: other.definitionHash, since: 2 } },
    { name: 'read', accepted, held: null },
  ];
  const before = collection({
    name: toolReviews.name,
    schema: z.looseObject({ server: z.string() }),
    indexes: { byServer: ({ server }) => [server] },
  });
  await store.commit({ put: [put(before, 'ledger', { server: 'ledger', tools })] });
  expect(await open().reviews.held()).toMatchObject([
    { tools: [{ name: 'add', hash: other.definitionHash }] },
  ]);
  const { reviews, told } = open();
  expect(isHeld(await reviews.withReviews([other]))).toEqual([true]);
  expect(told).toEqual([]);
  expect(await reviews.accept('ledger', [other.definitionHash], BOB)).toEqual(['add']);
  expect(isHeld([await reviews.withReview(other)])).toEqual([false]);
});

it('a definition that others have taken the place of cannot be accepted any more, and is not kept', async () => {
  const { reviews } = open();
  const later = open({ at: 2 * 60 * 60_000 + 1_000 });
  for (const description of ['one', 'two', 'three', 'four', 'five', 'six']) {
    await reviews.withReviews([tool(description)]);
  }
  await later.reviews.withReviews([tool('seven')]);
  const accepted = reviews.accept('ledger', [tool('two').definitionHash], BOB);
  await expect(accepted).rejects.toMatchObject({ code: 'nothing_to_review' });
  expect(await store.get(toolDefinitions, tool('two').definitionHash)).toBeNull();
  expect(isHeld([await reviews.withReview(tool('two'))])).toEqual([true]);
});

it('what waits is shown with what is different', async () => {
  const { reviews } = open();
  await reviews.withReviews([tool('one')]);
  await reviews.withReviews([tool('another')]);
  expect(await reviews.held()).toEqual([
    {
      server: 'ledger',
      tools: [
        {
          name: 'add',
          hash: tool('another').definitionHash,
          isNew: false,
          changes: ['- description: "one"', '+ description: "another"'],
        },
      ],
    },
  ]);
});

it.each([
  ['the configuration says so', 'mail', null],
  ['somebody has signed in', 'drive', DRIVE],
])(
  'where everybody signs in, what a server lists later for one of them waits: %s',
  async (_how, server, url) => {
    if (url !== null) await createToolListCache({ store, clock: () => 1 }).save(server, url, [], null);
    const { reviews, told } = open();
    expect(isHeld(await reviews.withReviews([tool('one', server), tool('one', server, 'read')]))).toEqual([
      false,
      false,
    ]);
    const forBob = [tool('one', server), tool('pay me', server, 'transfer')];
    expect(isHeld(await reviews.withReviews(forBob))).toEqual([false, true]);
    expect(told).toEqual([server]);
    await reviews.accept(server, [tool('pay me', server, 'transfer').definitionHash], BOB);
    expect(isHeld(await open().reviews.withReviews(forBob))).toEqual([false, false]);
  },
);

it.each([
  ['soon after its first list is used, and new', 601_000, false],
  ['later waits, as a change could come in under another name', 601_001, true],
])('at a server that all share, what comes %s', async (_what, at, waits) => {
  await createToolListCache({ store, clock: () => 1 }).save('drive', 'https://elsewhere.test/mcp', [], null);
  await open().reviews.withReviews([tool('one', 'drive')]);
  const { reviews, told } = open({ at });
  const listed = [tool('one', 'drive'), tool('one', 'drive', 'read')];
  const found = await reviews.withReviews(listed);
  expect(isHeld(found)).toEqual([false, waits]);
  expect(found.map(({ isNew }) => isNew)).toEqual([undefined, true]);
  expect(told).toEqual(['drive']);
});

it('what comes at once at a server of which an admin has accepted something waits', async () => {
  const { reviews } = open();
  await reviews.withReviews([tool('one')]);
  await reviews.withReviews([tool('another')]);
  await reviews.accept('ledger', [tool('another').definitionHash], BOB);
  const later = [tool('another'), tool('pay me', 'ledger', 'transfer')];
  expect(isHeld(await open({ at: 1_001 }).reviews.withReviews(later))).toEqual([false, true]);
});

it('a new tool that is in use is shown to admins whole, and is new no more once one has accepted it', async () => {
  const { reviews } = open();
  await reviews.withReviews([tool('one')]);
  const read = tool('Reads', 'ledger', 'read');
  await reviews.withReviews([tool('one'), read]);
  const [waiting] = await reviews.held();
  expect(waiting?.tools).toMatchObject([{ name: 'read', isNew: true, isUsed: true }]);
  expect(waiting?.tools[0]?.changes).toContain('+ description: "Reads"');
  expect(await reviews.accept('ledger', [read.definitionHash], BOB)).toEqual(['read']);
  expect(await reviews.withReview(read)).not.toHaveProperty('isNew');
  expect(await reviews.held()).toEqual([]);
});

it('what an earlier version kept is new to nobody', async () => {
  const before = collection({
    name: toolReviews.name,
    schema: z.looseObject({ server: z.string() }),
    indexes: { byServer: ({ server }) => [server] },
  });
  const accepted = [{ hash: tool('one').definitionHash, at: 1, by: null }];
  const tools = [{ name: 'add', accepted, held: [], toldAt: 0 }];
  await store.commit({ put: [put(before, 'ledger', { server: 'ledger', tools })] });
  const { reviews } = open();
  expect(await reviews.withReview(tool('one'))).not.toHaveProperty('isNew');
  expect(await reviews.held()).toEqual([]);
});

it('a server that lists ever new names is told of once, and what is kept of it does not grow', async () => {
  const { reviews, logger } = open();
  for (let round = 0; round < 3; round += 1) {
    const names = Array.from({ length: 300 }, (_, index) => `t${round}_${index}`);
    await reviews.withReviews(names.map((name) => tool('x', 'ledger', name)));
  }
  expect((await store.get(toolReviews, 'ledger'))?.value.tools).toHaveLength(500);
  const warned = logger.lines.filter(({ message }) => message.includes('more than 500 names'));
  expect(warned).toHaveLength(1);
});

it('nothing is held of servers that come with the program, and where reviews are off', async () => {
  const { reviews } = open({ tool_review: 'off' });
  for (const description of ['one', 'another']) {
    const found = await reviews.withReviews([tool(description), tool(description, 'own')]);
    expect(isHeld(found)).toEqual([false, false]);
  }
});

it('what cannot be looked up is not offered', async () => {
  const { reviews } = open();
  await store.close();
  await expect(reviews.withReviews([tool('one')])).rejects.toMatchObject({ code: 'store_unavailable' });
  store = openSqliteStore({ path: ':memory:' });
});
