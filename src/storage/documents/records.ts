import { z } from 'zod';

/** A document of which passages can be found. */
export const documentSchema = z.object({
  id: z.string(),
  /** Where it is from, as whoever learned it names that. */
  origin: z.string(),
  name: z.string(),
  kind: z.string(),
  /** SHA-256 of its content, in hexadecimal. */
  hash: z.string(),
  /** What told this version from others without its content, such as size and time. */
  version: z.string(),
  title: z.string().nullable(),
  pages: z.number().nullable(),
  passages: z.number(),
  /** Why nothing of it can be found; null where it can. */
  problem: z.string().nullable(),
  /** When it was learned, in milliseconds since the epoch. */
  learnedAt: z.number(),
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
/** A passage that has some of the words; `score` is higher the better it fits. */
export type FoundPassage = z.infer<typeof foundSchema>;

/** Documents and their passages, which are found by words. Its operations reject with a StoreError where they fail. */
export interface DocumentIndex {
  get(id: string): Promise<DocumentRecord | null>;
  /** Those of an origin, by their names; without one, all. */
  list(origin?: string): Promise<readonly DocumentRecord[]>;
  /** Puts a document with its passages in the place of what is there by its id, at once or not at all. */
  put(document: DocumentRecord, passages: readonly PassageText[]): Promise<void>;
  remove(id: string): Promise<void>;
  /** The passages with the most telling words of these, the best first. Words are of letters and digits alone. */
  find(words: readonly string[], limit: number): Promise<readonly FoundPassage[]>;
  /** A document's passages from a place on. */
  read(id: string, from: number, limit: number): Promise<readonly PassageRecord[]>;
  close(): Promise<void>;
}
