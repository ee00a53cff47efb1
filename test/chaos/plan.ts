import { type FaultName, faultsOf, type StorageKind } from './fault-list.ts';
import { type Random, randomOf } from './random.ts';

/** What people do with one call. `crowd`: many decide at the same moment, for and against. */
export type Wish = 'approve' | 'reject' | 'edit' | 'withdraw' | 'crowd';

/** One entry that somebody wants in the ledger: one call, one effect if it is approved. */
export interface EntryPlan {
  readonly entry: string;
  readonly wish: Wish;
  /** How many decide at once. */
  readonly people: number;
  /** How long the server takes before and after the effect, in milliseconds. */
  readonly beforeMs: number;
  readonly afterMs: number;
  /** Whether the connection breaks after the effect, instead of an answer. */
  readonly losesAnswer: boolean;
  /** Whether a call of which it is unclear if it happened, and which did not, is asked for again. */
  readonly asksAgain: boolean;
}

export interface ConversationPlan {
  readonly surface: 'dm' | 'channel' | 'http';
  /** Who writes; each has one conversation, since a person has one screen. */
  readonly person: string;
  /** Whether the agent reads first, which needs nobody's word. */
  readonly readsFirst: boolean;
  /** Between two messages, in milliseconds. */
  readonly pauseMs: number;
  /** The messages, one after another, not waiting for answers. */
  readonly messages: readonly (readonly EntryPlan[])[];
}

export interface FaultPlan {
  readonly name: FaultName;
  /** How long after the one before, in milliseconds. */
  readonly afterMs: number;
}

export interface Plan {
  readonly seed: number;
  readonly storage: StorageKind;
  readonly conversations: readonly ConversationPlan[];
  readonly faults: readonly FaultPlan[];
}

const PEOPLE = ['ana', 'bob', 'carol'] as const;
const WISHES = ['approve', 'approve', 'approve', 'reject', 'edit', 'crowd', 'crowd', 'withdraw'] as const;

/** What happens under a seed: the same every time, but for the machine's own timing. */
export function planOf(seed: number, storage: StorageKind): Plan {
  const random = randomOf(seed);
  const inSlack = PEOPLE.slice(0, random.between(1, 2)).map((person) =>
    conversationOf(random, person, random.pick(['dm', 'dm', 'channel'])),
  );
  const overHttp = random.chance(0.5) ? [conversationOf(random, 'http', 'http')] : [];
  const names = faultsOf(storage);
  // One fault per seed in turn, so that a few dozen seeds meet all of them; a second one by chance.
  const inTurn = names.slice(seed % names.length).slice(0, 1);
  const faults = [...inTurn, ...random.shuffled(names).slice(0, random.between(0, 1))];
  return {
    seed,
    storage,
    conversations: [...inSlack, ...overHttp],
    faults: faults.map((name) => ({ name, afterMs: random.between(0, 600) })),
  };
}

function conversationOf(
  random: Random,
  person: string,
  surface: ConversationPlan['surface'],
): ConversationPlan {
  // A new message over HTTP takes the place of what waits, which the mailbox's own tests cover.
  const messages = surface === 'http' ? 1 : random.between(1, 2);
  return {
    surface,
    person,
    readsFirst: random.chance(0.3),
    pauseMs: random.between(0, 1_200),
    messages: Array.from({ length: messages }, (_, message) =>
      Array.from({ length: random.between(1, message === 0 ? 3 : 1) }, (_entry, index) =>
        entryOf(random, `${person}${message}x${index}`),
      ),
    ),
  };
}

function entryOf(random: Random, entry: string): EntryPlan {
  const wish = random.pick(WISHES);
  return {
    entry,
    wish,
    people: wish === 'crowd' ? random.pick([10, 20, 50, 100]) : random.pick([1, 1, 2]),
    beforeMs: random.pick([0, 0, 50, 300]),
    afterMs: random.pick([0, 50, 300]),
    losesAnswer: random.chance(0.1),
    asksAgain: random.chance(0.5),
  };
}
