import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { createFakeHub, type FakeHub } from '../../helpers/fake-hub.ts';
import { createLosableDisk } from '../../helpers/losable-disk.ts';
import { type Network, openNetwork } from '../../helpers/network.ts';
import { ana } from '../../helpers/people.ts';
import { callAndReport } from '../../helpers/scripted-model.ts';

const CALL_ID = 'c1';
const ITEM_ID = 'm1';

/** What somebody outside has seen of a process. */
interface Seen {
  /** It was told that its message was received. */
  readonly message: boolean;
  /** It was asked about the call. */
  readonly request: boolean;
  readonly decision: boolean;
  readonly sent: number;
  readonly outcome: boolean;
  readonly answer: boolean;
}

function open(path: string, hub: FakeHub, more: object = {}): Network {
  return openNetwork({ path, hub, model: callAndReport('create_event', CALL_ID), ...more });
}

/** Says the message and approves its call; what a cut of the power at each sync would have left. */
async function live(path: string) {
  const hub = createFakeHub();
  let message = false;
  let decision = false;
  const disk = createLosableDisk(
    path,
    (): Seen => ({
      message,
      request: network.events.some(({ type }) => type === 'opened'),
      decision,
      sent: hub.sent.length,
      outcome: network.events.some(({ type }) => type === 'ended'),
      answer: network.runEvents.some(({ type }) => type === 'answered'),
    }),
  );
  const network = open(path, hub, { disk: disk.options });
  network.runs.start();
  await network.send('make a standup', { itemId: ITEM_ID });
  message = true;
  await network.runs.idle();
  const { digest } = await network.call(CALL_ID);
  await network.gate.decisions.decide([{ callKey: network.keyOf(CALL_ID), digest, type: 'approve' }], ana);
  decision = true;
  await network.runs.idle();
  await network.close();
  return disk.cuts;
}

/** Another process finds what is left, and brings it to its end. */
async function goOn(image: string, seen: Seen, at: string): Promise<void> {
  const hub = createFakeHub();
  const after = open(image, hub);
  const call = await after.gate.calls.get(after.keyOf(CALL_ID));
  const item = await after.runs.item(ITEM_ID);
  if (seen.message) expect([at, item?.itemId]).toEqual([at, ITEM_ID]);
  if (seen.request) expect([at, call?.callId]).toEqual([at, CALL_ID]);
  if (seen.decision) expect([at, call?.state]).not.toEqual([at, 'pending']);
  if (seen.sent > 0) expect([at, call?.attempt]).toEqual([at, 1]);
  if (seen.outcome) expect([at, call?.state]).toEqual([at, 'succeeded']);
  if (seen.answer) expect([at, item?.state]).toEqual([at, 'answered']);

  after.runs.start();
  await after.runs.sweep();
  await after.say('make a standup', { itemId: ITEM_ID });
  if (await after.isPending(CALL_ID)) await after.decide(CALL_ID);
  if (await after.isInDoubt(CALL_ID)) {
    await after.settle(CALL_ID, seen.sent > 0 ? 'happened' : 'not_happened');
  }
  expect([at, (await after.item(ITEM_ID)).state]).toEqual([at, 'answered']);
  expect([at, seen.sent + hub.sent.length]).not.toEqual([at, 2]);
  await after.expectWhole();
  await after.close();
}

it('a cut of the power at any sync takes back nothing that anybody was told of, nor what was sent', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-power-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const cuts = await live(join(folder, 'network.db'));
  for (const [index, { image, seen }] of cuts.entries()) await goOn(image, seen, `sync ${index + 1}`);
  expect(cuts.length).toBeGreaterThan(10);
  for (const what of ['message', 'request', 'decision', 'sent', 'outcome', 'answer'] as const)
    expect([what, cuts.some(({ seen }) => seen[what])]).toEqual([what, true]);
}, 120_000);
