import { z } from 'zod';
import { EVERYBODY, type KnownDocument } from '../../knowledge/ports.ts';
import { hasCredentials } from '../../lib/net/safe-url.ts';
import { toOneLine } from '../../lib/unicode.ts';
import { next, page } from '../records/schemas.ts';

/** A line of text that can be shown anywhere. */
const line = z
  .string()
  .min(1)
  .max(500)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: none of them may be in a name
  .refine((text) => text.isWellFormed() && !/[\x00-\x1f\x7f]/.test(text), 'must be a line of text');
/** A name, in which whatever else ends a line somewhere is a blank. */
const name = line.transform(toOneLine).pipe(line);

const readersSchema = z
  .union([z.enum(['everybody', 'me']), z.string().regex(/^slack:[A-Z0-9]+:[A-Z0-9]+$/)], {
    error: 'must be everybody, me, or a channel such as slack:T012AB3CD:C012AB3CD',
  })
  .default('me')
  .describe(
    'Who may read it: `everybody` who may talk to the agent; `me`, this key alone; or whoever is in a channel, as `slack:{team}:{channel}`.',
  );
type Readers = z.infer<typeof readersSchema>;

/** What a document comes with: as fields of its form, or in the query. */
export const documentFieldsSchema = z.strictObject({
  name: name.optional().describe('Its name, with the ending of its kind: that of the file, unless set.'),
  key: line
    .optional()
    .describe(
      'What the document is to whoever gives it: another version has the same. Its name, unless set.',
    ),
  readers: readersSchema,
  link: z
    .url({ protocol: /^https?$/ })
    .max(2_000)
    .refine((link) => !hasCredentials(link), 'must have no user name or password in it')
    .optional()
    .describe('Where people find it.'),
});

/** As a form has them, with the file itself. */
export const documentFormSchema = documentFieldsSchema.extend({
  file: z.file().meta({ type: 'string', format: 'binary', description: 'The document.' }),
});

export const documentListQuerySchema = z.strictObject({
  state: z.enum(['waiting', 'learned', 'problem']).optional(),
  ...page,
});

export const documentAnswerSchema = z.object({
  id: z.string(),
  name: z.string(),
  kind: z.string(),
  state: z
    .enum(['waiting', 'learned', 'problem'])
    .describe('`waiting`: it is kept, and learned soon; until then the version before it is found.'),
  problem: z
    .object({ code: z.string(), message: z.string() })
    .nullable()
    .describe('Why nothing of it can be found; null where it can, or while it waits.'),
  own: z.boolean().describe('Whether it was given with this key.'),
  readers: z.string().describe('As it was given: `everybody`, `me`, or a channel.'),
  link: z.string().nullable(),
  title: z.string().nullable(),
  description: z.string().nullable(),
  pages: z
    .int()
    .nullable()
    .describe('Pages, slides or sheets; null where it has none, or none is known yet.'),
  passages: z.int().nullable(),
  learned_at: z.iso.datetime().nullable().describe('When it was learned last.'),
});

export const documentListSchema = z.object({
  documents: z.array(documentAnswerSchema).describe('By name.'),
  next_cursor: next,
});

/** The readers of a document, as the index has them. */
export function toReaders(readers: Readers, owner: string): readonly string[] {
  if (readers === 'everybody') return [EVERYBODY];
  return [readers === 'me' ? `person:${owner}` : `channel:${readers}`];
}

export function toDocumentAnswer(
  document: KnownDocument,
  origin: string,
): z.infer<typeof documentAnswerSchema> {
  const { id, name, kind, state, problem, readers, link, learned } = document;
  const channel = readers.find((reader) => reader.startsWith('channel:'))?.slice('channel:'.length);
  return {
    id,
    name,
    kind,
    state,
    problem,
    own: document.origin === origin,
    readers: readers.includes(EVERYBODY) ? 'everybody' : (channel ?? 'me'),
    link,
    title: learned?.title ?? null,
    description: learned?.description ?? null,
    pages: learned?.pages ?? null,
    passages: learned?.passages ?? null,
    learned_at: learned && new Date(learned.learnedAt).toISOString(),
  };
}
