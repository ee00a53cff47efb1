import { createHash } from 'node:crypto';
import type { JsonObject } from '../lib/json.ts';
import type { DocumentRecord } from '../storage/documents/index.ts';

/** The largest file that is read, in bytes. */
export const MOST_BYTES = 50 * 1024 * 1024;

/** What a document is made of, in the order of its text. */
export type Block =
  | { readonly kind: 'heading'; readonly level: number; readonly text: string; readonly page: number | null }
  | { readonly kind: 'text'; readonly text: string; readonly page: number | null }
  /** `header` is empty where the table has none. */
  | {
      readonly kind: 'table';
      readonly header: readonly string[];
      readonly rows: readonly (readonly string[])[];
      readonly page: number | null;
    };

/** The kinds of files that are read, by the ends of their names. */
export const DOCUMENT_KINDS = {
  '.md': 'markdown',
  '.markdown': 'markdown',
  '.txt': 'text',
  '.html': 'html',
  '.htm': 'html',
  '.csv': 'csv',
  '.pdf': 'pdf',
  '.docx': 'docx',
  '.xlsx': 'xlsx',
  '.pptx': 'pptx',
} as const;
export type DocumentKind = (typeof DOCUMENT_KINDS)[keyof typeof DOCUMENT_KINDS];

/** A file as it was read. */
export interface ParsedDocument {
  readonly title: string | null;
  /** Pages of a PDF, slides of a presentation, sheets of a workbook; null for all others. */
  readonly pages: number | null;
  readonly blocks: readonly Block[];
}

/** Why a file can't be read. */
export type ParseProblem =
  /** It isn't what its name says, or is cut off. */
  | 'broken'
  | 'encrypted'
  /** Nothing in it can be read, as in a scan, in pictures, or in a page that is made by scripts. */
  | 'no_text'
  | 'too_large'
  /** It unpacks to more than may be, or takes more memory than it may. */
  | 'too_much'
  | 'too_many_pages'
  | 'too_slow';

export type ParseResult =
  | { readonly ok: true; readonly document: ParsedDocument }
  | { readonly ok: false; readonly problem: ParseProblem };

export interface ParseOptions {
  readonly signal?: AbortSignal;
  /** Called as pages are read: how many, and of how many. */
  readonly onProgress?: (done: number, all: number) => void;
}

/** Reads a file's content, in a process of its own. Never rejects for what is in the file. */
export type ParseFile = (content: Buffer, kind: DocumentKind, options?: ParseOptions) => Promise<ParseResult>;

/** The reader that everybody in the workspace is. */
export const EVERYBODY = 'workspace';

/** The reader that one person is, by their id. */
export function personReader(actorId: string): string {
  return `person:${actorId}`;
}

/** The readers that the people of a channel are, by its id. */
export function channelReader(channelId: string): string {
  return `channel:${channelId}`;
}

/** The id of a document that was given, by where it's from and what it is there. */
export function givenId(origin: string, key: string): string {
  return digest([origin, key]);
}

/** SHA-256, in hexadecimal. */
export function hashContent(content: Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}

/** A short name for what is alike in all that it's made of. */
export function digest(about: object): string {
  return createHash('sha256').update(JSON.stringify(about)).digest('hex').slice(0, 32);
}

/** A document that somebody brings. */
export interface Gift extends Pick<DocumentRecord, 'origin' | 'name' | 'owner' | 'readers' | 'link'> {
  /** What it is to its origin: another version of the same document has the same. */
  readonly key: string;
  readonly content: Buffer;
  /** When it was brought, in milliseconds since the epoch: of several versions, the last one stays. Null: now, so it's the last. */
  readonly at: number | null;
}

/** A limit that is reached: of whoever gives, or of all together. */
export type FullLimit = 'own_documents' | 'own_bytes' | 'all_documents' | 'all_bytes';

/**
 * `same`: it's known as it is, and nothing was changed; `kept`: it is being learned; `older`: nothing was changed, as another
 * version was brought later; `unknown_kind`: nobody can read it; or the limit that it would go over.
 */
export type Giving = 'same' | 'kept' | 'older' | 'unknown_kind' | FullLimit;

/** What may still be given: a file of so many bytes, or nothing where that is below 1. `limit` is why it may be no larger. */
export interface Room {
  readonly bytes: number;
  readonly limit: FullLimit;
}

/** What is known of a document that was learned, or is about to be. */
export interface KnownDocument
  extends Pick<DocumentRecord, 'id' | 'origin' | 'name' | 'kind' | 'readers' | 'link'> {
  /** `waiting`: what was given last isn't learned yet; what was learned of the version before is found until then. */
  readonly state: 'waiting' | 'learned' | 'problem';
  /** Why nothing of it can be found; null where it can, or isn't known yet. */
  readonly problem: { readonly code: string; readonly message: string } | null;
  /** What was learned of it last; null where nothing was. */
  readonly learned: Pick<DocumentRecord, 'title' | 'description' | 'pages' | 'passages' | 'learnedAt'> | null;
}

/** Documents that programs and people bring, and take away again. */
export interface GivenDocuments {
  /** Keeps a document, and begins to learn it; resolves once it's kept. It takes the place of what has its key. */
  give(gift: Gift): Promise<Giving>;
  /** What somebody may still give, as a document with this id: it may take the place of one. */
  findRoom(owner: string, id: string): Promise<Room>;
  /** Deletes what was given by this key, with all that was learned of it; false where there is none. */
  forget(origin: string, key: string): Promise<boolean>;
  /** How many pages of one that was learned have no text, as in a scan; 0 unless it's most of them. */
  countEmptyPages(document: DocumentRecord): Promise<number>;
  /** All of an origin, and those that everybody may read, by name and id. */
  known(origin: string): Promise<readonly KnownDocument[]>;
  /** As {@link GivenDocuments.forget}, by its id. With a `hash`, only what is of this content: a version that was given since stays. */
  forgetById(id: string, hash?: string): Promise<boolean>;
}

/** Hears what became of a document that was given, at least once: its giver counts as told once the promise resolves. */
export type LearnedListener = (document: DocumentRecord) => Promise<void>;

/** Who asks for documents, and where the answer will be read. */
export interface Asker {
  /** Null for whoever has no account. */
  readonly personId: string | null;
  /** Null where no conversation is known. */
  readonly threadId: string | null;
}

/** Where an answer is read: by the asker alone, by the people of a channel, or wherever the program shows it that asked. */
type Place =
  | { readonly kind: 'alone' }
  | { readonly kind: 'channel'; readonly id: string }
  | { readonly kind: 'program' };

/** What an account is to the workspace: one of its people, one of other organisations', or none that may read anything. */
export type Membership = 'inside' | 'outside' | 'none';

/** Who is where. All but the place is looked up when it's asked, and rejects where it can't be known now. */
export interface Whereabouts {
  findPlace(asker: Asker): Place;
  findMembership(personId: string): Promise<Membership>;
  /** Whether people of other organisations are in a channel. */
  hasOutsiders(channelId: string): Promise<boolean>;
  /** The channels that somebody is in; `isCut`: there are more. */
  listChannels(personId: string): Promise<{ readonly ids: readonly string[]; readonly isCut: boolean }>;
}

/** What may stand in one answer. */
export interface Reading {
  readonly place: Place;
  /** Documents that one of these may read. */
  readonly readers: readonly string[];
  /** What the answer says of documents that aren't searched, as sentences. They depend on who asks where, and on no document. */
  readonly notes: readonly string[];
}

/** What may stand in an answer to somebody, decided anew with each question. Never rejects: what isn't certain is left out. */
export type FindReaders = (asker: Asker) => Promise<Reading>;

/**
 * What is answered: a sentence, and all that belongs to it as data. `problem`: nothing was done, and why. `isOwn`: it has
 * something of a document that is not for everybody, and isn't read by a channel.
 */
export type DocumentAnswer = (
  | { readonly ok: true; readonly text: string; readonly data: JsonObject }
  | { readonly ok: false; readonly problem: string }
) & { readonly isOwn: boolean };

/** Makes vectors of texts. */
export interface Embeddings {
  /** What vectors are kept by: those of another name aren't compared. */
  readonly model: string;
  /** How much the order by vectors weighs at most, where the one by words weighs 1. */
  readonly weight: number;
  /**
   * The vectors of texts, in their order, of length 1; null for a text that the model doesn't take. Rejects with an EmbeddingsError
   * where there are none now.
   */
  embed(texts: readonly string[], signal: AbortSignal): Promise<readonly (Float32Array | null)[]>;
}

/** Asks the chat model once, without tools or a conversation. Rejects where it has no answer. */
export type AskModel = (
  request: { readonly instructions: string; readonly text: string; readonly maxTokens: number },
  signal: AbortSignal,
) => Promise<string>;
