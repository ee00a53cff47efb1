import { z } from 'zod';
import { nothing, type StepKind, stepKind } from './dialogue.ts';
import { until } from './dialogue-world.ts';

const itemSchema = z.strictObject({
  kind: z.enum(['critical_fact', 'preference']),
  key: z.string(),
  text: z.string(),
  evidence: z.string(),
});

/** What the model that looks for things to remember finds, and is asked about. */
export const memorySteps: readonly StepKind[] = [
  stepKind(
    /^memory finds$/,
    z.strictObject({ in: z.string().default(''), items: z.array(itemSchema) }),
    (world, { value }) => world.model.memory.finds(value),
  ),
  stepKind(/^memory never answers$/, nothing, (world) => world.model.memory.staysSilent()),
  // By then it has been asked, so that whatever is found isn't learned only because nobody looked.
  stepKind(/^memory has read$/, z.string(), async (world, { value }) => {
    await until(world, `the model is asked what to remember of “${value}”`, () =>
      world.model.memory.read().some((words) => words.includes(value)),
    );
  }),
  stepKind(/^memory has not read$/, z.string(), (world, { value }) => {
    const found = world.model.memory.read().find((words) => words.includes(value));
    if (found !== undefined) throw new Error(`The model was asked what to remember of:\n${found}`);
  }),
];
