/** What somebody says of themselves, and how they like answers. Keys: see {@link MEMORY_KEYS}. */
export type MemoryKind = 'critical_fact' | 'preference';

/** What facts and preferences may be about; what fits none of them is `other`. */
export const MEMORY_KEYS = {
  critical_fact: ['user_name', 'company_name', 'job_title', 'recent_projects', 'other'],
  preference: ['tone', 'detail_level', 'language', 'other'],
} as const;
export type MemoryKey = (typeof MEMORY_KEYS)[MemoryKind][number];

/** The longest text of an item, in characters. */
export const LONGEST_TEXT = 200;

/** One thing that is remembered of a person. */
export interface MemoryItem {
  readonly id: string;
  readonly kind: MemoryKind;
  readonly key: MemoryKey;
  /** In a few words, on one line. */
  readonly text: string;
  /** When they said it, or changed it, in milliseconds since the epoch. */
  readonly learnedAt: number;
  /** The id of the channel where they said it; null for direct messages. */
  readonly place: string | null;
}

/** Whether anything is learned of a person, and told to the model: they can turn it off, and the operator for everybody. */
export type MemoryMode = 'on' | 'turned_off' | 'not_here';

/** The most that is remembered of a person; what was said first goes. */
export const MOST_ITEMS = 50;

/** What is remembered of a person. */
export interface PersonMemory {
  readonly mode: MemoryMode;
  /** Newest first. */
  readonly items: readonly MemoryItem[];
}

/** A message of a person that a run begins with. */
export interface Said {
  readonly personId: string;
  readonly threadId: string;
  /** The id of the channel; null for direct messages. */
  readonly place: string | null;
  /** The same where the message is worked on again. */
  readonly messageId: string;
  /** When it was received, in milliseconds since the epoch. */
  readonly at: number;
  /** What they wrote themselves, without what the program adds for the agent. */
  readonly text: string;
}

/** Asks a model for its answer in words. */
export type AskModel = (
  request: { readonly instructions: string; readonly text: string },
  signal: AbortSignal,
) => Promise<string>;

/** What was learned of somebody who hasn't been told yet that anything is remembered. */
export interface FirstLearned {
  readonly personId: string;
  /** The thread in which they said the latest of it. */
  readonly threadId: string;
  readonly items: readonly MemoryItem[];
}

/** Tells a person, nobody else, that something is remembered of them. Resolves with whether they were told. */
export type TellFirst = (learned: FirstLearned) => Promise<boolean>;
