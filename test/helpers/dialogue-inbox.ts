import { z } from 'zod';
import { nothing, type StepKind, stepKind } from './dialogue.ts';
import { connectionSteps } from './dialogue-connections.ts';
import { peopleSteps } from './dialogue-people.ts';
import { accountSteps } from './dialogue-surroundings.ts';
import { type DialogueWorld, linesOf, until } from './dialogue-world.ts';

const judgedSchema = z.strictObject({
  in: z.string().default(''),
  verdict: z.enum(['ignore', 'notify', 'respond', 'fails']),
  reason: z.string().default('for a reason'),
});

/** How somebody who has a mailbox at Google has it watched. */
const WATCHED: readonly (readonly [string, unknown])[] = [
  ['ana opens Home', null],
  ['ana clicks in Home', 'Connect…'],
  ['ana takes the link', null],
  ['ana signs in as', 'ana'],
  ['ana closes the modal', null],
  ['ana types', '/countersign inbox on gmail'],
  ['ana is told', 'I look at your mailbox gmail from now on'],
];

async function performAll(world: DialogueWorld, steps: typeof WATCHED): Promise<void> {
  const kinds = [...peopleSteps, ...accountSteps, ...connectionSteps];
  for (const [words, value] of steps) {
    const kind = kinds.find((one) => one.words.test(words));
    if (!kind) throw new Error(`no such step: ${words}`);
    await kind.read(kind.words.exec(words)?.groups?.who ?? '', value, {})(world);
  }
}

/** What the model that sorts mails, and learns from what people do with drafts, says and is asked. */
export const inboxSteps: readonly StepKind[] = [
  stepKind(/^ana’s mailbox at google is watched$/, nothing, (world) => performAll(world, WATCHED)),
  stepKind(/^mails are judged$/, judgedSchema, (world, { value }) => world.model.inbox.judges(value)),
  stepKind(/^the inbox learns$/, z.array(z.record(z.string(), z.json())), (world, { value }) =>
    world.model.inbox.learns(value),
  ),
  stepKind(/^the inbox has read$/, z.string(), async (world, { value }) => {
    await until(world, `the model that sorts mails is asked about “${value}”`, () =>
      world.model.inbox.read().some((asked) => linesOf(value).every((line) => asked.includes(line))),
    );
  }),
];
