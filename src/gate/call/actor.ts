import { z } from 'zod';

/**
 * A person, program, server or the system itself. `id` says where it is known: `{surface}:{…}`, `api:{key
 * name}`, `server:{name}` or `system`.
 */
export const actorSchema = z.object({ id: z.string(), name: z.string() });
export type Actor = z.infer<typeof actorSchema>;

/** Whether a program acts, by its API key. */
export function isApiKey({ id }: Actor): boolean {
  return id.startsWith('api:');
}

/** An agent's task of a team's plan, for the message `itemId` of a thread. `title` is in the words of the model that planned. */
export const taskSchema = z.object({
  ...{ threadId: z.string(), itemId: z.string(), taskId: z.string() },
  ...{ agent: z.string(), title: z.string() },
});
export type Task = z.infer<typeof taskSchema>;

/** The account that somebody has signed in to a server with, for calls in their name. */
export const accountSchema = z.object({
  /** The service's own for it; where that isn't known, one for all sign-ins until somebody disconnects. */
  id: z.string(),
  /** What people know it by, such as its address; null: not known. */
  name: z.string().nullable(),
});
export type SignedInAccount = z.infer<typeof accountSchema>;
