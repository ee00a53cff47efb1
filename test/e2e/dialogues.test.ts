import { describe, expect, it, onTestFinished } from 'vitest';
import { type Dialogue, readDialogues } from '../helpers/dialogue.ts';
import { brokenInvariants } from '../helpers/dialogue-checks.ts';
import { peopleSteps } from '../helpers/dialogue-people.ts';
import { modelSteps, threadSteps, worldSteps } from '../helpers/dialogue-surroundings.ts';
import { closeWorld, type DialogueWorld, openWorld } from '../helpers/dialogue-world.ts';

const FOLDER = new URL('../dialogues/', import.meta.url).pathname;
const dialogues = readDialogues(FOLDER, [...peopleSteps, ...modelSteps, ...threadSteps, ...worldSteps]);

describe('dialogues', () => {
  it.each(dialogues)('$title ($file)', async (dialogue) => {
    const world = await openWorld(dialogue);
    onTestFinished(() => closeWorld(world));
    const failure = await performed(dialogue, world);
    // Also after a step that failed: nothing may run on while the folder is taken away.
    const broken = await brokenInvariants(world, dialogue);
    if (failure) throw failure;
    expect(broken).toEqual([]);
  });
});

/** What went wrong, with the step that it went wrong in; null when nothing did. */
async function performed(dialogue: Dialogue, world: DialogueWorld): Promise<Error | null> {
  for (const step of dialogue.steps) {
    try {
      await step.perform(world);
    } catch (error) {
      return new Error(`${step.where}: ${error instanceof Error ? error.message : error}`);
    }
  }
  return null;
}
