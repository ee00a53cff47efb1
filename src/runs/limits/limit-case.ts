import { z } from 'zod';
import { actorSchema } from '../../gate/types.ts';
import { collection } from '../../storage/store.ts';
import type { LimitMeasure } from './usage.ts';

/** The most extensions of a limit and day that can be taken back, and told apart. */
const MOST_KEPT = 100;

/** One answer that allowed more. */
const extensionSchema = z.object({
  /** The number of the question that it answered, from 1; earlier versions kept all of them, in order. */
  question: z.int().optional(),
  by: actorSchema,
  /** What was allowed; 0 once it is taken back. */
  amount: z.number(),
  at: z.number(),
  takenBackBy: actorSchema.nullable().default(null),
});

/** What admins were asked, and said, about one limit of one person, key or channel on one day. */
const caseSchema = z.object({
  /** `person <id>`, `key <id>` or `channel <id>`. */
  subject: z.string(),
  measure: z.enum(['runs', 'calls', 'tokens', 'cost']),
  /** A day of UTC: `2026-11-23`. */
  day: z.string(),
  /** How often admins were asked. */
  asked: z.int(),
  /** What was allowed besides the limit, in order; {@link MOST_KEPT} at most. */
  extensions: z
    .array(extensionSchema)
    .transform((all) => all.map((it, index) => ({ ...it, question: it.question ?? index + 1 }))),
  /** What is allowed by answers that are no longer among `extensions`, together. */
  older: z.number().default(0),
  /** The last question that an admin answered by leaving the limit as it is. */
  left: z.object({ question: z.int(), by: actorSchema }).nullable().default(null),
  /** When it was last changed, in milliseconds since the epoch. */
  at: z.number(),
});
export type LimitCase = z.infer<typeof caseSchema>;
/** What admins were asked and said about it. */
export type Said = Pick<LimitCase, 'asked' | 'extensions' | 'older' | 'left'>;

export const limitCases = collection({
  name: 'limit_cases',
  schema: caseSchema,
  indexes: { bySubject: (it) => [it.subject, it.day], byTime: (it) => [it.at] },
});

/** One limit of one person, key or channel. */
export interface SubjectLimit {
  readonly subject: string;
  readonly measure: LimitMeasure;
}

export const NOTHING_SAID: Said = { asked: 0, extensions: [], older: 0, left: null };

/** How many questions were answered by an extension. */
export function countAnswered({ extensions }: Pick<Said, 'extensions'>): number {
  return extensions.at(-1)?.question ?? 0;
}

export function findExtension({ extensions }: Said, question: number) {
  return extensions.find((it) => it.question === question);
}

export function sumAllowed({ extensions, older }: Pick<Said, 'extensions' | 'older'>): number {
  return extensions.reduce((sum, { amount }) => sum + amount, older);
}

/** With an extension more. Of too many, one that was taken back is dropped; where there is none, the first is only summed. */
export function addExtension(said: Said, added: Said['extensions'][number]): Said {
  const extensions = [...said.extensions, added];
  if (extensions.length <= MOST_KEPT) return { ...said, extensions };
  const dropped = Math.max(
    0,
    extensions.findIndex(({ amount }) => amount === 0),
  );
  const older = said.older + (extensions[dropped]?.amount ?? 0);
  return { ...said, extensions: extensions.toSpliced(dropped, 1), older };
}

/** Whose limits count: a person's, a key's or a channel's, by its id. */
export function splitSubject(subject: string): {
  readonly kind: 'person' | 'key' | 'channel';
  readonly id: string;
} {
  const [kind, ...id] = subject.split(' ');
  return { kind: kind === 'key' || kind === 'channel' ? kind : 'person', id: id.join(' ') };
}
