import { z } from 'zod';
import { actorSchema } from '../../gate/types.ts';
import type { ParseProblem } from '../../knowledge/ports.ts';
import { collection } from '../../storage/store.ts';

/** Those that aren't at their end. */
const OPEN: ReadonlySet<string> = new Set(['waiting', 'giving', 'learning']);

/** A file or a page that somebody brought, and what became of it. */
const broughtSchema = z.object({
  /** What it came with, whose message in Slack says what became of all that did; and its place there. */
  dropId: z.string(),
  place: z.number(),
  threadId: z.string(),
  /** Who brought it, and owns what is learned of it. */
  requester: actorSchema,
  /** The file in Slack, or the address on the web, that it is. */
  source: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('file'), fileId: z.string() }),
    z.object({ kind: z.literal('web'), url: z.string() }),
  ]),
  name: z.string(),
  /** Its one reader: a person, a channel or everybody. */
  reader: z.string(),
  /** What it is to those who learn: another version of the same has the same. */
  key: z.string(),
  documentId: z.string(),
  /** SHA-256 of its content, in hexadecimal; null before it's there. */
  hash: z.string().nullable(),
  /** When it was brought, in milliseconds since the epoch: of files of one name, the last one's content stays. */
  at: z.number(),
  /** When it's looked at next, while there's something to do; whoever gives it has it until then. */
  dueAt: z.number(),
  attempts: z.number(),
  /**
   * - `waiting`: to be fetched.
   * - `giving`: fetched, and perhaps given to those who learn.
   * - `learning`: given.
   * - `ready`: it can be found; `known`: as what was brought before, which has the same content.
   * - `unread`: nothing of it can be found, for `problem`.
   * - `replaced`: by a newer version.
   * - `forgetting`: deleted, here or in Slack, and perhaps not yet from what was learned; `forgotten`: from all of it.
   */
  state: z.enum([
    'waiting',
    'giving',
    'learning',
    'ready',
    'known',
    'unread',
    'replaced',
    'forgetting',
    'forgotten',
  ]),
  problem: z.string().nullable(),
  /** Whether another version was known before. */
  isNewVersion: z.boolean(),
  pages: z.number().nullable(),
  passages: z.number(),
  /** How many of the pages have no text, as in a scan; 0 unless it's most of them. */
  emptyPages: z.number().default(0),
  /** How many pages have been read, and of how many; null before that. */
  progress: z.object({ done: z.number(), all: z.number() }).nullable(),
});
export type Brought = z.infer<typeof broughtSchema>;

export function isOpen({ state }: Pick<Brought, 'state'>): boolean {
  return OPEN.has(state);
}

/** Whether there's something left to do with it. */
export function isUnfinished(file: Pick<Brought, 'state'>): boolean {
  return isOpen(file) || file.state === 'forgetting';
}

/** Whether it has been given, or is being given: its content may be there. */
export function isGiven({ state }: Pick<Brought, 'state'>): boolean {
  return state === 'giving' || state === 'learning';
}

/** Whether what a file says can be found now. */
export function isFound({ state }: Pick<Brought, 'state'>): boolean {
  return state === 'ready' || state === 'known';
}

/** Why a file can't be read that is kept all the same, as later rules may read it. */
const KEPT_PROBLEMS: ReadonlySet<string | null> = new Set<ParseProblem>([
  'broken',
  'encrypted',
  'no_text',
  'too_much',
  'too_many_pages',
  'too_slow',
]);

/** Whether anything of a file that has come to its end is kept, so that it can be forgotten. */
export function isKept(file: Pick<Brought, 'state' | 'hash' | 'problem'>): boolean {
  return isFound(file) || (file.state === 'unread' && file.hash !== null && KEPT_PROBLEMS.has(file.problem));
}

/** What was brought, by `dropId:place`. */
export const brought = collection({
  name: 'slack_brought_files',
  schema: broughtSchema,
  indexes: {
    byDrop: ({ dropId, place }) => [dropId, place],
    byDocument: ({ documentId, at }) => [documentId, at],
    byFile: ({ source, at }) => (source.kind === 'file' ? [source.fileId, at] : null),
    /** Where somebody's own are. */
    byOwner: (record) => (isFound(record) ? [record.requester.id, record.reader] : null),
    /** What a question in a thread waits for. */
    byThread: (record) => (isOpen(record) ? [record.threadId, record.at] : null),
    byOpen: (record) => (isUnfinished(record) ? [record.dueAt] : null),
  },
});

export function broughtId({ dropId, place }: Pick<Brought, 'dropId' | 'place'>): string {
  return `${dropId}:${place}`;
}
