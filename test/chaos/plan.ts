import type { AgentName } from '../../src/runs/ports.ts';
import { MISDEEDS } from '../fixtures/servers/misbehaviour.ts';
import { FAR_OFF_MS, type FaultName, faultsOf, LONG_FAULTS, type StorageKind } from './fault-list.ts';
import { HOSTILE_ACTS } from './hostile-server.ts';
import { type InboxPlan, inboxOf } from './inbox-plan.ts';
import { type Random, randomOf } from './random.ts';

type Surface = 'dm' | 'channel' | 'http';
const SURFACES = ['dm', 'channel', 'http'] as const;

/** What people do with one call. `crowd`: many decide at the same moment, for and against. */
type Wish = 'approve' | 'reject' | 'edit' | 'withdraw' | 'crowd';

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

/** Of a planner's steps, or a team's tasks: which earlier ones the model says they need; `unsaid`: it doesn't say. */
const NEEDS = ['unsaid', 'nothing', 'the first', 'the one before'] as const;
export type StepNeeds = (typeof NEEDS)[number];

/** What a person makes the amount of an entry that they edit. */
export const EDITED_AMOUNT = 7;

export interface ConversationPlan {
  readonly surface: Surface;
  /** Who answers there. */
  readonly agent: AgentName;
  readonly stepsNeed: StepNeeds;
  /** Whether the person puts the steps of each plan in another order before they decide. */
  readonly reorders: boolean;
  /** Who writes; each has one conversation, since a person has one screen. */
  readonly person: string;
  /** Whether the agent reads first, which needs nobody's word. */
  readonly readsFirst: boolean;
  /** Between two messages, in milliseconds. */
  readonly pauseMs: number;
  /** What the model does beside what it was asked for, once the first message names it; mostly nothing. */
  readonly mischief: readonly Mischief[];
  /** The messages, one after another, not waiting for answers. */
  readonly messages: readonly (readonly EntryPlan[])[];
}

/**
 * What a hostile model adds to the calls that it was asked for: calls of a hostile server, more than anybody wants, two of
 * one id, a tool that doesn't exist, arguments that can't be read, an entry that nobody asked for, and a tool that looks
 * like another server's.
 */
const MISCHIEF = [...HOSTILE_ACTS, 'many', 'twins', 'unknown', 'unreadable', 'stolen', 'look_alike'] as const;
export type Mischief = (typeof MISCHIEF | typeof MISDEEDS)[number];
/** More would leave cards out of the thread, which shows five at once. */
const MISCHIEF_AT_ONCE = 2;

/** A program that asks the gate for several things at once, which the person who answers for it decides in Slack. */
export interface ProgramPlan {
  /** `agent` runs its functions itself, between `/agent/begin` and `/agent/end`; `mcp` calls the ledger's tool at `/mcp`. */
  readonly kind: 'agent' | 'mcp';
  readonly entries: readonly EntryPlan[];
}

/** `user` needs root; `none` is only for seeing that something would be stolen. */
export type ThiefProtection = 'auto' | 'user' | 'none';

interface FaultPlan {
  readonly name: FaultName;
  /** How long after the one before, in milliseconds. */
  readonly afterMs: number;
}

export interface Plan {
  readonly seed: number;
  readonly storage: StorageKind;
  /** The surfaces on which the planner answers, and those on which a team does. */
  readonly planned: readonly Surface[];
  readonly teamed: readonly Surface[];
  readonly conversations: readonly ConversationPlan[];
  /** Their cards are for Carol, who has no conversation of her own. */
  readonly programs: readonly ProgramPlan[];
  /** Carol's mailbox; null where none is watched. */
  readonly inbox: InboxPlan | null;
  /** Whether Carol has something come at its times. */
  readonly schedules: boolean;
  readonly faults: readonly FaultPlan[];
  /** How the hostile server that is a process is kept away from ours, where the machine can do that. */
  readonly protection: ThiefProtection;
  /** How far off the clock of each process is from the start, in milliseconds. */
  readonly clocks: readonly number[];
}

const PEOPLE = ['ana', 'bob', 'carol'] as const;
const WISHES = ['approve', 'approve', 'approve', 'reject', 'edit', 'crowd', 'crowd', 'withdraw'] as const;

const MISCHIEF_SEED = 7_000_003;
const THIEF_SEED = 9_000_011;
const PROGRAM_SEED = 11_000_027;
const PLANNER_SEED = 13_000_037;
const STEPS_SEED = 17_000_023;
const TEAM_SEED = 19_000_013;
const INBOX_SEED = 23_000_009;
const SCHEDULE_SEED = 29_000_011;
/** The share of planned conversations whose steps are put in another order, and the most steps of a plan. */
const REORDER_SHARE = 0.5;
const MOST_STEPS = 4;
/** The share of surfaces on which the planner answers. */
const PLANNER_SHARE = 0.4;
/** The share of surfaces in Slack, of those on which the planner doesn't, on which a team answers. */
const TEAM_SHARE = 0.5;
/** The share of seeds with a program of each kind. */
const PROGRAM_SHARE = 0.3;
/** The share of seeds in which something is scheduled. */
const SCHEDULE_SHARE = 0.3;
/** The share of conversations in which a server's process misbehaves. */
const THIEF_SHARE = 0.3;

/** One of so many seeds has a fault that takes half a minute, and no other. */
const LONG_EVERY = 25;

/**
 * What happens under a seed: the same every time, but for the machine's own timing. With `only`, these faults
 * come instead of the seed's own ones.
 */
export function planOf(seed: number, storage: StorageKind, only: readonly FaultName[] = []): Plan {
  const random = randomOf(seed);
  const inSlack = PEOPLE.slice(0, random.between(1, 2)).map((person) =>
    conversationOf(random, person, random.pick(['dm', 'dm', 'channel'])),
  );
  const overHttp = random.chance(0.5) ? [conversationOf(random, 'http', 'http')] : [];
  const inTurn = faultsInTurn(seed, storage, random);
  const faults = only.length === 0 ? inTurn : only;
  // From numbers of its own: what a seed was before there was mischief, it still is.
  const hostile = randomOf(seed + MISCHIEF_SEED);
  const thief = randomOf(seed + THIEF_SEED);
  const planners = randomOf(seed + PLANNER_SEED);
  const planned = SURFACES.filter(() => planners.chance(PLANNER_SHARE));
  const steps = randomOf(seed + STEPS_SEED);
  const teams = randomOf(seed + TEAM_SEED);
  const teamed = SURFACES.filter(
    (surface) => teams.chance(TEAM_SHARE) && surface !== 'http' && !planned.includes(surface),
  );
  const agentOn = (surface: Surface): AgentName => {
    if (planned.includes(surface)) return 'planner';
    return teamed.includes(surface) ? 'team' : 'assistant';
  };
  const conversations = [...inSlack, ...overHttp].map((conversation) => {
    // First, because the last of too many calls are refused.
    const misdeed = thief.chance(THIEF_SHARE) ? [thief.pick(MISDEEDS)] : [];
    const others = hostile.chance(0.5)
      ? hostile.shuffled(MISCHIEF).slice(0, hostile.between(1, MISCHIEF_AT_ONCE))
      : [];
    const agent = agentOn(conversation.surface);
    return stepsOf(agent === 'team' ? teams : steps, {
      ...conversation,
      agent,
      mischief: [...misdeed, ...others],
    });
  });
  const programs = programsOf(randomOf(seed + PROGRAM_SEED));
  return {
    seed,
    storage,
    planned,
    teamed,
    conversations,
    programs,
    inbox: programs.length === 0 ? inboxOf(randomOf(seed + INBOX_SEED)) : null,
    schedules: randomOf(seed + SCHEDULE_SEED).chance(SCHEDULE_SHARE),
    faults: faults.map((name) => ({ name, afterMs: random.between(0, 600) })),
    protection: thief.pick(['auto', 'user']),
    clocks: random.chance(0.2)
      ? Array.from({ length: 3 }, () => random.pick([-FAR_OFF_MS, 0, FAR_OFF_MS]))
      : [],
  };
}

/** A conversation with what its planner's steps or its team's tasks need, if one answers there, and with more of them. */
function stepsOf(
  random: Random,
  conversation: Omit<ConversationPlan, 'stepsNeed' | 'reorders'>,
): ConversationPlan {
  if (conversation.agent === 'assistant') return { ...conversation, stepsNeed: 'unsaid', reorders: false };
  const [first = [], ...others] = conversation.messages;
  const length = random.between(first.length, MOST_STEPS);
  const more = Array.from({ length: length - first.length }, (_, index) =>
    entryOf(random, `${conversation.person}0x${first.length + index}`),
  );
  return {
    ...conversation,
    messages: [[...first, ...more], ...others],
    stepsNeed: random.pick(NEEDS),
    reorders:
      conversation.agent === 'planner' && conversation.surface !== 'http' && random.chance(REORDER_SHARE),
  };
}

/** One fault per seed in turn, so that a few dozen seeds meet all of them; a second one by chance. */
function faultsInTurn(seed: number, storage: StorageKind, random: Random): readonly FaultName[] {
  const round = Math.floor(seed / LONG_EVERY);
  if (seed % LONG_EVERY === LONG_EVERY - 1)
    return [LONG_FAULTS[round % LONG_FAULTS.length] ?? LONG_FAULTS[0]];
  const names = faultsOf(storage);
  const turn = (seed - round) % names.length;
  return [...names.slice(turn, turn + 1), ...random.shuffled(names).slice(0, random.between(0, 1))];
}

function conversationOf(
  random: Random,
  person: string,
  surface: Surface,
): Omit<ConversationPlan, 'mischief' | 'agent' | 'stepsNeed' | 'reorders'> {
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

function programsOf(random: Random): readonly ProgramPlan[] {
  return (['agent', 'mcp'] as const)
    .filter(() => random.chance(PROGRAM_SHARE))
    .map((kind) => ({
      kind,
      entries: Array.from({ length: random.between(1, 3) }, (_, index) => {
        const entry = entryOf(random, `${kind}0x${index}`);
        // Only the program could run other arguments than its own.
        return kind === 'agent' && entry.wish === 'edit' ? { ...entry, wish: 'approve' } : entry;
      }),
    }));
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

/** What the entry of a step is called that the planner plans anew, since its plan broke before it. */
export function anewEntry(entry: string): string {
  return `${entry}${ANEW}`;
}
const ANEW = 'anew';

/** What people want of this call, which is for one of the entries, or is one that nobody asked for. */
export function wantedOf(
  entries: readonly EntryPlan[],
  call: { readonly callId: string; readonly arguments: Readonly<Record<string, unknown>> },
): EntryPlan {
  const entry = String(call.arguments.entry);
  const wanted = entries.find((one) => one.entry === entry || anewEntry(one.entry) === entry);
  return wanted ? { ...wanted, entry } : unaskedEntry(call.callId);
}

/**
 * What people want of a call of the model's own: nothing. It has no effect of its own either.
 */
export function unaskedEntry(callId: string): EntryPlan {
  return {
    entry: callId,
    wish: 'reject',
    people: 1,
    beforeMs: 0,
    afterMs: 0,
    losesAnswer: false,
    asksAgain: false,
  };
}
