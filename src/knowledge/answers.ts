import type { JsonObject } from '../lib/json.ts';
import { estimateTokens } from '../lib/text/estimate-tokens.ts';
import type {
  DocumentIndex,
  DocumentRecord,
  FoundPassage,
  PassageRecord,
} from '../storage/documents/index.ts';
import type { Embedder } from './embeddings/embedder.ts';
import { type DocumentAnswer, EVERYBODY, type Reading } from './ports.ts';
import type { createSearch, Question, SearchResult } from './search/search.ts';
import { findSection } from './search/sections.ts';
import { placeName, problemWords, SAID } from './texts.ts';

/** The most documents that are listed, and the most tokens that are read at once, by our estimate. */
const MOST_LISTED = 500;
const MOST_READ_TOKENS = 4_000;
/** Everything that may be read as the end of a line. */
const LINE_END = /\r\n|[\n\r\v\f\u0085\u2028\u2029]/;
/** More than one reading can have. */
const MOST_READ_PASSAGES = 500;

/** The documents that can be searched, by name, and those that can't be, with the reason. */
export async function listDocuments(
  index: DocumentIndex,
  reading: Reading,
  embedder: Pick<Embedder, 'count'> | null = null,
): Promise<DocumentAnswer> {
  const { readers } = reading;
  const all = await index.listFor(readers);
  const vectors = (await embedder?.count(readers)) ?? null;
  const readable = all.filter(({ problem }) => problem === null);
  const others = all.filter(({ problem }) => problem !== null);
  const cut = readable.length > MOST_LISTED ? [SAID.cut(MOST_LISTED)] : [];
  return {
    ok: true,
    isOwn: isOwn(reading, all),
    text: [
      SAID.listed(readable.length, others.length),
      ...cut,
      ...(vectors !== null && vectors.have < vectors.all ? [SAID.vectors(vectors)] : []),
      ...notHere(reading),
    ].join(' '),
    data: {
      documents: readable.slice(0, MOST_LISTED).map(describe),
      not_searched: others
        .slice(0, MOST_LISTED)
        .map(({ name, problem }) => ({ name, why: problemWords(problem) })),
    },
  };
}

/** The passages that fit a question best, each numbered and with where it stands. */
export async function searchDocuments(
  index: DocumentIndex,
  search: ReturnType<typeof createSearch>,
  reading: Reading,
  question: Question,
): Promise<DocumentAnswer> {
  const { readers } = reading;
  const result = await search(question, readers);
  const { confidence, vectors } = result;
  const found = await Promise.all(
    result.found.map(async (one) => ({ ...one, span: await findSection(index, one.passage) })),
  );
  return {
    ok: true,
    isOwn: isOwn(
      reading,
      found.map(({ document }) => document),
    ),
    text:
      found.length === 0
        ? [...notes(result), await saidOfNothing(index, readers, result), ...notHere(reading)].join(' ')
        : [
            [
              ...notes(result),
              confidence === 'low' ? SAID.weak(found.length) : SAID.found(found.length),
            ].join(' '),
            ...found.map(({ document, passage, span }, at) =>
              [
                SAID.source(at + 1, { ...document, ...passage }),
                quote(passage.text),
                ...(span.from < span.to ? [SAID.section({ ...passage, ...span })] : []),
              ].join('\n'),
            ),
          ].join('\n\n'),
    data: {
      passages: found.map(({ document, passage, span }, at) => ({
        number: at + 1,
        name: document.name,
        ...toShown(passage),
        section_from: span.from,
        section_to: span.to,
        link: document.link,
        score: Math.round(passage.score * 10_000) / 10_000,
      })),
      sources: found.map(({ document, passage }) => toSource(document, passage)),
      confidence,
      searched_by: vectors === 'compared' ? 'words_and_vectors' : 'words',
    },
  };
}

/** What whoever asked should know of how passages were found. */
function notes({ vectors, isWidened }: SearchResult): readonly string[] {
  return [...(isWidened ? [SAID.widened] : []), ...(vectors === 'unreachable' ? [SAID.wordsAlone] : [])];
}

async function saidOfNothing(
  index: DocumentIndex,
  readers: readonly string[],
  { vectors }: SearchResult,
): Promise<string> {
  if ((await index.listFor(readers)).length === 0) return SAID.noDocuments;
  return vectors === 'compared' ? SAID.nothingLike : SAID.nothingFound;
}

/**
 * The text of a document from a passage on, as much as may be read at once.
 * `which` says which one of those of this name, from 1.
 */
export async function readDocument(
  index: DocumentIndex,
  reading: Reading,
  { name, from, which }: { readonly name: string; readonly from: number; readonly which: number },
): Promise<DocumentAnswer> {
  const named = (await index.listFor(reading.readers)).filter((one) => one.name === name);
  const document = named[which - 1];
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
    text: [
      ...(named.length > 1 ? [SAID.which({ name, which, all: named.length })] : []),
      `${SAID.read({ name, from, to, all: document.passages })}\n\n${quote(text)}`,
    ].join(' '),
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

/** Each of its lines begins with a sign, so that none looks like one of ours. */
function quote(text: string): string {
  return text
    .split(LINE_END)
    .map((line) => `> ${line}`)
    .join('\n');
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

function describe({
  name,
  title,
  description,
  kind,
  pages,
  passages,
  changedAt,
}: DocumentRecord): JsonObject {
  const changed = changedAt === null ? null : new Date(changedAt).toISOString();
  return { name, title, description, kind, pages, passages, changed };
}

function toShown({ place, page, section, text }: FoundPassage): JsonObject {
  return { place, page, section, text };
}

/** Where it stands, as answers cite it. */
function toSource({ name, kind, link }: DocumentRecord, passage: PassageRecord): JsonObject {
  return { source: name, place: placeName({ ...passage, kind }), ...(link !== null && { url: link }) };
}
