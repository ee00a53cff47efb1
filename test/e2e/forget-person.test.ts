import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { forgetPerson, runForget } from '../../src/app/commands/forget-person.ts';
import { type Delegation, delegations } from '../../src/gate/delegation/record.ts';
import { type Grant, grants } from '../../src/gate/grants/record.ts';
import { createAuditLog } from '../../src/gate/index.ts';
import { calls } from '../../src/gate/store/collections.ts';
import type { Actor } from '../../src/gate/types.ts';
import { AuthorizationRecords } from '../../src/http/authorization/records.ts';
import { type ConnectionRecord, connections } from '../../src/oauth/collections.ts';
import { mailbox } from '../../src/runs/collections.ts';
import { Limits } from '../../src/runs/index.ts';
import { usage } from '../../src/runs/limits/usage.ts';
import { posted } from '../../src/slack/outbox/collections.ts';
import { put } from '../../src/storage/store.ts';
import { entriesOf, problemsOf } from '../helpers/audit.ts';
import { auditKeys } from '../helpers/audit-keys.ts';
import { openNetworkOn } from '../helpers/network.ts';
import { ana, bob, carol, THREAD } from '../helpers/people.ts';
import { countRecords, createTestRemoval } from '../helpers/removal.ts';
import { type Reply, ScriptedModel } from '../helpers/scripted-model.ts';
import { openTestStorage } from '../helpers/storage.ts';

const create = (id: string): Reply => [{ id, name: 'create_event', args: { title: 'Lunch' } }];
const ALONE = `${THREAD}1`;

/** Ana and Bob share one thread; Ana has another of her own. */
async function open() {
  const storage = await openTestStorage();
  const { store, checkpoints } = storage;
  const model = new ScriptedModel([create('c1'), 'Done.', 'Hello Bob.', 'Hello Ana.', create('c2'), 'New.']);
  const network = openNetworkOn({ store, checkpoints, close: storage.close }, { model });
  network.runs.start();
  await network.say('make it');
  await network.decide('c1');
  await network.say('hello', { actor: bob });
  await network.say('hi', { threadId: ALONE });
  const removal = createTestRemoval({ store, checkpoints, clock: Date.now });
  const printed: string[] = [];
  const forget = (isConfirmed: boolean) =>
    forgetPerson({
      store,
      removal,
      indexes: [],
      personId: ana.id,
      clock: Date.now,
      isConfirmed,
      print: (text) => void printed.push(text),
    });
  return { ...network, forget, printed };
}

it('deletes what a person said and asked for, and leaves others’ and a whole audit', async () => {
  const network = await open();
  const { store } = network;
  const entries = await entriesOf(store);
  expect(await network.forget(true)).toBe(true);
  const messages = (await store.query(mailbox, 'byThread', {}, 10)).items;
  expect(messages.map(({ value }) => value.actor.id)).toEqual([bob.id]);
  expect((await store.query(calls, 'byThread', {}, 10)).items).toEqual([]);
  expect(await network.messages()).toEqual([]);
  expect(await network.messages(ALONE)).toEqual([]);
  expect(await countRecords(store)).toMatchObject({ threads: 1, requests: 0 });
  expect(await entriesOf(store)).toEqual(entries);
  expect(await problemsOf(store)).toEqual([]);
  expect(network.printed.join('\n')).toMatch(
    /2 messages and 1 calls .* in 2 threads[\s\S]*This stays: the audit/,
  );
});

it('deletes what messages asked about their calls, in a conversation that stays', async () => {
  const network = await open();
  const { store } = network;
  const prompt = (callId: string) => {
    return { callId, headline: `Create ‘${callId}’`, asked: ['Ana can approve'], warnings: [], at: 1 };
  };
  const prompts = [prompt('c1'), prompt('of somebody else')];
  const note = { channel: 'C1', threadId: THREAD, ts: '1.0', hash: '', prompts };
  const show = { kind: 'request' as const, requestId: 'r' };
  await store.commit({ put: [put(posted, 'request:r', { ...note, show })] });
  expect(await network.forget(true)).toBe(true);
  expect((await store.get(posted, 'request:r'))?.value.prompts).toEqual([prompt('of somebody else')]);
});

it('ends the programs that they let in', async () => {
  const network = await open();
  const records = new AuthorizationRecords({ store: network.store, clock: Date.now });
  for (const { id, name } of [ana, bob]) {
    const person = id.split(':')[2] ?? '';
    await records.save('Grant', name, { accountId: person }, 60);
    await records.describe(name, {
      person,
      client: 'c',
      name: `Builder of ${name}`,
      connectedAt: Date.now(),
    });
    await records.save('AccessToken', name, { grantId: name }, 60);
  }
  await network.forget(false);
  expect(await records.find('AccessToken', ana.name)).not.toBeNull();
  await network.forget(true);
  expect(network.printed.join('\n')).toContain('programs that act as them: Builder of Ana;');
  for (const kind of ['Grant', 'AccessToken']) {
    expect(await records.find(kind, ana.name)).toBeNull();
    expect(await records.find(kind, bob.name)).not.toBeNull();
  }
});

it('deletes what they said from the conversations that began beside it, too', async () => {
  const network = await open();
  network.model.script('Made.');
  await network.say('a secret lunch');
  const { itemId } = await network.say('what else is there?', { actor: bob });
  await network.runs.runBeside(itemId, bob);
  await network.runs.idle();
  const beside = (await network.item(itemId))?.beside ?? '';
  expect(JSON.stringify(await network.messages(beside))).toContain('a secret lunch');
  await network.decide('c2');
  expect(await network.item(itemId)).toMatchObject({ state: 'answered', usedAs: 'beside' });
  expect(JSON.stringify(await network.messages())).toContain('New.');
  expect(await network.forget(true)).toBe(true);
  expect([await network.messages(), await network.messages(beside)]).toEqual([[], []]);
});

it('deletes nothing until it is confirmed, and says what it would', async () => {
  const network = await open();
  const before = await countRecords(network.store);
  await network.forget(false);
  expect(await countRecords(network.store)).toEqual(before);
  expect(network.printed.join('\n')).toMatch(
    /2 messages and 1 calls .* in 2 threads[\s\S]*Nothing was deleted/,
  );
});

it('deletes what they used on earlier days, keeps today’s, by which limits count, and says so', async () => {
  const network = await open();
  const { store } = network;
  const day = 24 * 60 * 60 * 1_000;
  const count = async (owner: Actor, at: number) => {
    const limits = new Limits({
      store,
      clock: () => at,
      audit: createAuditLog({ store, clock: () => at, auditKeys }),
      ids: randomUUID,
      settings: { person: { runs_per_day: 9 }, key: {}, channel: {} },
    });
    await limits.beginRun({ kind: 'person', owner: owner.id, channel: null });
    await limits.flush();
  };
  const now = Date.now();
  await count(ana, now - 2 * day);
  await count(ana, now - day);
  await count(ana, now);
  await count(bob, now - day);
  await network.forget(true);
  const { items } = await store.query(usage, 'bySubject', {}, 10);
  expect(items.map(({ value: { subject, at } }) => ({ subject, at }))).toEqual([
    { subject: `person ${ana.id}`, at: now },
    { subject: `person ${bob.id}`, at: now - day },
  ]);
  expect(network.printed.join('\n')).toMatch(/2 counts of what they used[\s\S]*used today stays counted/);
});

it('deletes their permissions and accounts once it is confirmed, and leaves others’', async () => {
  const network = await open();
  const { store } = network;
  const people = [ana, bob, carol];
  await store.commit({
    put: [
      ...people.map((by, index) => put(grants, `by ${by.name}`, grant(by, people[index + 1] ?? carol))),
      put(delegations, 'from Ana', delegation(ana, bob)),
      put(delegations, 'to Ana', delegation(bob, ana)),
      put(delegations, 'of others', delegation(bob, carol)),
      ...people.map((person) => put(connections, `tasks:${person.id}`, connection(person))),
    ],
  });
  const left = async () => ({
    grants: (await store.query(grants, 'byPerson', {}, 10)).items.map(({ id }) => id).toSorted(),
    delegations: (await store.query(delegations, 'byDelegator', {}, 10)).items.map(({ id }) => id).toSorted(),
    accounts: (await store.query(connections, 'byPerson', {}, 10)).items.map(({ id }) => id).toSorted(),
  });
  const before = await left();
  await network.forget(false);
  expect(await left()).toEqual(before);
  await network.forget(true);
  expect(await left()).toEqual({
    grants: ['by Bob', 'by Carol'],
    delegations: ['of others'],
    accounts: [`tasks:${bob.id}`, `tasks:${carol.id}`],
  });
  // One that Bob gave for what Ana asks for.
  await store.commit({ put: [put(grants, 'for Ana', grant(bob, ana))] });
  await network.forget(true);
  expect((await left()).grants).toEqual(['by Bob', 'by Carol']);
});

const DAY = 24 * 60 * 60 * 1_000;

function grant(by: Actor, requester: Actor): Grant {
  return {
    grantId: `by ${by.name}`,
    by,
    tool: { server: 'calendar', name: 'create_event', title: '' },
    definitionHash: 'v1',
    fixed: {},
    free: [],
    place: { kind: 'requester', requester },
    threadId: THREAD,
    callId: 'c9',
    at: 1,
    until: Date.now() + DAY,
    limit: 9,
    used: 0,
    usedAt: null,
    ended: null,
  };
}

function delegation(from: Actor, to: Actor): Delegation {
  const until = Date.now() + DAY;
  return {
    delegationId: `${from.id} ${to.id}`,
    from,
    to,
    begins: 1,
    until,
    reason: null,
    at: 1,
    ended: null,
  };
}

function connection(person: Actor): ConnectionRecord {
  return {
    server: 'tasks',
    person,
    url: 'https://tasks.test/mcp',
    issuer: 'https://tasks.test',
    authorizationServer: 'https://tasks.test',
    resource: null,
    scope: null,
    connectedAt: 1,
    account: null,
    expiresAt: null,
    generation: 1,
    unproven: 0,
    refused: false,
    refreshing: null,
    sealed: { key: 'k1', iv: '', tag: '', data: '' },
  };
}

it('leaves a thread in which a call of theirs is in doubt, with what the agent remembers of it', async () => {
  const network = await open();
  const call = await network.call('c1');
  const inDoubt = { ...call, state: 'in_doubt' as const, endedAt: null };
  await network.store.commit({ put: [put(calls, network.keyOf('c1'), inDoubt)] });
  expect(await network.forget(true)).toBe(false);
  expect((await network.call('c1')).state).toBe('in_doubt');
  expect(await network.messages()).not.toEqual([]);
});

it('leaves a thread in which something of theirs waits, and says so', async () => {
  const network = await open();
  await network.say('another one');
  expect(await network.forget(true)).toBe(false);
  expect((await network.call('c2')).state).toBe('pending');
  expect(network.printed.join('\n')).toContain(
    `Left as they are, because something in them waits, runs or is in doubt: ${THREAD}.`,
  );
});

it.each(['U012AB3CD', 'slack:U012AB3CD', '@ana'])(
  'says how a person is written, and not that nothing is known, of %s',
  async (person) => {
    const printed: string[] = [];
    const print = (text: string): void => void printed.push(text);
    expect(await runForget({}, { person, yes: true }, print)).toBe(false);
    const [text] = printed;
    expect(text).toMatch(/^Nothing was deleted: .*\nUsage: .*slack:T012AB3CD/s);
    expect(text).toContain(`"${person}" is not an ID`);
  },
);
