import { z } from 'zod';

/** Who did something. `id` is `slack:{team}:{user}`, `api:{key name}`, `server:{name}` or `system`. */
export const actorSchema = z.object({ id: z.string(), name: z.string() });
export type Actor = z.infer<typeof actorSchema>;

/**
 * Whether both are one person. A Slack user id names one account, whatever workspace of an organisation it was
 * met in, so the team does not make it two: for counting voices and for keeping whoever asked out of the decision.
 */
export function isSamePerson(a: Pick<Actor, 'id'>, b: Pick<Actor, 'id'>): boolean {
  const user = slackUser(a.id);
  return a.id === b.id || (user !== null && user === slackUser(b.id));
}

function slackUser(id: string): string | null {
  const [kind, , user] = id.split(':');
  return kind === 'slack' && user ? user : null;
}
