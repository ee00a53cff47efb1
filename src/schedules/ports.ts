import type { Actor } from '../gate/types.ts';
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
  | { readonly kind: 'month'; readonly day: number; readonly time: string };

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
}

/** One time at which a schedule runs. */
export interface Occurrence {
  readonly schedule: Schedule;
  /** When it was due, in milliseconds since the epoch. */
  readonly dueAt: number;
  /** It comes so late that people are told why. */
  readonly isLate: boolean;
}

/**
 * Why a schedule has ended without anybody stopping it: its owner's account is gone, or they are no longer in its channel;
 * its place takes no messages; its only time passed while nothing ran.
 */
export type WhyEnded = 'owner_left' | 'owner_not_there' | 'place_closed' | 'missed';

/** Where the message was posted with which a run begins. */
export interface Opened {
  readonly channel: string;
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
}
