import { calls } from '../../src/gate/store/collections.ts';
import { threads } from '../../src/runs/collections.ts';
import { leases } from '../../src/storage/lease/collections.ts';
import type { Dialogue } from './dialogue.ts';
import type { DialogueWorld } from './dialogue-world.ts';

/** Words of a step in which somebody does something: between what they see and what they do, a worker goes. */
const SOMEBODY_ACTS = /^(ana|bob|carol) (says|clicks|fills in|types)/;
/** How long a dialogue is given to come to rest before somebody acts, in milliseconds. */
const REST_WITHIN_MS = 3_000;

/**
 * Kills a worker in the middle of a dialogue, once: before a step in which somebody acts, when nothing is
 * under way whose end would be in doubt, as the dialogue could not go on as it is written then; what becomes
 * of calls and messages that are under way is for `scaled.test.ts` and the chaos runs. Which of the two
 * workers goes hangs on the file, so that it is the same each time.
 */
export function workerKiller(world: DialogueWorld, { file, steps }: Dialogue) {
  const acts = steps.flatMap(({ words }, index) => (index > 0 && SOMEBODY_ACTS.test(words) ? [index] : []));
  const from = acts[Math.floor(acts.length / 2)] ?? Number.POSITIVE_INFINITY;
  const which = file.length % 2 === 0 ? 0 : 1;
  let killed = false;
  return {
    killed: () => killed,
    async before(index: number): Promise<void> {
      // Connections are made anew after a clock has jumped, and by those who were started again.
      await world.app.driver.waitForApp();
      if (killed || index < from || !acts.includes(index) || !(await comesToRest(world))) return;
      killed = true;
      await world.app.killWorker(which);
    },
  };
}

async function comesToRest(world: DialogueWorld): Promise<boolean> {
  const end = Date.now() + REST_WITHIN_MS;
  do {
    if (await isAtRest(world)) return true;
  } while (Date.now() < end);
  return false;
}

/** The model is asked nothing, and no thread is being worked on. */
async function isAtRest({ app, model }: DialogueWorld): Promise<boolean> {
  if (model.unanswered() > 0) return false;
  return app.inStore(async (store) => {
    const known = await store.query(threads, 'byCreation', {}, 1_000);
    const held = await Promise.all(known.items.map(({ value }) => store.get(leases, value.threadId)));
    const open = await store.query(calls, 'notEnded', {}, 1_000);
    return held.every((lease) => !lease) && open.items.every(({ value }) => value.state !== 'executing');
  });
}
