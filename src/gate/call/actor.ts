import { z } from 'zod';

/** Who did something. `id` says where they are known: `{surface}:{…}`, `api:{key name}`, `server:{name}` or `system`. */
export const actorSchema = z.object({ id: z.string(), name: z.string() });
export type Actor = z.infer<typeof actorSchema>;
