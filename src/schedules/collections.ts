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
  /** Of a trigger: what has been seen. Null until it's looked at first, and by time. */
  seen: z
    .object({
      things: z.array(z.object({ id: z.string(), since: z.number() })).readonly(),
      since: z.number().nullable(),
    })
    .nullable()
    .default(null),
  /** What is new, and how to read it, while a run with it is being begun. */
  found: z
    .object({ ids: z.array(z.string()).readonly(), more: z.number(), howToRead: z.string() })
    .nullable()
    .default(null),
});
export type ScheduleRecord = z.infer<typeof scheduleSchema>;

export const schedules = collection({
  name: 'schedules',
  schema: scheduleSchema,
  indexes: {
    byDue: ({ lookAt }) => (lookAt === null ? null : [lookAt]),
    byOwner: ({ owner, createdAt }) => [owner.id, createdAt],
  },
});

/** A schedule as other modules see it. */
export function toSchedule({ id, value }: Stored<ScheduleRecord>): Schedule {
  const { owner, kind, text, typed, when, timeZone, place, dueAt } = value;
  return { id, owner, kind, text, typed, when, timeZone, place, dueAt };
}

/** The records of a person's schedules: for who forgets the person. */
export async function findSchedules(store: Store, personId: string): Promise<readonly Ref[]> {
  const found: Ref[] = [];
  for await (const { id } of scanIndex(store, schedules, 'byOwner', { prefix: [personId] })) {
    found.push(ref(schedules, id));
  }
  return found;
}
