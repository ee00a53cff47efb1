import { McpServer, type ServerContext } from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { Knowledge } from '../../../knowledge/index.ts';
import type { Asker, DocumentAnswer } from '../../../knowledge/ports.ts';
import { StoreError } from '../../../lib/errors.ts';
import { answer, answering, answerProblem, ToolProblem } from '../../../lib/text/tool-answers.ts';
import { OWN_META } from '../../../mcp/index.ts';
import { findCaller, findThread } from '../caller.ts';

const READS = { readOnlyHint: true, openWorldHint: false } as const;
/** Whose documents answers may cite is no data that could get lost, and sharing twice shares once. */
const SHARES = {
  readOnlyHint: false,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
} as const;
const UNDONE = 'Nothing was read.';
const UNSHARED = 'Nothing was changed.';
const UNUSABLE = 'the documents can’t be searched now; an admin finds the reason in the log';

const searchInput = z.strictObject({
  query: z.string().min(1).max(500).meta({
    title: 'Query',
    description: 'What to look for, in words that the documents may have.',
  }),
  limit: z.int().min(1).max(20).default(8).meta({ title: 'Limit', description: 'The most passages.' }),
  kind: z
    .enum(['pdf', 'spreadsheet', 'slides', 'word', 'web_page', 'text'])
    .optional()
    .meta({ title: 'Kind', description: 'Only documents of this kind.' }),
  document: z.string().min(1).max(500).optional().meta({
    title: 'Document',
    description: 'Only documents of this name, or title, or whose name has this in it.',
  }),
  since: z.iso
    .date()
    .optional()
    .meta({ title: 'Changed since', description: 'Only documents that were changed on this day or later.' }),
});

const readInput = z.strictObject({
  name: z.string().min(1).meta({
    title: 'Document',
    description: 'The name of a document, as list_documents and search_documents give it.',
  }),
  from: z.int().min(1).default(1).meta({
    title: 'From passage',
    description:
      'The first passage to read, from 1: the `place` of one that was found. A long document is read in parts.',
  }),
  which: z.int().min(1).default(1).meta({
    title: 'Which',
    description: 'Which one, from 1, where several documents have this name; the answer says how many have.',
  }),
});

const documentOutput = z.object({
  name: z.string(),
  title: z.string().nullable(),
  /** What it's about, as a model said. */
  description: z.string().nullable(),
  kind: z.string(),
  /** Pages, slides or sheets; null where it has none. */
  pages: z.int().nullable(),
  passages: z.int(),
  /** When it was changed last, as far as that is known. */
  changed: z.iso.datetime().nullable(),
});

const nameInput = z.strictObject({
  name: z.string().min(1).max(300).meta({ title: 'Document', description: 'The name of the document.' }),
});

const shareOutput = z.object({ name: z.string(), shared: z.boolean() });

/** Where what was found stands, as answers cite it. */
const sources = z.array(z.object({ source: z.string(), place: z.string(), url: z.string().optional() }));

const listOutput = z.object({
  documents: z.array(documentOutput),
  not_searched: z.array(z.object({ name: z.string(), why: z.string() })),
});

const searchOutput = z.object({
  passages: z.array(
    z.object({
      number: z.int(),
      name: z.string(),
      place: z.int(),
      page: z.int().nullable(),
      section: z.string(),
      /** From which passage to which its section goes, with what is under it; of a long one, what is near. */
      section_from: z.int(),
      section_to: z.int(),
      text: z.string(),
      link: z.string().nullable(),
      score: z.number(),
    }),
  ),
  sources,
  /** How sure it is that they answer the question; null where there are none. */
  confidence: z.enum(['high', 'medium', 'low']).nullable(),
  searched_by: z.enum(['words', 'words_and_vectors']),
});

const readOutput = documentOutput.extend({
  text: z.string(),
  from: z.int(),
  to: z.int(),
  next: z.int().nullable().meta({ description: 'The passage to go on from; null at the end.' }),
  sources,
});

/**
 * An MCP server that lists, searches, reads and shares what was learned of documents.
 *
 * @param open gives them; they are opened when they're first asked for.
 */
export function createDocumentServer(open: () => Promise<Knowledge>): McpServer {
  const server = new McpServer({ name: 'documents', title: 'Documents', version: '1.0.0' });
  const answerWith: AnswerWith = (context, ask, undone = UNDONE) =>
    answering(undone, async () => {
      const asker = { personId: findCaller(context), threadId: findThread(context) };
      const said = await open()
        .then((knowledge) => ask(knowledge, asker))
        .catch(ifUnusable);
      return toResult(said, undone);
    });
  server.registerTool(
    'list_documents',
    {
      title: 'List documents',
      description:
        'Lists the documents that can be searched, with their titles, and those that cannot be, with the reason.',
      inputSchema: z.strictObject({}),
      outputSchema: listOutput,
      annotations: READS,
    },
    (_input, context) => answerWith(context, (knowledge, asker) => knowledge.list(asker)),
  );
  server.registerTool(
    'search_documents',
    {
      title: 'Search documents',
      description:
        'Finds the passages of documents that fit a question best, each with a number, and the document and place where it stands. Where you use what one says, put its number behind it, such as [1], and name the numbers at the end of your answer, each with its document, place and link as they stand there. Where the rest of a section is needed, read_document gives it from the passage on that is named. Where nothing fits, try other words; where only a weak match is found, say so.',
      inputSchema: searchInput,
      outputSchema: searchOutput,
      annotations: READS,
    },
    ({ query, limit, since, ...only }, context) =>
      answerWith(context, (knowledge, asker) =>
        knowledge.search(asker, query, limit, {
          ...only,
          ...(since !== undefined && { since: Date.parse(since) }),
        }),
      ),
  );
  server.registerTool(
    'read_document',
    {
      title: 'Read document',
      description: 'Gives the text of a document, or the part of it from a passage on.',
      inputSchema: readInput,
      outputSchema: readOutput,
      annotations: READS,
    },
    ({ name, from, which }, context) =>
      answerWith(context, (knowledge, asker) => knowledge.read(asker, name, from, which)),
  );
  registerSharing(server, answerWith);
  return server;
}

/** How a tool answers. */
type AnswerWith = (
  context: ServerContext,
  ask: (knowledge: Knowledge, asker: Asker) => Promise<DocumentAnswer>,
  undone?: string,
) => ReturnType<typeof answering>;

function registerSharing(server: McpServer, answerWith: AnswerWith): void {
  server.registerTool(
    'share_document',
    {
      title: 'Share document',
      description:
        'Lets answers in this channel cite a document of the person who asks, so that everybody in the channel may read it. Only its owner can share it, in a thread of the channel.',
      inputSchema: nameInput,
      outputSchema: shareOutput,
      annotations: SHARES,
    },
    ({ name }, context) =>
      answerWith(context, (knowledge, asker) => knowledge.share(asker, name, { isShared: true }), UNSHARED),
  );
  server.registerTool(
    'unshare_document',
    {
      title: 'Stop sharing document',
      description: 'Ends what share_document began: answers in this channel no longer cite the document.',
      inputSchema: nameInput,
      outputSchema: shareOutput,
      annotations: SHARES,
    },
    ({ name }, context) =>
      answerWith(context, (knowledge, asker) => knowledge.share(asker, name, { isShared: false }), UNSHARED),
  );
}

/** The reason names files of this machine, and is in the log. */
function ifUnusable(error: unknown): never {
  throw error instanceof StoreError ? new ToolProblem(UNUSABLE) : error;
}

function toResult(said: DocumentAnswer, undone: string) {
  const result = said.ok ? answer(said.text, said.data) : answerProblem(said.problem, undone);
  return said.isOwn ? { ...result, _meta: { [OWN_META]: true } } : result;
}
