import type { WebClient } from '@slack/web-api';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import type { Actor } from '../../gate/types.ts';
import {
  type PeopleDirectory,
  parseApproverRef,
  type Standing,
  StandingUnknownError,
} from '../../gate/types.ts';
import { withTimeout } from '../../lib/timeout.ts';
import { parseSlackPlace, slackChannelId } from '../ids.ts';
import { accountSchema, isOfInstallation } from './account.ts';
import { type Directory, remembered } from './directory.ts';
import { slackIdentity } from './identity.ts';

/** The timeout for Slack to say who somebody is, in milliseconds: a click must be answered within 3 s. */
const PATIENCE_MS = 1_800;
/** How long the standing of somebody who decides their own call is cached, in milliseconds. */
const STANDING_LIFETIME_MS = 5 * 60_000;
/** How many standings are cached. */
const MAX_STANDINGS = 10_000;
/** Channel members per request; Slack gives up to 1,000. */
const PAGE = 1_000;

const standingSchema = accountSchema.extend({
  deleted: z.boolean().default(false),
  is_restricted: z.boolean().default(false),
  is_ultra_restricted: z.boolean().default(false),
  is_bot: z.boolean().default(false),
});
const groupsSchema = z.array(z.object({ id: z.string(), handle: z.string() }));

type Names = Pick<Directory, 'nameOf' | 'group'>;

/** Slack's people directory: accounts, channels and user groups, queried anew where answers must be fresh. */
export function createPeople(client: WebClient, clock: () => number, names: Names): PeopleDirectory {
  const recentStandings = new LRUCache<string, Standing>({
    max: MAX_STANDINGS,
    ttl: STANDING_LIFETIME_MS,
    ttlResolution: 0,
    perf: { now: clock },
  });
  const recentlyIn = remembered(clock, (place) => {
    const [channel = '', user = ''] = place.split(' ');
    return isInChannel(client, user, channel);
  });

  return {
    ...slackIdentity,

    async standing(actor, _threadId, { fresh }) {
      const account = readAccount(actor);
      if (account === null) {
        // An actor made before Slack said which team this is, say: nobody can say whether they are still there.
        if (actor.id.startsWith('slack:'))
          throw new StandingUnknownError(new Error('not an account of a team'));
        return 'member';
      }
      const before = fresh ? undefined : recentStandings.get(actor.id);
      if (before !== undefined) return before;
      const found = await answered(findStanding(client, account), 'user_not_found', 'unknown');
      recentStandings.set(actor.id, found);
      return found;
    },

    async belongs(actor, ref, threadId, { fresh }) {
      const account = readAccount(actor);
      const approver = parseApproverRef(ref);
      if (account === null) return false;
      if (approver.kind === 'channel') {
        const thread = parseSlackPlace(threadId);
        if (thread === null) return false;
        const { channel } = thread;
        return fresh
          ? answered(isInChannel(client, account.user, channel), 'channel_not_found', false)
          : known(await recentlyIn(`${channel} ${account.user}`));
      }
      if (approver.kind !== 'group') return false;
      return fresh
        ? answered(isInGroup(client, account.user, approver.id), 'no_such_subteam', false)
        : known((await names.group(approver.id)).members).includes(account.user);
    },

    async nameOf(ref) {
      const approver = parseApproverRef(ref);
      if (approver.kind === 'user') return names.nameOf(approver.id);
      return approver.kind === 'group' ? (await names.group(approver.id)).name : ref;
    },

    groupOf(threadId) {
      const thread = parseSlackPlace(threadId);
      return thread === null ? null : slackChannelId(thread);
    },
  };
}

/** A Slack user, and the installation under whose token they are known. */
interface AccountId {
  readonly team: string;
  readonly user: string;
}

function readAccount({ id }: Actor): AccountId | null {
  const [kind, team, user] = id.split(':');
  return kind === 'slack' && team && user ? { team, user } : null;
}

async function findStanding(client: WebClient, { team, user: userId }: AccountId): Promise<Standing> {
  const { user } = await client.users.info({ user: userId });
  const account = standingSchema.parse(user);
  if (account.deleted) return 'deactivated';
  // Slack doesn't mark Slackbot as a bot.
  if (account.is_bot || userId === 'USLACKBOT') return 'app';
  if (!isOfInstallation(account, team)) return 'stranger';
  return account.is_restricted || account.is_ultra_restricted ? 'guest' : 'member';
}

async function isInChannel(client: WebClient, userId: string, channel: string): Promise<boolean> {
  for (let cursor: string | undefined = ''; cursor !== undefined; ) {
    const page = await client.conversations.members({
      channel,
      limit: PAGE,
      ...(cursor ? { cursor } : {}),
    });
    if (page.members?.includes(userId)) return true;
    cursor = page.response_metadata?.next_cursor || undefined;
  }
  return false;
}

/** Finds the group by its id, or by its handle, which can move to another group. */
async function isInGroup(client: WebClient, userId: string, name: string): Promise<boolean> {
  const { usergroups } = await client.usergroups.list();
  const groups = groupsSchema.parse(usergroups ?? []);
  const usergroup = groups.find(({ id, handle }) => id === name || handle === name)?.id;
  if (usergroup === undefined) return false;
  const { users } = await client.usergroups.users.list({ usergroup });
  return users?.includes(userId) === true;
}

/** @throws StandingUnknownError for what Slack hasn't said. */
function known<T>(answer: T | null): T {
  if (answer !== null) return answer;
  throw new StandingUnknownError(new Error('Slack has not said'));
}

const refusalSchema = z.object({ data: z.object({ error: z.string() }) });

/**
 * Slack's answer, or `otherwise` when Slack says there is no such thing. Any other failure counts as no
 * answer.
 */
async function answered<T>(asking: Promise<T>, absent: string, otherwise: T): Promise<T> {
  try {
    const answer = await withTimeout(
      PATIENCE_MS,
      asking.then((found) => ({ found })),
      null,
    );
    if (answer !== null) return answer.found;
  } catch (error) {
    const refusal = refusalSchema.safeParse(error);
    if (refusal.success && refusal.data.data.error === absent) return otherwise;
    throw new StandingUnknownError(error);
  }
  throw new StandingUnknownError(new Error('Slack took too long'));
}
