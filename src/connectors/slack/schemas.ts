import { z } from 'zod';
import { clip } from '../service/api.ts';

/** Longest text of a message that is given, in characters. */
const LONGEST_TEXT = 4_000;
/** Longest text of a message that is posted: Slack advises against more. docs.slack.dev/reference/methods/chat.postMessage */
const LONGEST_POST = 4_000;

// What tools take

/** The kinds of conversations, as Slack calls them. docs.slack.dev/reference/methods/users.conversations */
export const KINDS = { public: 'public_channel', private: 'private_channel', group: 'mpim', direct: 'im' };
const kind = z.enum(['public', 'private', 'group', 'direct']);

const channel = z
  .string()
  .regex(/^[CDG][A-Z0-9]{7,20}$/, 'a channel is named by its id, such as C012AB3CD')
  .meta({ title: 'Channel', description: 'The id of a channel or of direct messages, such as C012AB3CD.' });
const threadTs = z
  .string()
  .regex(/^\d{1,12}\.\d{6}$/, 'a thread is named by the ts of its first message')
  .meta({ title: 'Thread', description: 'The ts of the first message of a thread.' });
const atMost = (most: number, normally: number) =>
  z.int().min(1).max(most).default(normally).meta({ title: 'At most', description: 'How many to give.' });
const limit = atMost(50, 20);
const cursor = z.string().min(1).max(500).optional().meta({
  title: 'Page',
  description: 'What an earlier answer gave as next_page, to go on from there.',
});

export const inputs = {
  search: z.strictObject({
    query: z.string().trim().min(1).max(500).meta({
      title: 'Query',
      description: 'In Slack’s search syntax, such as roses in:#garden from:@bob after:2026-11-01.',
    }),
    sort: z.enum(['newest', 'best']).default('newest').meta({ title: 'Sort' }),
    limit,
    page: z.int().min(1).max(100).default(1).meta({ title: 'Page', description: 'Which page of them.' }),
  }),
  channels: z.strictObject({
    kinds: z.array(kind).min(1).max(4).default(['public', 'private']).meta({
      title: 'Kinds',
      description: 'Public and private channels, unless others are named: group and direct messages.',
    }),
    limit: atMost(200, 100),
    cursor,
  }),
  channel: z.strictObject({ channel }),
  history: z.strictObject({
    channel,
    after: z.iso
      .datetime({ offset: true })
      .optional()
      .meta({ title: 'After', description: 'Nothing older.' }),
    limit,
    cursor,
  }),
  thread: z.strictObject({ channel, thread_ts: threadTs, limit, cursor }),
  post: z.strictObject({
    channel,
    text: z.string().min(1).max(LONGEST_POST).meta({
      title: 'Text',
      description:
        'In Slack’s format: *bold*, <https://example.com|a link>, <@U012AB3CD> to mention somebody.',
    }),
    thread_ts: threadTs.optional().meta({
      title: 'Thread',
      description: 'The ts of the first message of the thread to answer in; without it, the channel.',
    }),
  }),
};

// What Slack answers, as far as it's read

const channelAnswer = z.object({
  id: z.string(),
  name: z.string().nullish(),
  user: z.string().nullish(),
  is_private: z.boolean().nullish(),
  is_im: z.boolean().nullish(),
  is_mpim: z.boolean().nullish(),
  num_members: z.number().nullish(),
  purpose: z.object({ value: z.string() }).nullish(),
});
const messageAnswer = z.object({
  ts: z.string(),
  text: z.string().nullish(),
  user: z.string().nullish(),
  username: z.string().nullish(),
  thread_ts: z.string().nullish(),
  reply_count: z.number().nullish(),
});
const foundAnswer = messageAnswer.extend({
  channel: z.object({ id: z.string(), name: z.string().nullish() }),
  permalink: z.string().nullish(),
});
const next = z.object({ next_cursor: z.string().nullish() }).nullish();

export const answers = {
  found: z.object({ messages: z.object({ total: z.number(), matches: z.array(foundAnswer) }) }),
  channels: z.object({ channels: z.array(channelAnswer), response_metadata: next }),
  channel: z.object({ channel: channelAnswer }),
  messages: z.object({ messages: z.array(messageAnswer), response_metadata: next }),
  posted: z.object({ channel: z.string(), ts: z.string() }),
};

// What tools give

const messageShape = {
  ts: z.string(),
  at: z.string(),
  /** Somebody's id, or an app's name. */
  author: z.string().nullable(),
  text: z.string(),
  thread_ts: z.string().nullable(),
  replies: z.number(),
};
const channelShape = {
  id: z.string(),
  name: z.string().nullable(),
  kind,
  /** With whom, of direct messages. */
  user: z.string().nullable(),
  members: z.number().nullable(),
  purpose: z.string().nullable(),
};
const nextPage = z.string().nullable();

export const outputs = {
  found: z.object({
    total: z.number(),
    messages: z.array(
      z.object({
        ...messageShape,
        channel: z.string(),
        channel_name: z.string().nullable(),
        link: z.string().nullable(),
      }),
    ),
  }),
  channels: z.object({ channels: z.array(z.object(channelShape)), next_page: nextPage }),
  channel: z.object({ channel: z.object(channelShape) }),
  messages: z.object({ messages: z.array(z.object(messageShape)), next_page: nextPage }),
  posted: z.object({ channel: z.string(), ts: z.string() }),
};

// From the one to the other

export function toMessage(message: z.output<typeof messageAnswer>) {
  return {
    ts: message.ts,
    // docs.slack.dev/reference/objects/message-object: seconds since 1970, with a number that makes it unique.
    at: new Date(Number(message.ts) * 1_000).toISOString(),
    author: message.user ?? message.username ?? null,
    text: clip(message.text ?? '', LONGEST_TEXT),
    thread_ts: message.thread_ts ?? null,
    replies: message.reply_count ?? 0,
  };
}

export function toFound(found: z.output<typeof foundAnswer>) {
  return {
    ...toMessage(found),
    channel: found.channel.id,
    channel_name: found.channel.name ?? null,
    link: found.permalink ?? null,
  };
}

export function toChannel(found: z.output<typeof channelAnswer>) {
  return {
    id: found.id,
    name: found.name ?? null,
    kind: readKind(found),
    user: found.user ?? null,
    members: found.num_members ?? null,
    purpose: found.purpose?.value || null,
  };
}

function readKind(found: z.output<typeof channelAnswer>): z.output<typeof kind> {
  if (found.is_im) return 'direct';
  if (found.is_mpim) return 'group';
  return found.is_private ? 'private' : 'public';
}

/** The cursor of the next page; Slack says that there's none by an empty one. docs.slack.dev/apis/web-api/pagination */
export function readNext(metadata: z.output<typeof next>): string | null {
  return metadata?.next_cursor || null;
}
