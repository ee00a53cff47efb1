import { randomUUID } from 'node:crypto';
import { mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { z } from 'zod';
import { ToolProblem } from '../../../lib/text/tool-answers.ts';

const eventSchema = z.object({
  id: z.string(),
  calendar_id: z.string(),
  title: z.string(),
  start: z.string(),
  duration_minutes: z.number(),
  time_zone: z.string(),
  attendees: z.array(z.string()),
  location: z.string().nullable(),
  description: z.string().nullable(),
  /** Whose calendar it's in, if that is a person's own; null for events from before each person had one, which all see. */
  owner: z.string().nullable().default(null),
});
export type CalendarEvent = z.infer<typeof eventSchema>;

const contentSchema = z.object({
  next_id: z.number(),
  calendars: z.array(z.object({ id: z.string(), title: z.string() })),
  events: z.array(eventSchema),
});
export type CalendarContent = z.infer<typeof contentSchema>;

const EMPTY: CalendarContent = {
  next_id: 1,
  calendars: [
    { id: 'primary', title: 'My calendar' },
    { id: 'team', title: 'Team' },
  ],
  events: [],
};

export interface CalendarStore {
  /** @throws ToolProblem when the file is there but cannot be read or understood. */
  read(): Promise<CalendarContent>;
  /** Applies changes one at a time; writes nothing when `change` throws. */
  change<T>(change: (content: CalendarContent) => { content: CalendarContent; result: T }): Promise<T>;
}

/** The calendar in one JSON file, created on the first write. */
export function createCalendarStore(file: string): CalendarStore {
  let last: Promise<unknown> = Promise.resolve();
  return {
    read: () => readContent(file).catch(refuseFile),
    change(change) {
      const turn = last.then(async () => {
        const { content, result } = change(await readContent(file).catch(refuseFile));
        await writeWhole(file, `${JSON.stringify(content, null, 2)}\n`).catch(refuseFile);
        return result;
      });
      last = turn.catch(() => {});
      return turn;
    },
  };
}

/** @throws ToolProblem for an error of the system, whose own message would reveal paths. */
function refuseFile(error: unknown): never {
  const code = error instanceof Error && 'code' in error ? error.code : null;
  throw code === null ? error : new ToolProblem(`the calendar’s file could not be used (${code})`);
}

async function readContent(file: string): Promise<CalendarContent> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return EMPTY;
    throw error;
  }
  try {
    return contentSchema.parse(JSON.parse(text));
  } catch {
    throw new ToolProblem('the calendar’s file is damaged and is left as it is');
  }
}

/** Writes a file atomically: a reader or a power cut sees the old file or the new one, never half of it. */
async function writeWhole(file: string, text: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  const temporary = `${file}.${randomUUID()}.tmp`;
  try {
    const handle = await open(temporary, 'w');
    try {
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, file);
  } finally {
    await rm(temporary, { force: true });
  }
}
