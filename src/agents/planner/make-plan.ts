import { z } from 'zod';
import type { ToolSnapshot } from '../../gate/types.ts';
import { isJsonObject, type JsonObject } from '../../lib/json.ts';

/** The `make_plan` tool: the model says all that it wants to do, before any of it is done. */
export const MAKE_PLAN: ToolSnapshot = {
  server: 'countersign',
  name: 'make_plan',
  modelName: 'make_plan',
  title: 'Plan',
  description:
    'Propose the steps that carry out the request, in order. Each step is one call of a tool that you are given, with ' +
    'complete arguments. The people who decide see every step with its arguments before any of it runs; the steps then ' +
    'run one after the other. When one fails or is rejected, those that need it do not run. Where the arguments of a step ' +
    'depend on the result of an earlier one, name that one in needs_result_of: you are asked for the step again when ' +
    'the result is there.',
  inputSchema: {
    type: 'object',
    properties: {
      title: { type: 'string', description: 'What the plan achieves, in a few words.' },
      steps: {
        type: 'array',
        minItems: 1,
        items: {
          type: 'object',
          properties: {
            tool: { type: 'string', description: 'The name of the tool, as you are given it.' },
            arguments: { type: 'object', description: "The tool's arguments, all of them." },
            why: { type: 'string', description: 'What the step is for, in a few words.' },
            needs: {
              type: 'array',
              items: { type: 'integer', minimum: 1 },
              description:
                'The numbers, from 1, of the earlier steps without which this one must not run. Left out: all of them. An empty list: it makes sense by itself, such as one of several runs.',
            },
            needs_result_of: {
              type: 'array',
              items: { type: 'integer', minimum: 1 },
              description: 'The numbers, from 1, of the earlier steps whose results its arguments depend on.',
            },
          },
          required: ['tool', 'arguments'],
          additionalProperties: false,
        },
      },
    },
    required: ['title', 'steps'],
    additionalProperties: false,
  },
  definitionHash: 'countersign:make_plan:2',
  destructive: false,
  trusted: true,
};

/** The longest title and reason, in characters; what is longer is cut. */
const TITLE_LENGTH = 150;
const WHY_LENGTH = 200;

function words(length: number) {
  return z.string().transform((text) => text.trim().slice(0, length).toWellFormed());
}

const stepSchema = z.strictObject({
  tool: z.string().min(1),
  arguments: z.custom<JsonObject>(isJsonObject, 'must be an object'),
  why: words(WHY_LENGTH).default(''),
  needs: z.array(z.int().min(1)).optional(),
  needs_result_of: z.array(z.int().min(1)).default([]),
});
export type PlanStep = z.infer<typeof stepSchema>;

const planSchema = z
  .strictObject({
    title: words(TITLE_LENGTH).pipe(z.string().min(1)),
    steps: z.array(stepSchema).min(1, 'a plan has at least one step'),
  })
  .superRefine(({ steps }, context) => {
    for (const [index, { needs = [], needs_result_of }] of steps.entries()) {
      for (const [name, numbers] of Object.entries({ needs, needs_result_of })) {
        if (numbers.every((number) => number <= index)) continue;
        const path = ['steps', index, name];
        context.addIssue({ code: 'custom', path, message: 'must name steps before this one' });
      }
    }
  });

export interface ReadPlan {
  readonly title: string;
  /** The steps that can be proposed now, and those from the first on whose arguments depend on their results. */
  readonly now: readonly PlanStep[];
  readonly later: readonly PlanStep[];
}

/** Reads the arguments of a {@link MAKE_PLAN} call; a string says what is wrong with them, for the model. */
export function readPlan(args: unknown): ReadPlan | string {
  const read = planSchema.safeParse(args);
  if (!read.success) return z.prettifyError(read.error);
  const { title, steps } = read.data;
  const first = steps.findIndex((step) => step.needs_result_of.length > 0);
  const end = first === -1 ? steps.length : first;
  return { title, now: steps.slice(0, end), later: steps.slice(end) };
}
