import type { WebClient } from '@slack/web-api';
import { z } from 'zod';
import type { JsonObject } from '../../lib/json.ts';
import { withTimeout } from '../../lib/timeout.ts';
import { findIds, type Names } from '../../presentation/values.ts';

/** How long a name is believed, in milliseconds. */
const FRESH_MS = 10 * 60_000;
/** When a look-up that failed is tried again, in milliseconds. */
const AGAIN_MS = 30_000;
/** How long a look-up is waited for, in milliseconds. */
const PATIENCE_MS = 800;

const userSchema = z.object({
  name: z.string(),
  real_name: z.string().optional(),
  tz: z.string().optional(),
  is_admin: z.boolean().optional(),
  is_stranger: z.boolean().optional(),
  profile: z.object({ display_name: z.string().optional() }).optional(),
});

interface Person {
  readonly name: string;
  readonly timeZone: string | null;
  readonly isAdmin: boolean;
}

interface Group {
  /** Null where there is no such group. */
  readonly id: string | null;
  readonly name: string;
  /** Slack users; null where Slack did not list them. */
  readonly members: readonly string[] | null;
}

/** Names and time zones of people and channels, looked up once in a while. */
export function createDirectory(client: WebClient, clock: () => number, timeZone: string) {
  const person = remembered(clock, async (user): Promise<Person | null> => {
    const { user: info } = await client.users.info({ user });
    const found = userSchema.safeParse(info);
    if (!found.success) return null;
    const { name, real_name: realName, profile, tz, ...is } = found.data;
    return {
      name: profile?.display_name || realName || name,
      timeZone: tz ?? null,
      // Somebody of another organisation may be an admin there.
      isAdmin: is.is_admin === true && is.is_stranger !== true,
    };
  });
  const channel = remembered(clock, async (id): Promise<string | null> => {
    const { channel: info } = await client.conversations.info({ channel: id });
    return info?.name ?? null;
  });

  const group = remembered(clock, async (name): Promise<Group> => {
    const { usergroups } = await client.usergroups.list({ include_users: true });
    const found = usergroups?.find(({ id, handle }) => id === name || handle === name);
    if (!found) return { id: null, name: `@${name} (there is no such group)`, members: [] };
    return {
      id: found.id ?? null,
      name: `@${found.handle}${found.users?.length === 0 ? ' (nobody is in it)' : ''}`,
      members: found.users ?? null,
    };
  });

  return {
    /** `@handle` of a user group, named by its id or its handle; says so where nobody is in it. */
    groupName: async (name: string): Promise<string> => (await group(name))?.name ?? `@${name}`,

    /** The id of a user group, named by that or its handle; null when there is none, or Slack does not tell. */
    groupId: async (name: string): Promise<string | null> => (await group(name))?.id ?? null,

    /** The users in a user group, named by its id or its handle; null when Slack does not tell. */
    membersOf: async (name: string): Promise<readonly string[] | null> =>
      (await group(name))?.members ?? null,

    /** The name people know somebody by; the id when Slack does not tell. */
    async nameOf(user: string): Promise<string> {
      return (await person(user))?.name ?? user;
    },

    /** Whether Slack says that somebody is an admin of the workspace; false when it does not tell. */
    async isAdmin(user: string): Promise<boolean> {
      return (await person(user))?.isAdmin === true;
    },

    /** Names for the people and channels in these arguments, in the zone of `viewer`. */
    async resolverFor(args: readonly JsonObject[], viewer: string | null): Promise<Names> {
      const ids = args.map(findIds);
      const namedUser = async (id: string) => [id, (await person(id))?.name ?? null] as const;
      const namedChannel = async (id: string) => [id, await channel(id)] as const;
      const [users, rooms, reader] = await Promise.all([
        Promise.all(ids.flatMap((found) => found.users).map(namedUser)),
        Promise.all(ids.flatMap((found) => found.channels).map(namedChannel)),
        viewer === null ? null : person(viewer),
      ]);
      const names = new Map([...users, ...rooms]);
      return {
        user: (id) => names.get(id) ?? null,
        channel: (id) => names.get(id) ?? null,
        timeZone: reader?.timeZone ?? timeZone,
      };
    },
  };
}
export type Directory = ReturnType<typeof createDirectory>;

/**
 * What `look` finds, believed for a while. Nobody waits long for a name, since a click must be answered
 * within 3 s: what is not known in time is null, or what was known before.
 */
function remembered<T>(clock: () => number, look: (id: string) => Promise<T | null>) {
  const known = new Map<string, { value: T | null; until: number }>();
  const looking = new Map<string, Promise<T | null>>();

  async function lookUp(id: string): Promise<T | null> {
    const before = known.get(id)?.value ?? null;
    try {
      const value = await look(id);
      known.set(id, { value, until: clock() + FRESH_MS });
      return value;
    } catch {
      known.set(id, { value: before, until: clock() + AGAIN_MS });
      return before;
    } finally {
      looking.delete(id);
    }
  }

  return async (id: string): Promise<T | null> => {
    const entry = known.get(id);
    if (entry && entry.until > clock()) return entry.value;
    const found = looking.get(id) ?? lookUp(id);
    looking.set(id, found);
    return withTimeout(PATIENCE_MS, found, entry?.value ?? null);
  };
}
