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
