import { z } from 'zod';
import { clip } from '../service/api.ts';
import { toIsoTime } from '../service/time.ts';

/** Longest text of a message that is given, in characters. */
const LONGEST_TEXT = 4_000;
/** Longest text of a message that is posted: Slack advises against more. docs.slack.dev/reference/methods/chat.postMessage */
const LONGEST_POST = 4_000;

// What tools take

export const PERSON_ID = /^[UW][A-Z0-9]{7,20}$/;
export const EMAIL = /^[^\s@]+@[^\s@]+\.[^\s@]+$/;

/** The kinds of conversations, as Slack calls them. docs.slack.dev/reference/methods/users.conversations */
export const KINDS = { public: 'public_channel', private: 'private_channel', group: 'mpim', direct: 'im' };
const kind = z.enum(['public', 'private', 'group', 'direct']);

const channel = z
  .string()
  .regex(/^[CDG][A-Z0-9]{7,20}$/, 'is no id of a channel, such as C012AB3CD')
  .meta({ title: 'Channel', description: 'The id of a channel or of direct messages, such as C012AB3CD.' });
const threadTs = z
  .string()
  .regex(/^\d{1,12}\.\d{6}$/, 'is no ts of a message, such as 1732437000.000100')
  .meta({ title: 'Thread', description: 'The ts of the first message of a thread.' });
const atMost = (most: number, normally: number) =>
  z.int().min(1).max(most).default(normally).meta({ title: 'At most', description: 'How many to give.' });
const limit = atMost(50, 20);
const cursor = z.string().min(1).max(500).optional().meta({
  title: 'Page',
  description: 'What an earlier answer gave as next_page, to go on from there.',
});

const person = z
  .string()
  .trim()
  .min(1, 'is blank')
  .max(254)
  .refine((given) => !/[<>\n]/.test(given), 'is no id, e-mail address or name')
  .meta({
    title: 'Person',
    description: 'An id such as U012AB3CD, an e-mail address, or a name, with or without an @.',
  });
/** Not by name, which somebody else may have once the message is approved. */
const addressee = z
  .string()
  .trim()
  .max(254)
  .refine(
    (given) => PERSON_ID.test(given) || EMAIL.test(given),
    'is no id and no e-mail address: get_person gives the id of somebody by name',
  )
  .meta({ title: 'Person', description: 'An id such as U012AB3CD, or an e-mail address.' });
const postedText = z
  .string()
  .min(1)
  .max(LONGEST_POST)
  .refine((text) => text.trim() !== '', 'is blank')
  .meta({
    title: 'Text',
    description: 'In Slack’s format: *bold*, <https://example.com|a link>, <@U012AB3CD> to mention somebody.',
  });

export const inputs = {
  person: z.strictObject({ person }),
  directMessage: z.strictObject({ person: addressee, text: postedText }),
  search: z.strictObject({
    query: z.string().trim().min(1, 'is blank').max(500).meta({
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
    text: postedText,
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
const personAnswer = z.object({
  id: z.string(),
  name: z.string().nullish(),
  real_name: z.string().nullish(),
  deleted: z.boolean().nullish(),
  is_bot: z.boolean().nullish(),
  is_restricted: z.boolean().nullish(),
  is_stranger: z.boolean().nullish(),
  profile: z
    .object({
      display_name: z.string().nullish(),
      real_name: z.string().nullish(),
      email: z.string().nullish(),
      title: z.string().nullish(),
    })
    .nullish(),
});
/** Somebody as Slack gives them. docs.slack.dev/reference/objects/user-object */
export type FoundPerson = z.output<typeof personAnswer>;
const next = z.object({ next_cursor: z.string().nullish() }).nullish();

export const answers = {
  found: z.object({ messages: z.object({ total: z.number(), matches: z.array(foundAnswer) }) }),
  channels: z.object({ channels: z.array(channelAnswer), response_metadata: next }),
  channel: z.object({ channel: channelAnswer }),
  messages: z.object({ messages: z.array(messageAnswer), response_metadata: next }),
  posted: z.object({ channel: z.string(), ts: z.string() }),
  person: z.object({ user: personAnswer }),
  people: z.object({ members: z.array(personAnswer), response_metadata: next }),
  opened: z.object({ channel: z.object({ id: z.string() }) }),
};

// What tools give

const messageShape = {
  ts: z.string(),
  at: z.string().nullable(),
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
  person: z.object({
    person: z.object({
      id: z.string(),
      name: z.string(),
      display_name: z.string().nullable(),
      email: z.string().nullable(),
      title: z.string().nullable(),
      /** Whether they are a guest here, or of another workspace; null for a member. */
      outsider: z.enum(['a guest', 'of another workspace']).nullable(),
    }),
  }),
  sent: z.object({ person: z.string(), channel: z.string(), ts: z.string() }),
};

// From the one to the other

export function toMessage(message: z.output<typeof messageAnswer>) {
  return {
    ts: message.ts,
    // docs.slack.dev/reference/objects/message-object: seconds since 1970, with a number that makes it unique.
    at: toIsoTime(Number(message.ts) * 1_000),
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

export function toPerson({ id, name, real_name: realName, profile, ...is }: FoundPerson) {
  const display = profile?.display_name?.trim() || name || null;
  return {
    id,
    name: realName?.trim() || profile?.real_name?.trim() || display || id,
    display_name: display,
    email: profile?.email || null,
    title: profile?.title || null,
    outsider: is.is_stranger
      ? ('of another workspace' as const)
      : is.is_restricted
        ? ('a guest' as const)
        : null,
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
