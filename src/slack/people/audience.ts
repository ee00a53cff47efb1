import type { WebClient } from '@slack/web-api';
import { z } from 'zod';
import { withTimeout } from '../../lib/timeout.ts';
import { isDirectChannel, isSlackActor, parseSlackThreadId, slackActorId, slackChannelId } from '../ids.ts';
import type { BotIdentity } from './types.ts';

/** How long Slack may take to say who reads, in milliseconds. */
const PATIENCE_MS = 5_000;
/** Slack recommends no more a page (docs.slack.dev/reference/methods/users.conversations). */
const PAGE = 200;
/** The most pages that are read of the channels that somebody is in. */
const MOST_PAGES = 10;
/** The kinds of conversations that belong to several people, and the scope that each takes. */
const KINDS = {
  public_channel: 'channels:read',
  private_channel: 'groups:read',
  mpim: 'mpim:read',
} as const;

const channelSchema = z.object({ is_ext_shared: z.boolean(), is_org_shared: z.boolean().default(false) });
const pageSchema = z.object({
  channels: z.array(z.object({ id: z.string() })),
  response_metadata: z.object({ next_cursor: z.string().default('') }).default({ next_cursor: '' }),
});

interface AudiencePorts {
  readonly client: WebClient;
  readonly bot: BotIdentity;
  readonly missingScopes: (needed: readonly string[]) => readonly string[];
}

/** Who reads what is said in a conversation, and where somebody reads. What Slack says is never cached. */
export interface Audience {
  /**
   * By whom a conversation with somebody is read: by them alone, or by a channel; null for what isn't a conversation with
   * somebody in Slack, also if its cards are shown there.
   */
  find(asked: {
    readonly personId: string;
    readonly threadId: string;
  }): { readonly kind: 'alone' } | { readonly kind: 'channel'; readonly id: string } | null;
  /** Whether people of other organisations are in a channel. Rejects where Slack doesn't say. */
  hasOutsiders(channelId: string): Promise<boolean>;
  /**
   * The channels that somebody is in now, of those that the app may know of; `isCut`: there may be more. Rejects where Slack
   * doesn't say.
   */
  listChannels(personId: string): Promise<{ readonly ids: readonly string[]; readonly isCut: boolean }>;
  /** The id by which a Slack user asks here; null before the start. */
  personId(user: string): string | null;
  /** The id of a channel; null before the start. */
  channelId(channel: string): string | null;
}

export function createAudience({ client, bot, missingScopes }: AudiencePorts): Audience {
  async function listPage(kinds: readonly string[], user: string, cursor: string) {
    return pageSchema.parse(
      await client.users.conversations({
        user,
        types: kinds.join(','),
        limit: PAGE,
        ...(cursor !== '' && { cursor }),
      }),
    );
  }

  async function listAll(team: string, user: string) {
    const kinds = Object.entries(KINDS).filter(([, scope]) => missingScopes([scope]).length === 0);
    const isPart = kinds.length < Object.keys(KINDS).length;
    const ids: string[] = [];
    let cursor = '';
    for (let pages = 0; pages < MOST_PAGES; pages += 1) {
      const { channels, response_metadata: more } = await listPage(
        kinds.map(([kind]) => kind),
        user,
        cursor,
      );
      ids.push(...channels.map(({ id: channel }) => slackChannelId({ team, channel })));
      cursor = more.next_cursor;
      if (cursor === '') break;
    }
    return { ids, isCut: isPart || cursor !== '' };
  }

  return {
    find({ personId, threadId }) {
      const place = isSlackActor({ id: personId }) ? parseSlackThreadId(threadId) : null;
      if (place === null) return null;
      return isDirectChannel(place.channel)
        ? { kind: 'alone' }
        : { kind: 'channel', id: slackChannelId(place) };
    },
    async hasOutsiders(channelId) {
      const [, team = '', channel = ''] = channelId.split(':');
      const { channel: info } = await inTime(client.conversations.info({ channel }));
      const { is_ext_shared: isExternal, is_org_shared: isOfSeveral } = channelSchema.parse(info);
      // The workspaces of an organisation are one where the app is installed in all of it.
      return isExternal || (isOfSeveral && !team.startsWith('E'));
    },
    async listChannels(personId) {
      const [kind, team, user] = personId.split(':');
      if (kind !== 'slack' || !team || !user) return { ids: [], isCut: false };
      return inTime(listAll(team, user));
    },
    personId: (user) => (bot().teamId === '' ? null : slackActorId(bot().teamId, user)),
    channelId: (channel) => (bot().teamId === '' ? null : slackChannelId({ team: bot().teamId, channel })),
  };
}

async function inTime<T>(asking: Promise<T>): Promise<T> {
  const found = await withTimeout(
    PATIENCE_MS,
    asking.then((answer) => ({ answer })),
    null,
  );
  if (found === null) throw new Error('Slack took too long');
  return found.answer;
}
