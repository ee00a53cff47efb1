import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type BaseMessage, isAIMessage, isToolMessage } from '@langchain/core/messages';
import { expect, it, onTestFinished, vi } from 'vitest';
import { calls } from '../../../src/gate/store/collections.ts';
import { logSqliteCommits } from '../../helpers/commit-log.ts';
import { createFakeHub, ended, type FakeHub, success } from '../../helpers/fake-hub.ts';
import { createLosableDisk } from '../../helpers/losable-disk.ts';
import { type Network, openNetwork, SLACK } from '../../helpers/network.ts';
import { ana } from '../../helpers/people.ts';
import { ScriptedModel } from '../../helpers/scripted-model.ts';

/** A message that makes the model call a tool once, and what Ana decides; null where the policy allows it. */
interface Story {
  readonly threadId: string;
  readonly itemId: string;
  readonly tool: string;
  readonly decision: 'approve' | 'reject' | null;
}
const story = (number: number, tool: string, decision: Story['decision']): Story => ({
  threadId: `slack:T1:C1:${number}.0`,
  itemId: `m${number}`,
  tool,
  decision,
});
const APPROVED = story(1, 'create_event', 'approve');
const ALLOWED = story(2, 'read_counter', null);
const REJECTED = story(3, 'delete_event', 'reject');

/** What somebody outside has seen of a story. */
interface Seen {
  /** They were told that their message was received. */
  readonly message: boolean;
  /** They were asked about the call. */
  readonly request: boolean;
  readonly decision: boolean;
  readonly sent: number;
  readonly outcome: boolean;
  readonly answer: boolean;
}

/** What somebody sees of it sooner or later. */
function toSee({ decision }: Story): readonly (keyof Seen)[] {
  const asked = decision === null ? [] : (['request', 'decision'] as const);
  const run = decision === 'reject' ? [] : (['sent', 'outcome'] as const);
  return ['message', ...asked, ...run, 'answer'];
}

let ids = 0;

/** The tool that the message names, under another id each time that it's asked anew; then what came of it. */
const modelOf = () =>
  new ScriptedModel((messages: readonly BaseMessage[]) => {
    const results = messages.filter((message) => isToolMessage(message));
    if (results.length > 0) return `Result: ${results[0]?.text}`;
    ids += 1;
    const words = messages.at(-1)?.text ?? '';
    const { tool } = [APPROVED, ALLOWED].find((it) => words.includes(it.tool)) ?? REJECTED;
    return [{ id: `call-${ids}`, name: tool, args: { title: 'Standup' } }];
  });

const hubOf = () =>
  createFakeHub({ server: 'calendar', name: ALLOWED.tool, run: () => ended(success('read')) });

function open(path: string, hub: FakeHub, more: object = {}): Network {
  return openNetwork({ path, hub, model: modelOf(), ...more });
}

function send(network: Network, { threadId, itemId, tool }: Story): Promise<string> {
  const threadTs = threadId.split(':').at(-1) ?? '';
  return network.send(tool, { threadId, itemId, surface: { ...SLACK, threadTs } });
}

async function callsOf({ store }: Network, { threadId }: Story) {
  const { items } = await store.query(calls, 'byThread', { prefix: [threadId] }, 10);
  return items.map(({ value }) => value);
}

/** Decides the call of a story, if it waits for that. */
async function decide(network: Network, about: Story): Promise<void> {
  const [call] = await callsOf(network, about);
  if (about.decision === null || call?.state !== 'pending') return;
  const callKey = network.keyOf(call.callId, about.threadId);
  await network.gate.decisions.decide([{ callKey, digest: call.digest, type: about.decision }], ana);
}

/** How many commits each transaction has, from now on until it's read. */
function watchTransactions(): () => readonly number[] {
  const commits = logSqliteCommits();
  const begunAt: number[] = [];
  const { exec } = DatabaseSync.prototype;
  vi.spyOn(DatabaseSync.prototype, 'exec').mockImplementation(function (this: DatabaseSync, sql) {
    if (sql === 'BEGIN IMMEDIATE') begunAt.push(commits.length);
    return exec.call(this, sql);
  });
  return () => begunAt.map((begun, place) => (begunAt[place + 1] ?? commits.length) - begun);
}

/** Tells the stories, all at once; what a cut of the power at each sync would have left, and what was seen by then. */
async function live(path: string, stories: readonly Story[]) {
  const hub = hubOf();
  const received = new Set<Story>();
  const decided = new Set<Story>();
  const disk = createLosableDisk(path, () =>
    stories.map((one): readonly [Story, Seen] => {
      const { threadId, tool } = one;
      return [
        one,
        {
          message: received.has(one),
          request: network.events.some((it) => it.type === 'opened' && it.request.threadId === threadId),
          decision: decided.has(one),
          sent: hub.count(tool),
          outcome: network.events.some((it) => it.type === 'ended' && it.call.threadId === threadId),
          answer: network.runEvents.some((it) => it.type === 'answered' && it.item.threadId === threadId),
        },
      ];
    }),
  );
  const network = open(path, hub, { disk: disk.options });
  const commitsByTransaction = watchTransactions();
  network.runs.start();
  await Promise.all(
    stories.map(async (one) => {
      await send(network, one);
      received.add(one);
    }),
  );
  await network.runs.idle();
  await Promise.all(
    stories.map(async (one) => {
      await decide(network, one);
      if (one.decision !== null) decided.add(one);
    }),
  );
  await network.runs.idle();
  await network.close();
  return { cuts: disk.cuts, mostShared: Math.max(...commitsByTransaction()) };
}

/** What is left has all that somebody has seen. */
async function expectNothingLost(after: Network, about: Story, seen: Seen, at: string): Promise<void> {
  const [call] = await callsOf(after, about);
  const item = await after.runs.item(about.itemId);
  if (seen.message) expect([at, item?.itemId]).toEqual([at, about.itemId]);
  if (seen.request) expect([at, call?.tool.name]).toEqual([at, about.tool]);
  if (seen.decision) expect([at, call?.state]).not.toEqual([at, 'pending']);
  if (seen.sent > 0) expect([at, call?.attempt]).toEqual([at, 1]);
  if (seen.outcome) expect([at, call?.state]).toEqual([at, 'succeeded']);
  if (seen.answer) expect([at, item?.state]).toEqual([at, 'answered']);
}

/** Nothing is left to do, and nothing was done twice. */
async function expectEnded(after: Network, about: Story, sent: number, at: string): Promise<void> {
  const { threadId, itemId, decision } = about;
  expect([at, (await after.item(itemId)).state]).toEqual([at, 'answered']);
  expect([at, sent]).not.toEqual([at, 2]);
  const records = await callsOf(after, about);
  const proposed = (await after.messages(threadId))
    .filter((message) => isAIMessage(message))
    .flatMap((message) => message.tool_calls ?? []);
  // The same call under another id would be a second one.
  expect([at, records.length]).toEqual([at, 1]);
  expect([at, proposed.map(({ id }) => id)]).toEqual([at, [records[0]?.callId]]);
  if (decision === 'reject') expect([at, records[0]?.state, sent]).toEqual([at, 'rejected', 0]);
  await after.expectWhole(threadId);
}

/** Another process finds what is left, and brings it to its end. */
async function goOn(image: string, seen: readonly (readonly [Story, Seen])[], at: string): Promise<void> {
  const hub = hubOf();
  const after = open(image, hub);
  for (const [one, what] of seen) await expectNothingLost(after, one, what, at);

  after.runs.start();
  await after.runs.sweep();
  for (const [one] of seen) await send(after, one);
  await after.runs.idle();
  for (const [one] of seen) await decide(after, one);
  await after.runs.idle();
  for (const [one, { sent }] of seen) {
    const [call] = await callsOf(after, one);
    if (one.decision !== 'approve' || call?.state !== 'in_doubt') continue;
    const answer = { digest: call.digest, answer: sent > 0 ? 'happened' : 'not_happened' } as const;
    await after.gate.decisions.settleDoubt(after.keyOf(call.callId, one.threadId), ana, answer);
  }
  await after.runs.idle();
  for (const [one, { sent }] of seen) await expectEnded(after, one, sent + hub.count(one.tool), at);
  await after.close();
}

it.each([
  ['one thread', { stories: [APPROVED], cuts: 10, shared: 1 }],
  // Their messages share a transaction, and so do their leases and what the model made of them: of all three where the machine isn't busy.
  ['three threads at once', { stories: [APPROVED, ALLOWED, REJECTED], cuts: 10, shared: 2 }],
])(
  'a cut of the power at any sync takes back nothing that anybody was told of, nor what was sent, of %s',
  async (_what, { stories, cuts: fewest, shared }) => {
    const folder = mkdtempSync(join(tmpdir(), 'countersign-power-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const { cuts, mostShared } = await live(join(folder, 'network.db'), stories);
    for (const [index, { image, seen }] of cuts.entries()) await goOn(image, seen, `sync ${index + 1}`);
    expect(cuts.length).toBeGreaterThan(fewest);
    expect(mostShared).toBeGreaterThanOrEqual(shared);
    for (const one of stories) {
      const everSeen = cuts.flatMap(({ seen }) => seen).filter(([about]) => about === one);
      for (const what of toSee(one))
        expect([one.tool, what, everSeen.some(([, seen]) => seen[what])]).toEqual([one.tool, what, true]);
    }
  },
  120_000,
);
