import { z } from 'zod';
import { type CardTemplate, PLACEHOLDER } from '../gate/policy/card-template.ts';
import { MUST_BE_TOOL, notOnServer, STRAY_BRACE } from './texts.ts';

/** A tool's full name, `server.tool`. */
const TOOL = /^[^.\s]+\.\S+$/;

const toolName = z.string().regex(TOOL, MUST_BE_TOOL);

const sentence = z.string().trim().min(1).max(200).refine(hasPlainBraces, STRAY_BRACE);

const args = z
  .record(z.string().min(1), z.string())
  .optional()
  .describe('Its arguments, with placeholders; those of the same names unless set.');

const lookUp = z
  .union([
    toolName,
    z.strictObject({
      tool: toolName,
      with: args,
      as: z
        .string()
        .min(1)
        .optional()
        .describe('The argument whose old value the text is that it reads, such as the content of a file.'),
      show: z
        .array(z.string().min(1).max(100))
        .min(1)
        .max(8)
        .optional()
        .describe('What of its answer stands on the card, by paths such as message.from.'),
    }),
  ])
  .transform((given) =>
    typeof given === 'string' ? companion(given) : { ...companion(given.tool), ...rest(given) },
  );

const undo = z
  .union([toolName, z.strictObject({ tool: toolName, with: args })])
  .transform((given) =>
    typeof given === 'string' ? companion(given) : { ...companion(given.tool), ...rest(given) },
  );

/** `cards`: how the cards of single tools read, by `server.tool`. */
export const cardsSchema = z
  .record(
    z.string(),
    z
      .strictObject({
        title: z
          .union([sentence, z.array(sentence).min(1).max(10)])
          .transform((title) => (typeof title === 'string' ? [title] : title))
          .optional()
          .describe(
            'The sentence that heads the card: {argument}, {was} for what it is about, {was.field} for what that was, {list.count|guest|guests}, {text.lines}. Of several, the first whose values are all known.',
          ),
        look_up: lookUp
          .optional()
          .describe(
            'A tool of the same server that reads what the call is about, before people are asked. The policy must allow it.',
          ),
        undo: undo
          .optional()
          .describe(
            'A tool of the same server that takes back what the call has done. It is proposed on a card.',
          ),
      })
      .transform(
        ({ title, look_up, undo: inverse }): CardTemplate => ({
          ...(title && { title }),
          ...(look_up && { lookUp: look_up }),
          ...(inverse && { undo: inverse }),
        }),
      ),
  )
  .superRefine((cards, context) => {
    for (const [name, { lookUp: read, undo: inverse }] of Object.entries(cards)) {
      if (!TOOL.test(name)) context.addIssue({ code: 'custom', path: [name], message: MUST_BE_TOOL });
      const { server } = companion(name);
      for (const [key, other] of [
        ['look_up', read],
        ['undo', inverse],
      ] as const) {
        if (other === undefined || other.server === server) continue;
        context.addIssue({
          code: 'custom',
          path: [name, key],
          message: notOnServer(server),
        });
      }
    }
  })
  .prefault({});

function companion(name: string) {
  const dot = name.indexOf('.');
  return { server: name.slice(0, dot), name: name.slice(dot + 1) };
}

function rest<Given extends { tool: string }>({ tool: _tool, ...others }: Given): Omit<Given, 'tool'> {
  return others;
}

function hasPlainBraces(text: string): boolean {
  return !/[{}]/.test(text.replaceAll(PLACEHOLDER, ''));
}
