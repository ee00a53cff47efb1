import { z } from 'zod';
import { type Actor, RefusalError } from '../../gate/types.ts';
import { sentence } from '../../presentation/outcome-text.ts';
import { ACTIONS } from '../cards/action-ids.ts';
import { helpText, plainLine } from '../cards/plain-messages.ts';
import { classifyFailure } from '../client/api-errors.ts';
import { type Brought, isOpen } from '../documents/collections.ts';
import { slackFileSchema } from '../documents/slack-file.ts';
import { slackEventId, slackThreadId } from '../ids.ts';
import { toActor, toActorId } from '../people/actor.ts';
import { HELP } from '../texts/commands.ts';
import { CAME_WITH, FILE } from '../texts/documents.ts';
import { bestEffort } from './best-effort.ts';
import type { Listeners } from './listeners.ts';
import { incomingText, writtenWords } from './message-text.ts';
import { clickedValue, type Envelope, envelopeSchema } from './payloads.ts';
import type { HandlerPorts } from './ports.ts';
import { onClick } from './register.ts';

/** The fields of a message that we rely on. Edits, joins and the like have a subtype; bots have a bot_id. */
const messageSchema = z.object({
  type: z.enum(['message', 'app_mention']),
  subtype: z.enum(['file_share', 'thread_broadcast']).optional(),
  bot_id: z.undefined().optional(),
  user: z.string(),
  text: z.string().default(''),
  ts: z.string(),
  thread_ts: z.string().optional(),
  channel: z.string(),
  channel_type: z.string().optional(),
  files: z.array(slackFileSchema).max(1_000).default([]),
});
type Message = z.infer<typeof messageSchema>;

const deletedSchema = z.object({
  subtype: z.literal('message_deleted'),
  channel: z.string(),
  deleted_ts: z.string(),
});

/** One that others have answered is deleted so: its replies stay, and what it said goes. */
const emptiedSchema = z.object({
  subtype: z.literal('message_changed'),
  channel: z.string(),
  message: z.object({ subtype: z.literal('tombstone'), ts: z.string() }),
});

/** What group DMs need beyond mentions: hearing replies, and knowing who is there. */
const GROUP_DM_SCOPES = ['mpim:history', 'mpim:read'];
const OPENING_MENTION = /^\s*<@([UW][A-Z0-9]+)/;

/**
 * Handles messages to the bot: mentions, direct messages, and replies in threads by people who have addressed
 * the bot there before. A reply that starts with somebody else's name is not for the bot. Deduplicated twice:
 * one message can arrive as two events (same channel and ts), and each event can arrive several times (same
 * event id, any envelope).
 */
export function registerMessages(on: Listeners, ports: HandlerPorts): void {
  registerHeldMessages(on, ports);
  registerRepeats(on, ports);

  on.app.event('app_mention', async ({ event, body }) => {
    await take(event, envelopeSchema.parse(body), () => true);
  });

  on.app.event('message', async ({ event, body }) => {
    const deleted = deletedSchema.safeParse(event);
    if (deleted.success) {
      await ports.intake.messageDeleted(deleted.data.channel, deleted.data.deleted_ts);
      return ports.messageDeleted(deleted.data.channel, deleted.data.deleted_ts);
    }
    const emptied = emptiedSchema.safeParse(event);
    if (emptied.success) return ports.intake.messageDeleted(emptied.data.channel, emptied.data.message.ts);
    const envelope = envelopeSchema.parse(body);
    await take(event, envelope, async (message, threadId) => {
      if (message.channel_type === 'im') return true;
      // A mention in a group DM may come as this event alone (lidge-jun/cli-jaw#651).
      if (message.channel_type === 'mpim' && isMention(message)) return true;
      // A mention's own event may come without its files.
      if (message.files.length > 0 && isMention(message)) return true;
      if (message.thread_ts === undefined || isToSomebodyElse(message)) return false;
      const isKnown = await ports.runs.hasWritten(threadId, toActorId(ports, message.user));
      // A mention comes as an event of its own.
      if (!isKnown && !isMention(message)) await hint(ports, message, threadId);
      return isKnown;
    });
  });

  async function take(
    event: unknown,
    { event_id: eventId }: Envelope,
    isForUs: (message: Message, threadId: string) => boolean | Promise<boolean>,
  ): Promise<void> {
    const parsed = messageSchema.safeParse(event);
    if (!parsed.success || parsed.data.user === ports.bot().userId) return;
    const message = parsed.data;
    const threadTs = message.thread_ts ?? message.ts;
    const { teamId } = ports.bot();
    const place = { team: teamId, channel: message.channel, threadTs };
    const threadId = slackThreadId(place);
    if (!(await isForUs(message, threadId))) return;
    const text = await incomingText(message.text, ports.bot().userId, ports.directory);
    if (text === '' && message.files.length === 0) return greet(ports, message, threadTs);
    const isDm = message.channel_type === 'im';
    const actor = await toActor(ports, message.user);
    const files = await ports.intake.take({ ...message, threadId, requester: actor, hasWords: text !== '' });
    // There's nothing to answer but what becomes of the files.
    if (text === '') return;
    await ports.runs.receive({
      threadId,
      graph: await ports.agents.find({ channel: message.channel, isDm }),
      surface: { kind: 'slack', ...place, isDm },
      itemId: `slack:${teamId}:${message.channel}:${message.ts}`,
      eventId: slackEventId(eventId),
      actor,
      text: [text, ...describeFiles(files)].join('\n\n'),
      words: writtenWords(message.text, ports.bot().userId),
      at: Math.floor(Number(message.ts) * 1_000),
    });
    await noteMissingScopes(ports, message, { threadId, requester: actor });
  }

  function isMention({ text }: Message): boolean {
    return text.includes(`<@${ports.bot().userId}>`);
  }

  function isToSomebodyElse({ text }: Message): boolean {
    const [, opening] = OPENING_MENTION.exec(text) ?? [];
    return opening !== undefined && opening !== ports.bot().userId;
  }
}

/** What the agent reads of files that came with a message. */
function describeFiles(files: readonly Brought[]): readonly string[] {
  const [open, unread] = [true, false].map((it) =>
    files.filter((file) => isOpen(file) === it).map(({ name }) => name || FILE.noName),
  );
  return [
    ...(open?.length ? [CAME_WITH.learning(open)] : []),
    ...(unread?.length ? [CAME_WITH.unread(unread)] : []),
  ];
}

/** Tells somebody who writes into a thread of the app, without addressing it, once how to do that. */
async function hint(
  ports: HandlerPorts,
  { channel, user, thread_ts }: Message,
  threadId: string,
): Promise<void> {
  if (user === ports.bot().userId || (await ports.runs.thread(threadId)) === null) return;
  if (!(await ports.rememberHint(threadId, user))) return;
  const line = plainLine(HELP.toAddress(sentence(ports.bot().name)));
  await bestEffort(
    ports,
    ports.client.chat.postEphemeral({ channel, user, ...(thread_ts && { thread_ts }), ...line }),
  );
}

/** Answers a mention without text with the help. */
async function greet(ports: HandlerPorts, message: Message, threadTs: string): Promise<void> {
  const examples = ports.examples(await ports.tools());
  const greeting = ports.client.chat.postEphemeral({
    channel: message.channel,
    user: message.user,
    ...(message.thread_ts === undefined ? {} : { thread_ts: threadTs }),
    ...helpText(ports.bot().name, examples),
  });
  await bestEffort(ports, greeting);
}

/**
 * Says once in a group DM which scopes an older installation lacks to work there fully. Only its mentions
 * arrive, which name no kind of channel (openclaw/openclaw#115463), so Slack is asked.
 */
async function noteMissingScopes(
  { missingScopes, show, client }: HandlerPorts,
  { channel, channel_type: kind }: Message,
  place: Parameters<HandlerPorts['show']>[0],
): Promise<void> {
  const missing = [...missingScopes(GROUP_DM_SCOPES)];
  if (missing.length === 0) return;
  const isGroup = kind === undefined ? !(await isVisible(client, channel)) : kind === 'mpim';
  if (isGroup) await show(place, [{ kind: 'scopes', channel, missing }]);
}

/** Whether the app's scopes cover the channel; true where Slack doesn't say. */
async function isVisible(client: HandlerPorts['client'], channel: string): Promise<boolean> {
  try {
    await client.conversations.info({ channel });
    return true;
  } catch (error) {
    return !['missing_scope', 'channel_not_found'].includes(classifyFailure(error).name);
  }
}

/** Handles Try again under a message that failed for a reason that passes. */
function registerRepeats(on: Listeners, ports: HandlerPorts): void {
  onClick(on, ports, ACTIONS.sayAgain, async (click, actor) => {
    const itemId = clickedValue(click);
    await ports.runs.receiveAgain(itemId, actor);
    const item = await ports.runs.item(itemId);
    // Its button goes.
    if (item) await ports.show({ ...item, requester: item.actor }, [{ kind: 'answer', itemId }]);
  });
}

/** Handles the buttons under a message that arrived while a card was open. */
function registerHeldMessages(on: Listeners, ports: HandlerPorts): void {
  const { runs } = ports;
  const onHeld = (
    action: string,
    run: (itemId: string, actor: Actor, shownFor: string | null) => Promise<void>,
  ): void =>
    onClick(on, ports, action, async (click, actor) => {
      // Buttons of before this was so have the message alone.
      const [, shownFor = null, itemId = clickedValue(click)] =
        /^([\w-]{22}):(.+)$/s.exec(clickedValue(click)) ?? [];
      await run(itemId, actor, shownFor).catch(async (error: unknown) => {
        const item = await runs.item(itemId);
        // Something else waits by now: the message under which the button is says what.
        if (item && error instanceof RefusalError && error.refusal === 'changed') {
          await ports.show({ ...item, requester: item.actor }, [{ kind: 'held', itemId }]);
        }
        throw error;
      });
    });
  onHeld(ACTIONS.useAsFeedback, runs.useAsFeedback);
  onHeld(ACTIONS.useAsAnswer, runs.useAsAnswer);
  onHeld(ACTIONS.leavePending, (itemId, actor) => runs.leaveAsComment(itemId, actor));
  onHeld(ACTIONS.doBoth, (itemId, actor) => runs.runBeside(itemId, actor));
  onHeld(ACTIONS.withdrawPending, runs.withdrawFor);
}
