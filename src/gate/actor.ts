import { z } from 'zod';

/** Who did something. `id` is `slack:{team}:{user}`, `api:{key name}` or `system`. */
export const actorSchema = z.object({ id: z.string(), name: z.string() });
export type Actor = z.infer<typeof actorSchema>;
