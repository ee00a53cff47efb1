import type { JsonObject } from '../lib/json.ts';
import { estimateTokens } from '../lib/text/estimate-tokens.ts';
import type {
  DocumentIndex,
  DocumentRecord,
  FoundPassage,
  PassageRecord,
} from '../storage/documents/index.ts';
import { type DocumentAnswer, EVERYBODY, type Reading } from './ports.ts';
import { placeName, problemWords, SAID } from './texts.ts';
import { queryWords } from './words.ts';

/** The most documents that are listed, and the most tokens that are read at once, by our estimate. */
const MOST_LISTED = 500;
const MOST_READ_TOKENS = 4_000;
/** More than one reading can have. */
const MOST_READ_PASSAGES = 500;

/** The documents that can be searched, by name, and those that can't be, with the reason. */
export async function listDocuments(index: DocumentIndex, reading: Reading): Promise<DocumentAnswer> {
  const all = await index.listFor(reading.readers);
  const readable = all.filter(({ problem }) => problem === null);
  const others = all.filter(({ problem }) => problem !== null);
  const cut = readable.length > MOST_LISTED ? [SAID.cut(MOST_LISTED)] : [];
  return {
    ok: true,
    isOwn: isOwn(reading, all),
    text: [SAID.listed(readable.length, others.length), ...cut, ...notHere(reading)].join(' '),
    data: {
      documents: readable.slice(0, MOST_LISTED).map(describe),
      not_searched: others
        .slice(0, MOST_LISTED)
        .map(({ name, problem }) => ({ name, why: problemWords(problem) })),
    },
  };
}

/** The passages that fit a question best, each with where it stands. */
export async function searchDocuments(
  index: DocumentIndex,
  reading: Reading,
  { query, limit }: { readonly query: string; readonly limit: number },
): Promise<DocumentAnswer> {
  const { readers } = reading;
  const passages = await index.find(queryWords(query), { readers, limit });
  const documents = await Promise.all(passages.map(({ documentId }) => index.get(documentId)));
  const found = passages.flatMap((passage, at) => {
    const document = documents[at] ?? null;
    return document === null ? [] : { document, passage };
  });
  return {
    ok: true,
    isOwn: isOwn(
      reading,
      found.map(({ document }) => document),
    ),
    text:
      found.length === 0
        ? [await saidOfNothing(index, readers), ...notHere(reading)].join(' ')
        : [
            SAID.found(found.length),
            ...found.map(({ document: { name, kind }, passage }) =>
              quote(name, placeName({ ...passage, kind }), passage.text),
            ),
          ].join('\n\n'),
    data: {
      passages: found.map(({ document, passage }) => ({
        name: document.name,
        ...toShown(passage),
        score: Math.round(passage.score * 100) / 100,
      })),
      sources: found.map(({ document, passage }) => toSource(document, passage)),
    },
  };
}

async function saidOfNothing(index: DocumentIndex, readers: readonly string[]): Promise<string> {
  return (await index.listFor(readers)).length === 0 ? SAID.noDocuments : SAID.nothingFound;
}

/** The text of a document from a passage on, as much as may be read at once. */
export async function readDocument(
  index: DocumentIndex,
  reading: Reading,
  { name, from }: { readonly name: string; readonly from: number },
): Promise<DocumentAnswer> {
  const document = (await index.listFor(reading.readers)).find((one) => one.name === name);
  if (!document) return { ok: false, isOwn: false, problem: SAID.unknown };
  const own = isOwn(reading, [document]);
  if (document.problem !== null)
    return { ok: false, isOwn: own, problem: SAID.unreadable(name, document.problem) };
  if (from > document.passages) return { ok: false, isOwn: own, problem: SAID.onlySo(document.passages) };
  const passages = takePage(await index.read(document.id, from, MOST_READ_PASSAGES));
  const to = from + passages.length - 1;
  const text = passages.map(withHeading).join('\n\n');
  const places = new Map(passages.map((passage) => [placeName({ ...document, ...passage }), passage]));
  return {
    ok: true,
    isOwn: own,
    text: `${SAID.read({ name, from, to, all: document.passages })}\n\n${text}`,
    data: {
      ...describe(document),
      text,
      from,
      to,
      next: to < document.passages ? to + 1 : null,
      sources: [...places.values()].map((passage) => toSource(document, passage)),
    },
  };
}

/** Whether an answer that has something of these is the asker's alone. */
function isOwn({ place }: Reading, documents: readonly DocumentRecord[]): boolean {
  return place.kind !== 'channel' && documents.some(({ readers }) => !readers.includes(EVERYBODY));
}

function notHere({ place }: Reading): readonly string[] {
  return place.kind === 'channel' ? [SAID.notHere] : [];
}

function quote(name: string, place: string, text: string): string {
  return `${name}, ${place}:\n${text}`;
}

/** As many passages as may be read at once, but at least one. */
function takePage(passages: readonly PassageRecord[]): readonly PassageRecord[] {
  let tokens = 0;
  const end = passages.findIndex(({ text }) => {
    tokens += estimateTokens(text);
    return tokens > MOST_READ_TOKENS;
  });
  return end === -1 ? passages : passages.slice(0, Math.max(end, 1));
}

function withHeading(
  { section, text }: PassageRecord,
  index: number,
  passages: readonly PassageRecord[],
): string {
  const isNew = section !== '' && section !== passages[index - 1]?.section && section !== text;
  return isNew ? `${section}\n${text}` : text;
}

function describe({ name, title, kind, pages, passages }: DocumentRecord): JsonObject {
  return { name, title, kind, pages, passages };
}

function toShown({ place, page, section, text }: FoundPassage): JsonObject {
  return { place, page, section, text };
}

/** Where it stands, as answers cite it. */
function toSource({ name, kind }: DocumentRecord, passage: PassageRecord): JsonObject {
  return { source: name, place: placeName({ ...passage, kind }) };
}
