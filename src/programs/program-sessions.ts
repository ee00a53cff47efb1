import type { Clock } from '../lib/clock.ts';
import { absent, put, ref, type Store } from '../storage/store.ts';
import { sessionKey, sessions } from './collections.ts';

/** A conversation of a program, as it names it. */
interface ProgramSession {
  readonly program: string;
  readonly session: string;
  readonly agentName: string | null;
  readonly agentType: string | null;
  readonly createdAt: number;
}

/** Records a conversation of a program unless it's known: it stays as it was recorded first. */
export async function openSession(
  { store, clock }: { readonly store: Store; readonly clock: Clock },
  { program, session, agentName, agentType }: Omit<ProgramSession, 'createdAt'>,
): Promise<void> {
  const key = sessionKey(program, session);
  if ((await store.get(sessions, key)) !== null) return;
  const record = { program, session, agentName, agentType, createdAt: clock() };
  await store.commit({ expect: [absent(sessions, key)], put: [put(sessions, key, record)] });
}

/** The conversations of programs, for readers of the record. */
export function createProgramSessions(store: Store) {
  return {
    /**
     * A page of one program's conversations, or of all programs', newest first. `cursor`: `next` of the page before.
     * @throws AppError `bad_cursor` for a cursor that no page gave out
     */
    async list(
      program: string | null,
      limit: number,
      cursor: string | null,
    ): Promise<{ readonly items: readonly ProgramSession[]; readonly next: string | null }> {
      const range = {
        ...(program !== null && { prefix: [program] }),
        ...(cursor !== null && { cursor }),
        descending: true,
      };
      const index = program === null ? 'byCreation' : 'byProgram';
      const page = await store.query(sessions, index, range, limit);
      return { items: page.items.map(({ value }) => value), next: page.next };
    },
    /** Forgets at most `limit` that began before then; one that goes on is recorded anew. Returns how many. */
    async forget(before: number, limit: number): Promise<number> {
      const { items } = await store.query(sessions, 'byCreation', { before: [before] }, limit);
      if (items.length > 0) await store.commit({ delete: items.map(({ id }) => ref(sessions, id)) });
      return items.length;
    },
  };
}
export type ProgramSessions = ReturnType<typeof createProgramSessions>;
