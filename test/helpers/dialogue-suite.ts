import { describe, expect, it, onTestFinished } from 'vitest';
import { type Dialogue, readDialogues } from './dialogue.ts';
import { brokenInvariants } from './dialogue-checks.ts';
import { connectionSteps, exampleSteps } from './dialogue-connections.ts';
import { inboxSteps } from './dialogue-inbox.ts';
import { workerKiller } from './dialogue-kill.ts';
import { mailSteps } from './dialogue-mail.ts';
import { memorySteps } from './dialogue-memory.ts';
import { peopleSteps } from './dialogue-people.ts';
import { serviceSteps } from './dialogue-services.ts';
import { accountSteps, modelSteps, threadSteps, worldSteps } from './dialogue-surroundings.ts';
import { closeWorld, type DialogueWorld, openWorld } from './dialogue-world.ts';
import { ON_REDIS, SCALED } from './storage.ts';

const FOLDER = new URL('../dialogues/', import.meta.url).pathname;
/** All kinds of steps. */
export const KINDS = [
  ...peopleSteps,
  ...modelSteps,
  ...threadSteps,
  ...worldSteps,
  ...accountSteps,
  ...connectionSteps,
  ...memorySteps,
  ...inboxSteps,
  ...mailSteps,
  ...exampleSteps,
  ...serviceSteps,
];
/** On Redis these are enough by default: restarts, decisions, messages in between. TEST_ALL=1 takes all. */
const ON_BOTH = [
  'approve.yaml',
  'approver-leaves-before-it-runs.yaml',
  'approvers-edit-asks-anew.yaml',
  'approvers-quorum.yaml',
  'audit.yaml',
  'confirm-by-typing.yaml',
  'connect-over-a-restart.yaml',
  'connect-two-people.yaml',
  'data-of-an-earlier-version.yaml',
  'decide-on-web.yaml',
  'delegate-quorum.yaml',
  'double-click.yaml',
  'edit.yaml',
  'expiry.yaml',
  'forged-clicks.yaml',
  'form-over-a-restart.yaml',
  'held-message-over-a-restart.yaml',
  'inbox-local-restart.yaml',
  'inbox-local-two-calls.yaml',
  'inbox-restart.yaml',
  'instruction-instead.yaml',
  'partial-approval.yaml',
  'plan-over-a-restart.yaml',
  'plan-reordered.yaml',
  'question-answered-by-reply.yaml',
  'reject-and-correct.yaml',
  'remember.yaml',
  'restart-while-the-model-thinks.yaml',
  'simulation-job-lost.yaml',
  'stop-button.yaml',
  'team-over-a-restart.yaml',
  'team-two-wait-second-first.yaml',
  'time-deadline-of-a-rule.yaml',
  'time-ladder.yaml',
  'two-forms-before-it-begins.yaml',
  'two-threads.yaml',
];
/** With several processes these, which cross from one to another; TEST_ALL=1 takes all. */
const ON_MANY = [
  'approve.yaml',
  'approvers-quorum.yaml',
  'connect-after-approval.yaml',
  'edit.yaml',
  'expiry.yaml',
  'inbox-local-stop.yaml',
  'inbox-local-two-calls.yaml',
  'page-is-done.yaml',
  'partial-approval.yaml',
  'plan-over-a-restart.yaml',
  'plan-reordered.yaml',
  'question-answered-by-reply.yaml',
  'restart.yaml',
  'team-two-wait-second-first.yaml',
  'time-ladder.yaml',
  'two-threads.yaml',
];
/** What these tell of is one process's own, so that several would tell another story. */
const OF_ONE_PROCESS = [
  // Each worker has its own connection over stdio, and only knows of calls on that: with two workers, both forms may be shown.
  'everything-form-after-a-stop.yaml',
  'everything-two-forms-over-stdio.yaml',
];
/** Each worker starts its own, and what it has loaded is in its memory: another worker, or one after a kill, has nothing. */
const KEPT_IN_MEMORY = /^simulation/;
const everyDialogue = readDialogues(FOLDER, KINDS);
/** Over Redis, what one process learns would have to be shared. */
const possible = everyDialogue.filter(({ setup }) => !ON_REDIS || setup.documents === undefined);
const chosen = SCALED ? ON_MANY : ON_REDIS ? ON_BOTH : null;
const dialogues =
  chosen !== null && process.env.TEST_ALL === undefined
    ? possible.filter(({ file }) => chosen.includes(file))
    : possible.filter((dialogue) => !SCALED || !isOfOneProcess(dialogue));

/** Describes a part of the dialogues, from 1, of so many: the files of parts are performed side by side. */
export function describeDialogues({ part, of }: { readonly part: number; readonly of: number }): void {
  const own = dialogues.filter((_, index) => index % of === part - 1);
  /** Dialogues that were performed, and those in the middle of which a worker was killed. */
  let played = 0;
  let kills = 0;

  describe('dialogues', () => {
    it('that are to be performed on both storages are there', () => {
      expect(everyDialogue.map(({ file }) => file)).toEqual(
        expect.arrayContaining([...ON_BOTH, ...ON_MANY, ...OF_ONE_PROCESS]),
      );
    });

    it.each(own)('$title ($file)', async (dialogue) => {
      played += 1;
      const world = await openWorld(dialogue);
      onTestFinished(() => closeWorld(world));
      const killer = workerKiller(world, dialogue);
      const failure = await performed(dialogue, world, killer);
      if (killer.killed()) kills += 1;
      // Also after a step that failed: nothing may run on while the folder is taken away.
      const broken = await brokenInvariants(world, dialogue);
      // The log often says why.
      if (failure) throw new Error([failure.message, ...broken].join('\n'));
      expect(broken).toEqual([]);
    });
  });

  if (SCALED) {
    describe('one web process and two workers', () => {
      it('lost a worker in the middle of nearly every dialogue', () => {
        process.stdout.write(`A worker was killed in the middle of ${kills} of ${played} dialogues.\n`);
        expect(kills).toBeGreaterThan(played / 2);
      });
    });
  }
}

function isOfOneProcess({ file, setup }: Dialogue): boolean {
  const isKeptInMemory = setup.servers.some(
    (server) => typeof server === 'string' && KEPT_IN_MEMORY.test(server),
  );
  return isKeptInMemory || OF_ONE_PROCESS.includes(file);
}

/** What went wrong, with the step that it went wrong in; null when nothing did. */
async function performed(
  dialogue: Dialogue,
  world: DialogueWorld,
  killer: ReturnType<typeof workerKiller>,
): Promise<Error | null> {
  for (const [index, step] of dialogue.steps.entries()) {
    try {
      if (SCALED) await killer.before(index);
      await step.perform(world);
    } catch (error) {
      return new Error(`${step.where}: ${error instanceof Error ? error.message : error}`);
    }
  }
  return null;
}
