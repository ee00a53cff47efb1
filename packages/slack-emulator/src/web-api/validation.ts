import { z } from 'zod';
import { validateBlocks, validateView } from '../blocks/validate.ts';
import { SlackRefusal } from '../errors.ts';
import type { Json, JsonObject } from '../json.ts';
import { type Arguments, required, structured } from './arguments.ts';
import type { Methods } from './method.ts';

const PAYLOADS = ['blocks', 'message', 'view'] as const;
const ONE_PAYLOAD = 'must provide exactly one of `blocks`, `view`, or `message`';

/** A manifest as far as its limits are known: docs.slack.dev/reference/app-manifest. */
const manifestSchema = z.looseObject({
  display_information: z.looseObject({
    name: z.string().min(1).max(35),
    description: z.string().max(140).optional(),
    background_color: z
      .string()
      .regex(/^#([\da-f]{3}|[\da-f]{6})$/i)
      .optional(),
  }),
  features: z
    .looseObject({
      bot_user: z.looseObject({ display_name: z.string().min(1).max(80) }).optional(),
      slash_commands: z
        .array(
          z.looseObject({
            command: z.string().startsWith('/').max(32),
            description: z.string().min(1).max(2000),
          }),
        )
        .max(50)
        .optional(),
    })
    .optional(),
  oauth_config: z
    .looseObject({ scopes: z.looseObject({ bot: z.array(z.string()).max(255).optional() }) })
    .optional(),
  settings: z
    .looseObject({
      event_subscriptions: z.looseObject({ bot_events: z.array(z.string()).max(100).optional() }).optional(),
    })
    .optional(),
});

export const validationMethods: Methods = {
  // docs.slack.dev/reference/methods/blocks.validate; the errors' names by what was sent: slack-morphism 2.31.
  'blocks.validate': {
    token: 'bot',
    run: (_context, args) => {
      const [kind, ...others] = PAYLOADS.filter((name) => args[name] !== undefined);
      if (kind === undefined || others.length > 0) {
        throw new SlackRefusal('invalid_arguments', { response_metadata: { messages: [ONE_PAYLOAD] } });
      }
      const problems = problemsIn(kind, structured(args, kind, 'invalid_arguments') ?? null);
      if (problems.length === 0) return {};
      throw new SlackRefusal(`invalid_${kind}`, { errors: problems.map(toError) });
    },
  },
  'apps.manifest.validate': {
    token: 'configuration',
    run: (_context, args: Arguments) => {
      required(args, 'manifest');
      const manifest = manifestSchema.safeParse(structured(args, 'manifest', 'invalid_manifest'));
      if (manifest.success) return {};
      throw new SlackRefusal('invalid_manifest', {
        errors: manifest.error.issues.map(({ message, path }) => ({
          message,
          pointer: `/${path.map(String).join('/')}`,
        })),
      });
    },
  },
};

function problemsIn(kind: (typeof PAYLOADS)[number], payload: Json): readonly string[] {
  if (kind === 'view') return validateView(payload, '')?.messages ?? [];
  if (kind === 'blocks') return validateBlocks(payload, 'message', '')?.messages ?? [];
  const blocks =
    payload !== null && typeof payload === 'object' && !Array.isArray(payload) ? payload.blocks : null;
  return validateBlocks(blocks ?? null, 'message', '/blocks')?.messages ?? [];
}

/** `[ERROR] reason [json-pointer:/blocks/0]` as the method says it. */
function toError(problem: string): JsonObject {
  const [, message = problem, pointer = ''] = /^\[ERROR\] (.*) \[json-pointer:(.*)\]$/s.exec(problem) ?? [];
  return { code: 'failed_constraint', message, pointer };
}
