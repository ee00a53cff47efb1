import type { Actor } from '../gate/types.ts';
import type { JsonObject } from '../lib/json.ts';
import type { Change } from '../storage/store.ts';

/** When something runs. Times of day, `09:00`, are those of the zone of whoever made it. */
export type When =
  /** Milliseconds since the epoch. */
  | { readonly kind: 'once'; readonly at: number }
  /** So many minutes apart, counted from `from`, in milliseconds since the epoch. */
  | { readonly kind: 'interval'; readonly minutes: number; readonly from: number }
  /** ISO weekdays, from 1 for Monday. */
  | { readonly kind: 'days'; readonly days: readonly number[]; readonly time: string }
  /** A day of the month; in months that are shorter, their last one. */
  | { readonly kind: 'month'; readonly day: number; readonly time: string }
  | TriggerWhen;

/** Whenever there is something new at a service: a trigger of a server that is a connector. */
export interface TriggerWhen {
  readonly kind: 'trigger';
  readonly server: string;
  readonly trigger: string;
  /** Filled in, as they follow "when": "an issue is opened in ana/garden". */
  readonly words: string;
  /** What was filled in, by its name. */
  readonly given: Readonly<Record<string, string>>;
}

/** A trigger that can be chosen. */
export interface OfferedTrigger {
  readonly server: string;
  readonly trigger: string;
  readonly words: readonly [string, ...string[]];
  readonly parts: Readonly<Record<string, { readonly matches: RegExp; readonly example: string }>>;
}

/** Something of a service, as it's found by who looks for what is new. */
export interface Thing {
  /** A number, or letters, digits and a few signs. Others may choose them, so that they can be words. */
  readonly id: string | number;
  /** Since when it's there, by the service's clock, in milliseconds since the epoch. */
  readonly since: number;
}

/**
 * Why nobody can look for what is new until somebody does something: its owner isn't connected, or no longer; the policy
 * doesn't let the reading tool run by itself; there is no such trigger any more; the service refuses to tell.
 */
export type WhyBlind = 'not_connected' | 'not_allowed' | 'gone' | 'refused';

/** Why one was paused: nobody can look, or it has begun as many runs in a day as one may. */
export type WhyPaused = WhyBlind | 'too_often';

/** Why something new begins nothing now. */
export interface Trouble {
  /** `silent`: the service doesn't say what there is. */
  readonly why: WhyPaused | 'silent';
  /** Of `not_connected`, the name that people know what is to be connected by, if it's known; else the service's words, if there are any. */
  readonly said: string | null;
}

/** What there is, and by which read that was found; or why that isn't known. */
export type Looked =
  | {
      readonly things: readonly Thing[];
      /** The id of the owner's account there; null where that isn't known. */
      readonly account: string | null;
      /** The tool, `server.tool`, and the digest of what it was asked. */
      readonly read: { readonly tool: string; readonly digest: string };
    }
  | { readonly why: WhyBlind | 'silent'; readonly said: string | null };

/** What the triggers of the configured connectors are, and who looks at them. */
export interface Triggers {
  readonly offered: readonly OfferedTrigger[];
  /** What there is now, as its owner sees it. Never rejects. */
  look(when: TriggerWhen, owner: Actor, signal?: AbortSignal): Promise<Looked>;
  /** What the model is told of new things, as data: which tool reads each, and how many others wait for later runs. */
  describe(when: TriggerWhen, ids: readonly Thing['id'][], later: number): JsonObject;
}

/** What a run begins with that a trigger began. */
interface News {
  readonly count: number;
  /** How many others wait for later runs. */
  readonly later: number;
  /** For the model. */
  readonly data: JsonObject;
}

/** What somebody has run at times: something that the agent is asked for as them, or that they are reminded of. */
export interface Schedule {
  readonly id: string;
  readonly owner: Actor;
  readonly kind: 'run' | 'reminder';
  /** What the agent is asked for, or what the reminder says. */
  readonly text: string;
  /** The words that it was made with, to make it again. */
  readonly typed: string;
  readonly when: When;
  /** IANA name: the owner's zone when it was made. */
  readonly timeZone: string;
  /** The channel in which it runs; null: in direct messages with the owner. */
  readonly place: string | null;
  /** When it runs next, in milliseconds since the epoch; null while it's paused. */
  readonly dueAt: number | null;
  /** Of a trigger, when its service last said what there is, in milliseconds since the epoch; null by time. */
  readonly lookedAt: number | null;
  /** Of a trigger, why it's paused, or why what is new isn't known. */
  readonly trouble: Trouble | null;
}

/** One time at which a schedule runs. */
export interface Occurrence {
  readonly schedule: Schedule;
  /** When it was due, in milliseconds since the epoch. */
  readonly dueAt: number;
  /** It comes so late that people are told why. */
  readonly isLate: boolean;
  /** What is new; null of what begins by time. */
  readonly news: News | null;
}

/**
 * Why a schedule has ended without anybody stopping it: its owner's account is gone, or they are no longer in its channel;
 * its place takes no messages; its only time passed while nothing ran.
 */
export type WhyEnded = 'owner_left' | 'owner_not_there' | 'place_closed' | 'missed';

/** Where the message was posted with which a run begins. */
export interface Opened {
  readonly channel: string;
  /** Slack's timestamp: seconds since the epoch, by Slack's clock. */
  readonly ts: string;
}

/** Where schedules run, and who says whether their owners are still there. */
export interface SchedulePlaces {
  /** Why the owner's schedules can't run in a place any more; null if they can. Rejects where nobody says so now. */
  check(schedule: Pick<Schedule, 'owner' | 'place'>): Promise<WhyEnded | null>;
  /**
   * Posts the message with which a run begins; null where the place takes none. `mayBePosted`: an attempt before was cut off,
   * so it's looked for first.
   */
  open(occurrence: Occurrence, options: { readonly mayBePosted: boolean }): Promise<Opened | null>;
  /** Has the agent begin, as the owner's message would. `also` is committed with it; false where that couldn't be. */
  begin(occurrence: Occurrence, opened: Opened, also: Change): Promise<boolean>;
  /** Deletes the message of a run, unless it began with it after all. */
  takeBack(occurrence: Occurrence, opened: Opened): Promise<void>;
  /** Tells those concerned why a schedule has ended. Never rejects. */
  tellEnded(schedule: Schedule, why: WhyEnded): Promise<void>;
  /**
   * Tells their owner why some were paused, that the service of one has been silent for long, or that what was found began
   * nothing, since it couldn't be posted (`dropped`). Never rejects.
   */
  tellTrouble(schedules: readonly Schedule[], trouble: Trouble | { readonly why: 'dropped' }): Promise<void>;
}
