import type { WebClient } from '@slack/web-api';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import type { JsonObject } from '../../lib/json.ts';
import { withTimeout } from '../../lib/timeout.ts';
import { findIds, type Names } from '../../presentation/people/names.ts';
import { APPROVER_NAME } from '../texts/people.ts';
import { accountSchema, isOfInstallation } from './account.ts';

/** How long a name is cached, in milliseconds. */
const FRESH_MS = 10 * 60_000;
/** The delay before a failed lookup is retried, in milliseconds. */
const AGAIN_MS = 30_000;
/** How many people, channels and groups are cached, each. */
const MOST_KNOWN = 10_000;
/** How many e-mail addresses of a call are looked up: Slack takes 50 a minute (docs.slack.dev/reference/methods/users.lookupByEmail). */
const MOST_ADDRESSES = 10;
/** The timeout of a lookup, in milliseconds. */
const PATIENCE_MS = 800;

const userSchema = accountSchema.extend({
  name: z.string(),
  real_name: z.string().optional(),
  tz: z.string().optional(),
  is_admin: z.boolean().default(false),
  profile: z.object({ display_name: z.string().optional() }).optional(),
});

interface Person {
  readonly name: string;
  readonly timeZone: string | null;
  /** Their own workspace; null where Slack doesn't say. */
  readonly team: string | null;
  isAdminOf(installation: string): boolean;
}

/** A user group. */
export interface Group {
  /** The group's id; null where there is no such group, or Slack doesn't say. */
  readonly id: string | null;
  /** The group's `@handle`; says so where it is empty, or there is no such group. */
  readonly name: string;
  /** The members' user ids; null where Slack doesn't say. */
  readonly members: readonly string[] | null;
}

function readPerson(info: unknown): Person | null {
  const found = userSchema.safeParse(info);
  if (!found.success) return null;
  const { name, real_name: realName, profile, tz, ...account } = found.data;
  return {
    name: profile?.display_name || realName || name,
    timeZone: tz ?? null,
    team: account.team_id || null,
    // Somebody from another organisation may be an admin there, which doesn't count.
    isAdminOf: (installation) => account.is_admin && isOfInstallation(account, installation),
  };
}

/** The directory of people and channels: names and time zones, cached. */
export function createDirectory(client: WebClient, clock: () => number, timeZone: string) {
  const person = remembered(clock, async (user): Promise<Person | null> => {
    const { user: info } = await client.users.info({ user });
    return readPerson(info);
  });
  /** By an address; null where nobody of the workspace has it. */
  const personByEmail = remembered(clock, async (email): Promise<Person | null> => {
    const { user: info } = await client.users.lookupByEmail({ email });
    return readPerson(info);
  });
  const channel = remembered(clock, async (id): Promise<string | null> => {
    const { channel: info } = await client.conversations.info({ channel: id });
    return info?.name ?? null;
  });

  // All of them by one call: Slack takes 20 a minute, and decisions need theirs.
  const groups = remembered(clock, async () => {
    const { usergroups } = await client.usergroups.list({ include_users: true });
    return usergroups ?? [];
  });

  return {
    /** A user group, by its id or handle. */
    async group(name: string): Promise<Group> {
      const known = await groups('all');
      if (known === null) return { id: null, name: `@${name}`, members: null };
      const found = known.find(({ id, handle }) => id === name || handle === name);
      if (!found) return { id: null, name: APPROVER_NAME.noGroup(name), members: [] };
      return {
        id: found.id ?? null,
        name: found.users?.length === 0 ? APPROVER_NAME.emptyGroup(found.handle ?? '') : `@${found.handle}`,
        members: found.users ?? null,
      };
    },

    /** A person's display name; the id when Slack doesn't say. */
    async nameOf(user: string): Promise<string> {
      return (await person(user))?.name ?? user;
    },

    /** A channel's name, with `#`; null when Slack doesn't say. */
    async channelName(id: string): Promise<string | null> {
      const name = await channel(id);
      return name === null ? null : `#${name}`;
    },

    /** Whether somebody is an admin of the installation's workspace; false when Slack doesn't say. */
    async isAdmin(user: string, installation: string): Promise<boolean> {
      return (await person(user))?.isAdminOf(installation) === true;
    },

    /** A person's own workspace, which may be another organisation's; null when Slack doesn't say. */
    async teamOf(user: string): Promise<string | null> {
      return (await person(user))?.team ?? null;
    },

    /** Names for the people and channels in these arguments, in the zone of `viewer`. */
    async resolverFor(args: readonly JsonObject[], viewer: string | null): Promise<Names> {
      const ids = args.map(findIds);
      const emails = ids.flatMap((found) => found.emails).slice(0, MOST_ADDRESSES);
      const [users, addressed, rooms, reader] = await Promise.all([
        Promise.all(ids.flatMap((found) => found.users).map(async (id) => [id, await person(id)] as const)),
        Promise.all(emails.map(async (email) => [email, await personByEmail(email)] as const)),
        Promise.all(
          ids.flatMap((found) => found.channels).map(async (id) => [id, await channel(id)] as const),
        ),
        viewer === null ? null : person(viewer),
      ]);
      const people = new Map([...users, ...addressed]);
      const channels = new Map(rooms);
      return {
        user: (id) => people.get(id)?.name ?? null,
        channel: (id) => channels.get(id) ?? null,
        zoneOf: (id) => people.get(id)?.timeZone ?? null,
        timeZone: reader?.timeZone ?? timeZone,
      };
    },
  };
}
export type Directory = ReturnType<typeof createDirectory>;

/**
 * Caches what `look` finds for a while. Nobody waits long for a name, since a click must be answered within 3
 * s: a lookup that takes longer, or fails, gives the previous value, or null.
 */
export function remembered<T>(clock: () => number, look: (id: string) => Promise<T | null>) {
  const known = new LRUCache<string, { readonly value: T | null }>({
    max: MOST_KNOWN,
    ttl: FRESH_MS,
    ttlResolution: 0,
    perf: { now: clock },
    ignoreFetchAbort: true,
    async fetchMethod(id, before, { options }) {
      try {
        return { value: await look(id) };
      } catch {
        options.ttl = AGAIN_MS;
        return before ?? { value: null };
      }
    },
  });

  return async (id: string): Promise<T | null> => {
    const before = known.peek(id, { allowStale: true })?.value ?? null;
    const found = known.forceFetch(id).then(({ value }) => value);
    return withTimeout(PATIENCE_MS, found, before);
  };
}
