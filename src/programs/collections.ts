import { z } from 'zod';
import { collection } from '../storage/store.ts';

/** Conversations of programs, as they name them; the id is {@link sessionKey}. */
export const sessions = collection({
  name: 'program_sessions',
  schema: z.object({
    /** The program's id at the gate. */
    program: z.string(),
    /** As the program names it. */
    session: z.string(),
    /** The agent's name and kind, as it says; null where it doesn't. */
    agentName: z.string().nullable(),
    agentType: z.string().nullable(),
    createdAt: z.number(),
  }),
  indexes: { byCreation: (session) => [session.createdAt], byProgram: (it) => [it.program, it.createdAt] },
});
export type SessionRecord = z.infer<typeof sessions.schema>;

/** The id of a session's record: each program has its own. */
export function sessionKey(program: string, session: string): string {
  return `${program}/${session}`;
}
