import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';

const dialogueSchema = z.object({
  steps: z.array(z.union([z.string(), z.record(z.string(), z.unknown())])),
});

/** What a person does, or has, that is no click. */
const NO_CLICKS = /^(?:says|sees|is told)\b/;

/**
 * The clicks of a person in a dialogue: buttons, and in a form each field that is set and the button that sends it; a question
 * that is asked before a button counts takes one more. Throws for what isn't known to be a click or none.
 */
function countClicks(file: string, who: string): number {
  const { steps } = dialogueSchema.parse(parse(readFileSync(`test/dialogues/${file}`, 'utf8')));
  const counts = steps.flatMap((step) =>
    Object.entries(typeof step === 'string' ? {} : step).map(([words, value]) => {
      if (words === `${who} fills in`)
        return 1 + Object.keys(z.record(z.string(), z.unknown()).parse(value)).length;
      if (words.startsWith('before ')) return 1;
      const [, act = ''] = words.split(`${who} `);
      if (/^(?:clicks|opens)\b/.test(act)) return 1;
      if (act !== '' && !NO_CLICKS.test(act)) throw new Error(`${file}: is “${words}” a click?`);
      return 0;
    }),
  );
  return counts.reduce((sum, count) => sum + count, 0);
}

it.each([
  ['seven writes are approved', 'seven-calls.yaml', 'ana', 3],
  ['a call is rejected', 'reject-with-one-click.yaml', 'ana', 1],
  ['two calls are rejected', 'reject-two-with-one-click.yaml', 'ana', 1],
  ['one of two is approved, and the other later', 'review-calls.yaml', 'ana', 4],
  // Each that deletes is ticked by hand, and so is what the first review left.
  ['four writes are approved, of which two delete', 'review-dangerous.yaml', 'ana', 7],
  ['a call that deletes is approved, after one and two others', 'headline-looks-up.yaml', 'ana', 5],
])('%s with few clicks (%s)', (_what, file, who, atMost) => {
  const clicks = countClicks(file, who);
  expect(clicks).toBeGreaterThan(0);
  expect(clicks).toBeLessThanOrEqual(atMost);
});
