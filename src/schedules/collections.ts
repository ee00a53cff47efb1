import { z } from 'zod';
import { actorSchema } from '../gate/types.ts';
import { scanIndex } from '../storage/scan.ts';
import { collection, type Ref, ref, type Store, type Stored } from '../storage/store.ts';
import type { Schedule } from './ports.ts';

const whenSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('once'), at: z.number() }),
  z.object({ kind: z.literal('interval'), minutes: z.number(), from: z.number() }),
  z.object({ kind: z.literal('days'), days: z.array(z.number()).readonly(), time: z.string() }),
  z.object({ kind: z.literal('month'), day: z.number(), time: z.string() }),
  z.object({
    kind: z.literal('trigger'),
    server: z.string(),
    trigger: z.string(),
    words: z.string(),
    given: z.record(z.string(), z.string()),
  }),
]);

/** How many a person can have. */
export const MOST_SCHEDULES = 20;

const thing = z.object({ id: z.union([z.string(), z.number()]), since: z.number() });

const scheduleSchema = z.object({
  owner: actorSchema,
  kind: z.enum(['run', 'reminder']),
  text: z.string(),
  typed: z.string(),
  when: whenSchema,
  timeZone: z.string(),
  place: z.string().nullable(),
  createdAt: z.number(),
  dueAt: z.number().nullable(),
  /** When a process looks at it next: when it's due, or once an attempt to begin has had its time; null while it's paused. */
  lookAt: z.number().nullable(),
  /** The time at which it was due and that is being begun: the message for it may be posted already. */
  beginning: z.number().nullable(),
  /** The last time at which it was due and has begun. */
  ran: z.number().nullable().default(null),
  /** When the message for that was posted, by Slack's clock; null where nothing has begun. */
  ranAt: z.number().nullable().default(null),
  /** Of a trigger: what has been seen. Null until it's looked at first, and by time. */
  seen: z
    .object({
      /** Null since it was paused: the next look is a first one, but for what waits. */
      things: z.array(thing).readonly().nullable(),
      /** Of those, what no run has begun with yet, in the order in which the next ones take it. */
      waiting: z.array(thing).readonly().default([]),
      since: z.number().nullable(),
      /** The owner's account in which it was; null where that isn't known. */
      account: z.string().nullable().default(null),
    })
    .nullable()
    .default(null),
  /** Of a trigger: when its service last said what there is, and why it hasn't since. */
  looked: z
    .object({
      at: z.number().nullable(),
      trouble: z
        .object({
          why: z.enum(['not_connected', 'not_allowed', 'gone', 'refused', 'silent', 'too_often']),
          /** As `Trouble` has it. */
          said: z.string().nullable(),
          since: z.number(),
          /** Its owner has been told. */
          isTold: z.boolean(),
        })
        .nullable(),
    })
    .nullable()
    .default(null),
  /** Of a trigger: how many runs it has begun since when; that counts for a day. */
  begun: z.object({ since: z.number(), count: z.number() }).nullable().default(null),
  /** How much is new, how much of that waits for later runs, and what the model is told of it as data, while a run with it is being begun. */
  found: z
    .object({ count: z.number(), later: z.number().default(0), data: z.record(z.string(), z.json()) })
    .nullable()
    .default(null),
});
export type ScheduleRecord = z.infer<typeof scheduleSchema>;

function isToLook({ when, beginning }: Pick<ScheduleRecord, 'when' | 'beginning'>): boolean {
  return when.kind === 'trigger' && beginning === null;
}

export const schedules = collection({
  name: 'schedules',
  schema: scheduleSchema,
  indexes: {
    /** What begins by time, or is being begun. */
    byDue: (value) => (value.lookAt === null || isToLook(value) ? null : [value.lookAt]),
    /** Triggers. */
    byLook: (value) => (value.lookAt === null || !isToLook(value) ? null : [value.lookAt]),
    byOwner: ({ owner, createdAt }) => [owner.id, createdAt],
  },
});

/** A schedule as other modules see it. */
export function toSchedule({ id, value }: Stored<ScheduleRecord>): Schedule {
  const { owner, kind, text, typed, when, timeZone, place, dueAt, looked } = value;
  const { at = null, trouble = null } = looked ?? {};
  const said = trouble && { why: trouble.why, said: trouble.said };
  return { id, owner, kind, text, typed, when, timeZone, place, dueAt, lookedAt: at, trouble: said };
}

/** The records of a person's schedules: for who forgets the person. */
export async function findSchedules(store: Store, personId: string): Promise<readonly Ref[]> {
  const found: Ref[] = [];
  for await (const { id } of scanIndex(store, schedules, 'byOwner', { prefix: [personId] })) {
    found.push(ref(schedules, id));
  }
  return found;
}
