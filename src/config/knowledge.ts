import { z } from 'zod';

/** Who may read a folder of documents, as the file names everybody in the workspace. */
export const EVERYBODY_HERE = 'everybody';

const readerSchema = z
  .string()
  .refine((named) => named === EVERYBODY_HERE || /^[CGUW][A-Z0-9]+$/.test(named), {
    error: 'must be everybody, the id of a channel, such as C012AB3CD, or of a Slack user, such as U012AB3CD',
  })
  .describe(
    'everybody, the id of a channel (C012AB3CD), for those who are in it, or of a Slack user (U012AB3CD).',
  );

/** A folder of `knowledge.folders`: its path alone, for everybody, or with its readers. */
export const documentFolderSchema = z
  .union(
    [
      z.string().min(1),
      z.strictObject({
        folder: z.string().min(1).describe('The folder, relative to this file.'),
        readers: z
          .array(readerSchema)
          .min(1)
          .max(1_000)
          .describe('Who may find what is in it, each as everybody, a channel or a person.'),
      }),
    ],
    { error: 'must be a folder, or { folder: …, readers: [everybody, C012AB3CD, U012AB3CD] }' },
  )
  .transform((given) => (typeof given === 'string' ? { folder: given, readers: [EVERYBODY_HERE] } : given))
  .describe('A folder, for everybody who may talk to the agent, or one with its readers.');
