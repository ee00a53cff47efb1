import { setTimeout as after } from 'node:timers/promises';
import type { Fault } from '@countersign/slack-emulator/driver';
import type { CallRecord } from '../../src/gate/call/record.ts';
import { calls } from '../../src/gate/store/collections.ts';
import { ACTIONS } from '../../src/slack/cards/action-ids.ts';
import { clockFaults } from './clock-faults.ts';
import { deliverOne, messagesOfPeople } from './events.ts';
import type { FaultName } from './fault-list.ts';
import { longFaults } from './long-faults.ts';
import { all } from './record.ts';
import { redisFaults } from './redis-faults.ts';
import type { Slot } from './slot.ts';
import { eventually, type World } from './world.ts';

/** How long a fault waits for its moment; then it happens anyway. In milliseconds. */
const MOMENT_WITHIN_MS = 2_500;

/** Does its harm and takes back what does not heal by itself; whoever ended a process starts another one. */
type DoFault = (world: World) => Promise<void>;

const doFaults: Readonly<Record<FaultName, DoFault>> = {
  async 'kill at a random point'(world) {
    await after(world.random.between(0, 1_000));
    await killAndRestart(anySlot(world));
  },
  async 'kill while a call is being sent'(world) {
    await callThat(world, ({ state }) => state === 'executing');
    await killAndRestart(runningSlot(world));
  },
  async 'kill after the effect, before the outcome'(world) {
    const before = world.ledger.effects.length;
    await eventually(() => world.ledger.effects.length > before, MOMENT_WITHIN_MS);
    await killAndRestart(runningSlot(world));
  },
  async 'kill after the outcome'(world) {
    const known = new Set((await endedCalls(world)).map(({ callId }) => callId));
    await callThat(world, ({ callId, endedAt }) => endedAt !== null && !known.has(callId));
    await killAndRestart(runningSlot(world));
  },
  async 'kill before the ack'(world) {
    const delivered = deliverAll(world, 1);
    await after(world.random.between(0, 20));
    await killAndRestart(world.web);
    await delivered;
  },
  async 'kill after the ack of a decision'(world) {
    await killOnceDecided(world);
    await killAndRestart(world.web);
  },
  async 'SIGTERM in the middle of a call'(world) {
    await callThat(world, ({ state }) => state === 'executing');
    const slot = runningSlot(world);
    const { code, signal } = await slot.end('SIGTERM');
    if (code !== 0) world.note(`!!! ${slot.name} ended with ${code ?? signal} after SIGTERM`);
    await slot.start();
  },
  async 'crash loop'(world) {
    const slot = anySlot(world);
    for (let round = 0; round < 3; round += 1) {
      await slot.end('SIGKILL');
      slot.launch();
      await after(world.random.between(100, 1_500));
    }
    await killAndRestart(slot);
  },
  async 'pause beyond the ack'(world) {
    const slot = anySlot(world);
    slot.pause();
    await after(world.random.between(500, 3_500));
    slot.resume();
  },
  'events four times, shuffled': (world) => deliverAll(world, 4),
  async 'Slack connection breaks'(world) {
    world.workspace.driver.disconnectSockets(world.random.pick(['break', 'refresh']));
  },
  'Slack answer lost': async (world) => faultySlack(world, { kind: 'drop_response' }),
  async 'Slack resets and stumbles'(world) {
    faultySlack(world, { kind: 'reset_before' });
    faultySlack(world, { kind: 'error', error: 'internal_error' });
  },
  'Slack says 429': async (world) => faultySlack(world, { kind: 'rate_limited', retryAfter: 1 }),
  async 'card deleted'(world) {
    const { driver, apiUrl, botToken } = world.workspace;
    const card = await eventually(
      () => [...driver.workspace.messages.values()].flat().find(offersApprove),
      MOMENT_WITHIN_MS,
    );
    if (!card) return;
    world.note(`card ${card.ts} is deleted`);
    world.deletedCards.push(card);
    await fetch(`${apiUrl}chat.delete`, {
      method: 'POST',
      headers: { authorization: `Bearer ${botToken}`, 'content-type': 'application/json' },
      body: JSON.stringify({ channel: card.channel, ts: card.ts }),
    });
  },
  async 'tool connections break'(world) {
    await callThat(world, ({ state }) => state === 'executing');
    world.ledger.breakConnections();
  },
  async 'power cut'(world) {
    await after(world.random.between(0, 1_000));
    await cutPower(world);
  },
  async 'power cut after the ack of a decision'(world) {
    await killOnceDecided(world);
    await cutPower(world);
  },
  async 'store locked'(world) {
    const unlock = world.storage.lock();
    await after(world.random.between(300, 2_000));
    unlock();
  },
  ...redisFaults,
  ...clockFaults,
  ...longFaults,
};

export async function doFault(world: World, name: FaultName): Promise<void> {
  world.note(`fault: ${name}`);
  await doFaults[name](world);
}

function anySlot({ random, slots }: World): Slot {
  return random.pick(slots);
}

/** One that runs threads: on Redis, a worker. */
function runningSlot({ random, slots }: World): Slot {
  const [first, ...workers] = slots;
  return workers[random.between(0, workers.length - 1)] ?? first;
}

async function killAndRestart(slot: Slot): Promise<void> {
  await slot.end('SIGKILL');
  await slot.start();
}

/** Kills the process in the moment in which a decision is acknowledged: whatever is not on record by then is lost. */
async function killOnceDecided(world: World): Promise<void> {
  const { promise: killed, resolve } = Promise.withResolvers<unknown>();
  const callOff = world.onceDecided(() => resolve(world.web.end('SIGKILL')));
  await Promise.race([killed, after(MOMENT_WITHIN_MS)]);
  // The moment may still come, when nobody would start the process again.
  callOff();
}

/** The machine fails, and loses some or all of what wasn't synced. */
async function cutPower(world: World): Promise<void> {
  await world.web.end('SIGKILL');
  const lost = await world.storage.cutPower(world.random.pick([0, 0.5, 0.9]));
  world.note(`the power was cut: ${lost} frames of the log weren’t synced`);
  await world.web.start();
}

/** Waits for a call that fits; the moment may not come, and then the fault hits at another one. */
async function callThat(world: World, fits: (call: CallRecord) => boolean): Promise<CallRecord | null> {
  return eventually(async () => {
    const found = await all(world.storage.store, calls, 'byThread');
    return found.map(({ value }) => value).find(fits);
  }, MOMENT_WITHIN_MS).then((call) => call ?? null);
}

async function endedCalls(world: World): Promise<readonly CallRecord[]> {
  const found = await all(world.storage.store, calls, 'byThread').catch(() => []);
  return found.map(({ value }) => value).filter(({ endedAt }) => endedAt !== null);
}

/** Delivers what people wrote so far again, out of order. */
async function deliverAll(world: World, times: number): Promise<void> {
  const bodies = messagesOfPeople(world).flatMap((body) => Array.from({ length: times }, () => body));
  await Promise.all(world.random.shuffled(bodies).map((body) => deliverOne(world, body)));
}

/** Lets the next calls of the methods that show things go wrong. */
function faultySlack(world: World, fault: Pick<Fault, 'kind' | 'error' | 'retryAfter'>): void {
  for (const method of ['chat.postMessage', 'chat.update', 'chat.appendStream', 'chat.stopStream']) {
    world.workspace.driver.fault({ ...fault, method, times: world.random.between(1, 2) });
  }
}

function offersApprove({
  byApp,
  blocks,
}: {
  readonly byApp: boolean;
  readonly blocks: readonly object[];
}): boolean {
  return byApp && JSON.stringify(blocks).includes(`"action_id":"${ACTIONS.approve}"`);
}
