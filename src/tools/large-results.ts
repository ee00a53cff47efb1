import { z } from 'zod';
import { type CallRecord, type Content, type Kept, type Outcome, repeatsStructured } from '../gate/types.ts';
import { sha256Hex } from '../lib/canonical-json.ts';
import type { Clock } from '../lib/clock.ts';
import type { JsonObject } from '../lib/json.ts';
import { collection, put, type Ref, ref, type Store } from '../storage/store.ts';
import { outlineText } from './result-outline.ts';
import { piecesLeftOut, REST_NOT_STORED } from './texts.ts';

/** Longest text of one answer that stays in the call's record, in characters: about 4,000 tokens. */
const MOST_TEXT = 16_000;
/** How much of a longer text stays in the record, in characters. */
const HEAD = 4_000;
/** Largest answer that is stored at all, in characters of text or base64. */
const MOST_KEPT = 50_000_000;
/** Most links and files of one answer that the record holds. */
const MOST_PIECES = 100;
/** Longest link, in characters. */
const LONGEST_ADDRESS = 4_000;
const LONGEST_NAME = 500;
/**
 * Longest MIME type, in characters. RFC 6838 allows two names of 127; parameters hardly ever need as much
 * again.
 */
const LONGEST_MIME_TYPE = 500;
const LONGEST_MESSAGE = 2_000;
/**
 * Size of one stored chunk, in characters. A reader fetches a few of them; a commit writes {@link AT_ONCE}.
 */
const CHUNK = 64_000;
const AT_ONCE = 16;
const DELETED_AT_ONCE = 200;

/** The form of the names that `keep` returns. */
const NAME = /^[0-9a-f]{12}$/;

/** One chunk of a large result. The id is `{thread}:{name}:{index}`. */
const keptChunks = collection({
  name: 'kept_results',
  schema: z.object({ at: z.number(), chunk: z.string() }),
  indexes: { byTime: (kept) => [kept.at] },
});

export interface KeptResults {
  /**
   * The outcome with its large parts replaced by references. The parts are durable before this resolves, so a
   * record never refers to something that isn't there.
   */
  keep(call: CallRecord, outcome: Outcome): Promise<Outcome>;
  /** Characters `from` to `from + length` of a stored text; null if the thread has nothing of this name. */
  text(threadId: string, kept: Pick<Kept, 'name'>, from: number, length: number): Promise<string | null>;
  /** All bytes of a stored file; null if it has been deleted. */
  bytes(threadId: string, kept: Kept): Promise<Buffer | null>;
  /** Deletes what is stored of the results of these calls. */
  forgetCalls(calls: readonly CallRecord[]): Promise<void>;
  /** Deletes at most `limit` chunks that were stored before `before`. Returns how many. */
  forget(before: number, limit: number): Promise<number>;
}

export function createKeptResults({ store, clock }: { store: Store; clock: Clock }): KeptResults {
  async function write(threadId: string, name: string, whole: string): Promise<void> {
    const at = clock();
    const chunks = Array.from({ length: Math.ceil(whole.length / CHUNK) }, (_, index) =>
      put(keptChunks, keptResultId(threadId, name, index), {
        at,
        chunk: whole.slice(index * CHUNK, (index + 1) * CHUNK),
      }),
    );
    for (let from = 0; from < chunks.length; from += AT_ONCE) {
      await store.commit({ put: chunks.slice(from, from + AT_ONCE) });
    }
  }

  async function read(threadId: string, name: string, from: number, to: number): Promise<string | null> {
    const first = Math.floor(from / CHUNK);
    const count = Math.max(1, Math.ceil(to / CHUNK) - first);
    const ids = Array.from({ length: count }, (_, index) => keptResultId(threadId, name, first + index));
    const found = await store.getMany(keptChunks, ids);
    if (!found[0]) return null;
    const text = found.map((it) => it?.value.chunk ?? '').join('');
    return text.slice(from - first * CHUNK, to - first * CHUNK);
  }

  return {
    async keep(call, outcome) {
      if (outcome.status === 'in_doubt') return outcome;
      const keepOne = async (part: number, whole: string): Promise<string | null> => {
        const name = sha256Hex(JSON.stringify([call.threadId, call.callId, call.attempt, part])).slice(0, 12);
        try {
          await write(call.threadId, name, whole);
          return name;
        } catch {
          // The call's outcome must still be recorded. The record says which part of the answer is lost.
          return null;
        }
      };
      const content = joined(
        fewer(outcome.content),
        outcome.status === 'succeeded' ? outcome.structured : null,
      );
      const kept = await Promise.all(
        content.map((piece, part) => storeLarge(piece, (it) => keepOne(part, it))),
      );
      if (outcome.status === 'failed')
        return { ...outcome, message: shortened(outcome.message), content: kept };
      const isWhole = content.every((piece) => piece.type !== 'text' || piece.text.length <= MOST_TEXT);
      const serialized = JSON.stringify(outcome.structured);
      if (isWhole || serialized.length <= HEAD) return { ...outcome, content: kept };
      const moved = { ...outcome, content: kept, structured: null };
      // Our own agents read the text, which says it too. A program's client expects what the tool has declared.
      if (!call.program || serialized.length > MOST_KEPT) return moved;
      const name = await keepOne(content.length, serialized);
      return name === null ? moved : { ...moved, structuredKept: { name, size: serialized.length } };
    },
    // Names come from the model. One that contained a thread's id would read another thread's result.
    text: async (threadId, { name }, from, length) =>
      NAME.test(name) ? read(threadId, name, from, from + length) : null,
    async bytes(threadId, { name, size }) {
      const base64 = await read(threadId, name, 0, Math.ceil(size / 3) * 4);
      return base64 === null ? null : Buffer.from(base64, 'base64');
    },
    async forgetCalls(calls) {
      const refs = calls.flatMap(chunkRefs);
      for (let from = 0; from < refs.length; from += DELETED_AT_ONCE) {
        await store.commit({ delete: refs.slice(from, from + DELETED_AT_ONCE) });
      }
    },
    async forget(before, limit) {
      const { items } = await store.query(keptChunks, 'byTime', { before: [before] }, limit);
      if (items.length > 0) await store.commit({ delete: items.map(({ id }) => ref(keptChunks, id)) });
      return items.length;
    },
  };
}

/** The chunks of what a call's record refers to. */
function chunkRefs({ threadId, outcome }: CallRecord): Ref[] {
  if (outcome === null || outcome.status === 'in_doubt') return [];
  const refs = ({ name }: Kept, length: number) =>
    Array.from({ length: Math.ceil(length / CHUNK) }, (_, index) =>
      ref(keptChunks, keptResultId(threadId, name, index)),
    );
  const structured = outcome.status === 'succeeded' ? outcome.structuredKept : undefined;
  const ofContent = outcome.content.flatMap((piece) => {
    if (!('kept' in piece) || piece.kept === undefined) return [];
    const { size } = piece.kept;
    // A text's size is in characters, a file's in bytes, of which base64 makes four characters for three.
    return refs(piece.kept, piece.type === 'text' ? size : Math.ceil(size / 3) * 4);
  });
  return [...ofContent, ...(structured ? refs(structured, structured.size) : [])];
}

/**
 * The pieces that fit into a record: at most {@link MOST_PIECES}, none with a link that is too long. A note
 * counts those left out.
 */
function fewer(content: readonly Content[]): readonly Content[] {
  const usable = content.filter((piece) => !('uri' in piece) || piece.uri.length <= LONGEST_ADDRESS);
  const texts = usable.filter((piece) => readText(piece) !== null);
  const others = usable.filter((piece) => readText(piece) === null);
  const left = content.length - texts.length - Math.min(others.length, MOST_PIECES);
  if (left === 0) return content;
  const note: Content = { type: 'text', text: piecesLeftOut(left) };
  return [...texts, ...others.slice(0, MOST_PIECES), note];
}

/** The error, short enough for a card. The rest is in the content. */
function shortened(message: string): string {
  return message.length <= LONGEST_MESSAGE ? message : `${message.slice(0, LONGEST_MESSAGE)}…`;
}

/** The pieces of an answer, with all text joined into one piece if together it's too long for the record. */
function joined(content: readonly Content[], structured: JsonObject | null): readonly Content[] {
  const serialized = structured === null ? '' : JSON.stringify(structured);
  const texts = content.flatMap((piece) => readText(piece) ?? []);
  if (structured !== null && !repeatsStructured(texts, structured)) texts.push(serialized);
  const text = texts.join('\n');
  if (text.length <= MOST_TEXT && serialized.length <= MOST_TEXT) return content;
  return [{ type: 'text', text }, ...content.filter((piece) => readText(piece) === null)];
}

function readText(piece: Content): string | null {
  if (piece.type === 'text') return piece.text;
  return piece.type === 'resource' ? (piece.text ?? null) : null;
}

type Keep = (whole: string) => Promise<string | null>;

/** The piece as the record holds it. `keep` stores what is taken out and returns its name. */
async function storeLarge(piece: Content, keep: Keep): Promise<Content> {
  switch (piece.type) {
    case 'text': {
      if (piece.text.length <= MOST_TEXT) return piece;
      const whole = piece.text.slice(0, MOST_KEPT);
      const head = whole.slice(0, HEAD);
      const name = await keep(whole);
      if (name === null) return { type: 'text', text: `${head}\n${REST_NOT_STORED}` };
      return {
        type: 'text',
        text: head,
        kept: { name, size: whole.length, outline: outlineText(piece.text) },
      };
    }
    case 'image':
    case 'audio':
      return { ...named(piece), data: '', ...(await keptBytes(piece.data, keep)) };
    case 'resource': {
      const { blob, ...rest } = piece;
      return { ...named(rest), ...(await keptBytes(blob ?? '', keep)) };
    }
    case 'resource_link':
      return named({ ...piece, name: clipped(piece.name, LONGEST_NAME) });
  }
}

/** Shortens title and MIME type to their limits. */
function named<T extends { title?: string | undefined; mimeType?: string | undefined }>(piece: T): T {
  const { title, mimeType } = piece;
  return {
    ...piece,
    ...(title !== undefined && { title: clipped(title, LONGEST_NAME) }),
    ...(mimeType !== undefined && { mimeType: clipped(mimeType, LONGEST_MIME_TYPE) }),
  };
}

function clipped(text: string, longest: number): string {
  return text.length <= longest ? text : text.slice(0, longest).toWellFormed();
}

async function keptBytes(base64: string, keep: Keep): Promise<{ kept?: Kept }> {
  if (base64 === '' || base64.length > MOST_KEPT) return {};
  const name = await keep(base64);
  return name === null ? {} : { kept: { name, size: Buffer.byteLength(base64, 'base64') } };
}

function keptResultId(threadId: string, name: string, index: number): string {
  return `${threadId}:${name}:${index}`;
}
