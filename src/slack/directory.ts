import type { WebClient } from '@slack/web-api';
import { z } from 'zod';
import type { JsonObject } from '../json.ts';
import { idsIn, type Resolve } from './cards/values.ts';

/** How long a name is believed, in milliseconds. */
const FRESH_MS = 10 * 60_000;

const userSchema = z.object({
  name: z.string(),
  real_name: z.string().optional(),
  tz: z.string().optional(),
  profile: z.object({ display_name: z.string().optional() }).optional(),
});

interface Person {
  readonly name: string;
  readonly timeZone: string | null;
}

/** Names and time zones of people and channels, looked up once in a while. */
export function createDirectory(client: WebClient, clock: () => number, timeZone: string) {
  const people = new Map<string, { person: Person | null; until: number }>();
  const channels = new Map<string, { name: string | null; until: number }>();

  async function person(user: string): Promise<Person | null> {
    const known = people.get(user);
    if (known && known.until > clock()) return known.person;
    const found = await client.users.info({ user }).then(
      ({ user: info }) => userSchema.safeParse(info),
      () => null,
    );
    const person = found?.success
      ? {
          name: found.data.profile?.display_name || found.data.real_name || found.data.name,
          timeZone: found.data.tz ?? null,
        }
      : null;
    people.set(user, { person, until: clock() + FRESH_MS });
    return person;
  }

  async function channel(id: string): Promise<string | null> {
    const known = channels.get(id);
    if (known && known.until > clock()) return known.name;
    const name = await client.conversations.info({ channel: id }).then(
      ({ channel: info }) => info?.name ?? null,
      () => null,
    );
    channels.set(id, { name, until: clock() + FRESH_MS });
    return name;
  }

  return {
    /** The name people know somebody by; the id when Slack does not tell. */
    async nameOf(user: string): Promise<string> {
      return (await person(user))?.name ?? user;
    },

    /** Names for the people and channels in these arguments, in the zone of `viewer`. */
    async resolverFor(args: readonly JsonObject[], viewer: string | null): Promise<Resolve> {
      const ids = args.map(idsIn);
      const users = await Promise.all(
        ids.flatMap((found) => found.users).map(async (id) => [id, (await person(id))?.name ?? null] as const),
      );
      const rooms = await Promise.all(
        ids.flatMap((found) => found.channels).map(async (id) => [id, await channel(id)] as const),
      );
      const names = new Map([...users, ...rooms]);
      const zone = viewer === null ? null : (await person(viewer))?.timeZone;
      return {
        user: (id) => names.get(id) ?? null,
        channel: (id) => names.get(id) ?? null,
        timeZone: zone ?? timeZone,
      };
    },
  };
}
export type Directory = ReturnType<typeof createDirectory>;
