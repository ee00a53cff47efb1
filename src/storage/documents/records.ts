import { z } from 'zod';

/** How much a word weighs in the document's name and title, in headings, and in the text. */
export const WORD_WEIGHTS = { document: 1.5, section: 2, text: 1 } as const;

/** What was learned by other rules is learned again, of folders and of the contents that are kept. */
export const RULES = 4;

/** A document of which passages can be found. */
export const documentSchema = z.object({
  id: z.string(),
  /** Where it is from, as whoever learned it names that. */
  origin: z.string(),
  name: z.string(),
  kind: z.string(),
  /** Who brought it, by their id; null for what the operator configured. */
  owner: z.string().nullable(),
  /** Who may read it, as names of people, channels and everybody that whoever learned it gives them. */
  readers: z.array(z.string()),
  /** Where people find it; null where nobody can say. */
  link: z.string().nullable(),
  /** SHA-256 of its content, in hexadecimal. */
  hash: z.string(),
  /** What told this version from others without its content, such as size and time. */
  version: z.string(),
  title: z.string().nullable(),
  /** What it's about, in a sentence or two of the model's; null where it has none yet. */
  description: z.string().nullable(),
  pages: z.number().nullable(),
  passages: z.number(),
  /** Why nothing of it can be found; null where it can. */
  problem: z.string().nullable(),
  /** When it was learned, in milliseconds since the epoch. */
  learnedAt: z.number(),
  /** When what stands in it was changed last, as far as its origin knows, in milliseconds since the epoch. */
  changedAt: z.number().nullable(),
});
export type DocumentRecord = z.infer<typeof documentSchema>;

export const passageSchema = z.object({
  /** Its place in the document, from 1. */
  place: z.number(),
  page: z.number().nullable(),
  section: z.string(),
  text: z.string(),
});
export type PassageRecord = z.infer<typeof passageSchema>;
/** A passage before it has its place. */
export type PassageText = Omit<PassageRecord, 'place'>;

export const foundSchema = passageSchema.extend({ documentId: z.string(), score: z.number() });
/** A passage that has some of the words, or is near; `score` is higher the better it fits. */
export type FoundPassage = z.infer<typeof foundSchema>;

const filterSchema = z.object({
  kinds: z.array(z.string()).optional(),
  /** Ids of documents. */
  documents: z.array(z.string()).optional(),
  /** Changed then or later, in milliseconds since the epoch; one of which that isn't known isn't found. */
  since: z.number().optional(),
});
/** Which documents are looked through: all of which each that is given holds. */
export type DocumentFilter = z.infer<typeof filterSchema>;

export const findOptionsSchema = z.object({
  readers: z.array(z.string()),
  limit: z.number(),
  only: filterSchema.optional(),
});
/** Only what one of `readers` may read is found. */
export interface FindOptions {
  readonly readers: readonly string[];
  readonly limit: number;
  /** @default all of them */
  readonly only?: DocumentFilter | undefined;
}

export const nearSchema = z.object({
  passages: z.array(foundSchema),
  compared: z.number(),
  mean: z.number(),
  deviation: z.number(),
});
/** The nearest passages, by their cosine as `score`, and how far all that were compared are: the mean, and its deviation. */
export type NearPassages = z.infer<typeof nearSchema>;

export const bareSchema = z.object({ id: z.number(), hash: z.string(), text: z.string() });
/** A passage that has no vector yet; `text` has its heading, and `hash` stands for that. */
export type BarePassage = z.infer<typeof bareSchema>;

export const vectorSchema = z.object({ hash: z.string(), vector: z.instanceof(Float32Array).nullable() });
/** The vector of a text, of length 1; null where its model takes no such text. */
export interface TextVector {
  readonly hash: string;
  readonly vector: Float32Array | null;
}

export const vectorCountSchema = z.object({ have: z.number(), all: z.number() });

/** A document that was brought here, whose content is kept so that it can be learned, and learned anew. */
export const givenSchema = documentSchema
  .pick({
    id: true,
    origin: true,
    name: true,
    kind: true,
    owner: true,
    readers: true,
    link: true,
    hash: true,
    version: true,
  })
  .extend({ changedAt: z.number().nullable().default(null) });
export type GivenDocument = z.infer<typeof givenSchema>;

/** What is kept where `one` is given and `before` is kept; null: that was given later. The same content stays as new as it is. */
export function toKept(one: GivenDocument, before: GivenDocument | null): GivenDocument | null {
  const [at, keptAt] = [one.changedAt ?? 0, before?.changedAt ?? 0];
  if (keptAt <= at) return one;
  return before?.hash === one.hash ? { ...one, changedAt: keptAt } : null;
}

export const waitingSchema = z.object({ given: givenSchema, isTold: z.boolean() });
/** One that isn't learned as it was given, or whose giver hasn't been told (`isTold`) what became of it. */
export type WaitingDocument = z.infer<typeof waitingSchema>;

export const keptSchema = z.object({
  id: z.string(),
  owner: z.string().nullable(),
  hash: z.string(),
  bytes: z.number(),
  /** Whether nothing of it can be found, as it can't be read. */
  isUnread: z.boolean(),
});
/** A content that is kept: whose it is, its hash, how many bytes it has, and whether it's of use. */
export type KeptContent = z.infer<typeof keptSchema>;

/** Documents and their passages, which are found by words. Its operations reject with a StoreError where they fail. */
export interface DocumentIndex {
  get(id: string): Promise<DocumentRecord | null>;
  /** Those of an origin, by their names; without one, all. */
  list(origin?: string): Promise<readonly DocumentRecord[]>;
  /** Those that one of these readers may read, or that are shared with one, by their names. */
  listFor(readers: readonly string[]): Promise<readonly DocumentRecord[]>;
  /** Puts a document with its passages in the place of what is there by its id, at once or not at all. */
  put(document: DocumentRecord, passages: readonly PassageText[]): Promise<void>;
  /**
   * As {@link DocumentIndex.put}, of one that was given: only while this version of it is kept, since it may have been forgotten
   * while it was read. Resolves with whether it was put.
   */
  putGiven(document: DocumentRecord, passages: readonly PassageText[]): Promise<boolean>;
  /** Puts these readers in the place of those of all documents of an origin. */
  admit(origin: string, readers: readonly string[]): Promise<void>;
  /** Lets a reader read a document besides its own, until that is ended or the document removed; a new version keeps it. */
  share(id: string, reader: string): Promise<void>;
  unshare(id: string, reader: string): Promise<void>;
  /**
   * Removes a document with its passages, and its content if that was given. With a `hash`, only what is of this content: what
   * was given since stays.
   */
  remove(id: string, hash?: string): Promise<void>;
  /**
   * The passages with the most telling words of these, the best first, of documents that one of these readers may read.
   * Words are of letters and digits alone.
   */
  find(words: readonly string[], options: FindOptions): Promise<readonly FoundPassage[]>;
  /** The passages whose vectors are nearest to one of length 1, of the same model. */
  findNear(vector: Float32Array, options: FindOptions & { readonly model: string }): Promise<NearPassages>;
  /** Passages that have no vector of a model, with ids after this one, in the order of their ids. */
  withoutVector(model: string, after: number, limit: number): Promise<readonly BarePassage[]>;
  /** Keeps vectors of texts, as long as a passage has the text. */
  putVectors(model: string, vectors: readonly TextVector[]): Promise<void>;
  /** Deletes the vectors of all other models. */
  keepOnlyVectors(model: string): Promise<void>;
  /** How many of the passages that these readers may read have a vector of a model. */
  countVectors(model: string, readers: readonly string[]): Promise<z.infer<typeof vectorCountSchema>>;
  /** Says what a document is about, unless its content is no longer what this hash stands for. */
  describe(id: string, hash: string, description: string): Promise<void>;
  /** A document's passages from a place on. */
  read(id: string, from: number, limit: number): Promise<readonly PassageRecord[]>;
  /**
   * Keeps a document's content until it is removed, in the place of what is kept by its id. Resolves with false where that is
   * other content that was given later, by `changedAt`: then nothing is changed.
   */
  keep(given: GivenDocument, content: Uint8Array): Promise<boolean>;
  /** What is kept of a document; null where nothing is. */
  given(id: string): Promise<GivenDocument | null>;
  /** What was given and isn't learned, or told, oldest first. */
  waiting(): Promise<readonly WaitingDocument[]>;
  /** The content of this version; null where it has gone, or another one has taken its place. */
  content(id: string, version: string): Promise<Uint8Array | null>;
  /** All contents that are kept. */
  kept(): Promise<readonly KeptContent[]>;
  /** Notes that whoever gave this version knows what became of it. */
  told(id: string, version: string): Promise<void>;
  /** Removes what others left who were interrupted as they removed or kept something. */
  tidy(): Promise<void>;
  /**
   * Overwrites on the disk what was removed before, which is otherwise not found any more but may stand there. All of the index
   * is written anew for it, and a search of another process that goes on at this moment may fail.
   */
  erase(): Promise<void>;
  close(): Promise<void>;
}
