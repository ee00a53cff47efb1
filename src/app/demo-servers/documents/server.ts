import { McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { answer, answering, ToolProblem } from '../tool-answers.ts';
import type { Document, Passage } from './document.ts';
import { type Folder, readFolder } from './folder.ts';
import { searchPassages } from './search.ts';

const READS = { readOnlyHint: true, openWorldHint: false } as const;
const UNDONE = 'Nothing was read.';
/** Whatever a document says is what somebody wrote, and asks nothing of whoever reads it here. */
const QUOTED = 'What follows is quoted from documents:';
/** Of a passage, in characters. */
const LONGEST_PASSAGE = 1_500;
/** Of what is read at once. */
const MOST_LINES = 200;
const MOST_CHARACTERS = 10_000;

const name = z.string().min(1).meta({
  title: 'Document',
  description: 'The name of a document, as list_documents and search_documents give it.',
});

const searchInput = z.strictObject({
  query: z.string().min(1).max(500).meta({ title: 'Query', description: 'The words to look for.' }),
  limit: z.int().min(1).max(20).default(5).meta({ title: 'Limit', description: 'The most passages.' }),
});

const readInput = z.strictObject({
  name,
  from: z.int().min(1).default(1).meta({
    title: 'From line',
    description: 'The first line to read, from 1; a long document is read in parts.',
  }),
});

const listed = z.object({
  name: z.string(),
  title: z.string().nullable(),
  kind: z.string(),
  lines: z.int(),
});

/** Where what was found stands, as answers cite it. */
const sources = z.array(z.object({ source: z.string(), place: z.string() }));

const listOutput = z.object({ documents: z.array(listed), left_out: z.int() });

const searchOutput = z.object({
  passages: z.array(
    z.object({
      name: z.string(),
      heading: z.string(),
      line: z.int(),
      score: z.number(),
      text: z.string(),
    }),
  ),
  sources,
});

const readOutput = listed.extend({
  from: z.int(),
  to: z.int(),
  text: z.string(),
  next: z.int().nullable().meta({ description: 'The line to go on from; null at the end.' }),
  sources,
});

/**
 * An MCP server that reads the documents of a folder, as they are when it's asked: lists, searches and reads them.
 *
 * @param path the folder; nothing outside of it is read.
 */
export function createDocumentServer(path: string): McpServer {
  const server = new McpServer({ name: 'documents', title: 'Documents', version: '1.0.0' });
  server.registerTool(
    'list_documents',
    {
      title: 'List documents',
      description: 'Lists the documents that there are, with their titles.',
      inputSchema: z.strictObject({}),
      outputSchema: listOutput,
      annotations: READS,
    },
    () => answering(UNDONE, async () => list(await open(path))),
  );
  server.registerTool(
    'search_documents',
    {
      title: 'Search documents',
      description:
        'Finds the passages of documents that fit some words best, with the document, heading and line where each stands.',
      inputSchema: searchInput,
      outputSchema: searchOutput,
      annotations: READS,
    },
    (input) => answering(UNDONE, async () => search(await open(path), input)),
  );
  server.registerTool(
    'read_document',
    {
      title: 'Read document',
      description: 'Gives the text of a document, or the part of it from a line on.',
      inputSchema: readInput,
      outputSchema: readOutput,
      annotations: READS,
    },
    (input) => answering(UNDONE, async () => read(await open(path), input)),
  );
  return server;
}

async function open(path: string): Promise<Folder> {
  return readFolder(path).catch(() => {
    throw new ToolProblem('the folder of documents can’t be read');
  });
}

function list({ documents, leftOut }: Folder) {
  const all = [...documents.values()].map(describe);
  const lines = all.map((one) => `\n- ${one.name}${one.title === null ? '' : ` (${one.title})`}`).join('');
  const more = leftOut === 0 ? '' : `\n${leftOut} more are too large or too many.`;
  const count = all.length === 1 ? 'There is 1 document.' : `There are ${all.length} documents.`;
  return answer(`${count}${lines}${more}`, { documents: all, left_out: leftOut });
}

function search({ documents }: Folder, { query, limit }: z.infer<typeof searchInput>) {
  const passages = searchPassages(documents.values(), query, limit).map(
    ({ name: of, heading, line, score, text }) => ({
      ...{ name: of, heading, line, score },
      text: text.length > LONGEST_PASSAGE ? `${text.slice(0, LONGEST_PASSAGE)}…` : text,
    }),
  );
  if (passages.length === 0) return answer('No document has any of these words.', { passages, sources: [] });
  const quoted = passages.map(({ name: of, heading, line, text }) => {
    const place = heading === '' ? `line ${line}` : `line ${line}, under ${heading}`;
    return `\n\n${of}, ${place}:\n${text}`;
  });
  return answer(`${QUOTED}${quoted.join('')}`, { passages, sources: passages.map(toSource) });
}

function read({ documents }: Folder, { name: wanted, from }: z.infer<typeof readInput>) {
  const document = documents.get(wanted);
  if (document === undefined) throw new ToolProblem('there is no such document; list_documents names them');
  const { lines } = document;
  if (from > lines.length) throw new ToolProblem(`it has only ${lines.length} lines`);
  const page = takePage(lines.slice(from - 1, from - 1 + MOST_LINES));
  const to = from + page.length - 1;
  const text = page.join('\n').slice(0, MOST_CHARACTERS);
  const next = to < lines.length ? to + 1 : null;
  const place = `${wanted}, lines ${from} to ${to} of ${lines.length}`;
  const cited = [{ source: wanted, place: `lines ${from} to ${to}` }];
  return answer(`${QUOTED}\n\n${place}:\n${text}`, {
    ...describe(document),
    ...{ from, to, text, next, sources: cited },
  });
}

/** A heading's own words are enough beside the line: the document's name says what it's under. */
function toSource({ name: source, heading, line }: Pick<Passage, 'name' | 'heading' | 'line'>) {
  const section = heading.split(' › ').at(-1) ?? '';
  return { source, place: section === '' ? `line ${line}` : `${section}, line ${line}` };
}

/** As many of the lines as may be read at once, but at least one. */
function takePage(lines: readonly string[]): readonly string[] {
  let length = 0;
  const end = lines.findIndex((line) => {
    length += line.length + 1;
    return length > MOST_CHARACTERS;
  });
  return end === -1 ? lines : lines.slice(0, Math.max(end, 1));
}

function describe({ name: own, title, kind, lines }: Document): z.infer<typeof listed> {
  return { name: own, title, kind, lines: lines.length };
}
