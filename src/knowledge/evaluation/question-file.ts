import { z } from 'zod';

const targetSchema = z
  .strictObject({
    document: z
      .string()
      .min(1)
      .describe('The document’s name, as list_documents gives it: its path within the folder.'),
    section: z.string().min(1).optional().describe('Words of a heading that the passage stands under.'),
    page: z.int().min(1).optional().describe('The page, slide or sheet that it stands on.'),
  })
  .describe('What should be found: any passage of the document, or only those under a heading or on a page.');

const questionSchema = z.strictObject({
  ask: z.string('must be the question, as somebody would ask it').trim().min(1).max(500),
  finds: z.array(targetSchema, 'must list what should be found: [{ document: handbook.md }]').min(1).max(20),
});

/** A file of questions, each with what it should find. */
export const questionFileSchema = z.strictObject({
  folders: z
    .array(z.string().min(1))
    .min(1)
    .max(100)
    .optional()
    .describe('Folders of documents, relative to this file. Default: those of knowledge.folders.'),
  questions: z
    .array(questionSchema, 'must list questions: [{ ask: …, finds: [{ document: … }] }]')
    .min(1)
    .max(10_000),
});
