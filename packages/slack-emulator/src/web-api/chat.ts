import { validateBlocks } from '../blocks/validate.ts';
import { withIds } from '../blocks/walk.ts';
import { SlackRefusal } from '../errors.ts';
import { isJsonObject, type JsonObject } from '../json.ts';
import { PERMALINKS } from '../server/permalinks.ts';
import { addMessage, changeMessage, removeMessage } from '../workspace/messages.ts';
import type { Channel, Message, Workspace } from '../workspace/types.ts';
import { type Arguments, flag, objectList, optional, required, structured } from './arguments.ts';
import { messageToJson } from './message-json.ts';
import { channelFor, type Methods, openChannel, threadFor, visibleMessage } from './method.ts';

const TEXT_CHARACTERS = 40_000;
const UPDATED_TEXT_CHARACTERS = 4_000;
const MARKDOWN_CHARACTERS = 12_000;

export const chatMethods: Methods = {
  'chat.postMessage': {
    token: 'bot',
    scope: 'chat:write',
    run: ({ workspace }, args) => {
      const channel = openChannel(workspace, required(args, 'channel', 'channel_not_found'));
      const threadTs = threadFor(workspace, channel, optional(args, 'thread_ts'));
      const content = readContent(workspace, args, TEXT_CHARACTERS);
      const subtype = threadTs !== null && flag(args, 'reply_broadcast') ? 'thread_broadcast' : null;
      const message = addMessage(workspace, {
        channel: channel.id,
        user: workspace.app.botUserId,
        byApp: true,
        threadTs,
        subtype,
        text: content.text ?? '',
        blocks: content.blocks ?? [],
        metadata: readMetadata(args) ?? null,
      });
      return {
        channel: channel.id,
        ts: message.ts,
        message: messageToJson(workspace, message, { withMetadata: true }),
      };
    },
  },
  'chat.postEphemeral': {
    token: 'bot',
    scope: 'chat:write',
    run: ({ workspace }, args) => {
      const channel = openChannel(workspace, required(args, 'channel', 'channel_not_found'));
      const user = required(args, 'user', 'no_user');
      if (!channel.members.includes(user)) throw new SlackRefusal('user_not_in_channel');
      const threadTs = threadFor(workspace, channel, optional(args, 'thread_ts'));
      const { text, blocks } = readContent(workspace, args, TEXT_CHARACTERS);
      const message = addMessage(workspace, {
        channel: channel.id,
        user: workspace.app.botUserId,
        byApp: true,
        threadTs,
        ephemeralFor: user,
        text: text ?? '',
        blocks: blocks ?? [],
      });
      return { message_ts: message.ts };
    },
  },
  'chat.update': {
    token: 'bot',
    scope: 'chat:write',
    run: ({ workspace }, args) => {
      // docs.slack.dev/reference/methods/chat.update: "cannot be edited within a frozen, archived or deleted channel".
      const channel = openChannel(workspace, required(args, 'channel', 'channel_not_found'), 'is_inactive');
      const message = ownMessage(workspace, channel, args, 'cant_update_message');
      if (message.stream !== null) throw new SlackRefusal('streaming_state_conflict');
      const content = readContent(workspace, args, UPDATED_TEXT_CHARACTERS);
      const metadata = readMetadata(args);
      const updated = changeMessage(workspace, message, {
        text: content.text ?? (content.blocks === undefined ? '' : message.text),
        blocks: content.blocks ?? [],
        edited: { user: workspace.app.botUserId, ts: workspace.nextTs() },
        ...(metadata !== undefined && { metadata: Object.keys(metadata).length === 0 ? null : metadata }),
      });
      const json = messageToJson(workspace, updated, { withMetadata: true });
      return { channel: channel.id, ts: updated.ts, text: updated.text, message: json };
    },
  },
  'chat.delete': {
    token: 'bot',
    scope: 'chat:write',
    run: ({ workspace }, args) => {
      const channel = openChannel(workspace, required(args, 'channel', 'channel_not_found'));
      const message = ownMessage(workspace, channel, args, 'cant_delete_message');
      removeMessage(workspace, message);
      return { channel: channel.id, ts: message.ts };
    },
  },
  'chat.getPermalink': {
    token: 'bot',
    run: ({ workspace }, args) => {
      const channel = channelFor(workspace, required(args, 'channel', 'channel_not_found'));
      const message = visibleMessage(workspace, channel, required(args, 'message_ts', 'message_not_found'));
      const inThread = message.threadTs !== null && message.threadTs !== message.ts;
      const query = inThread ? `?thread_ts=${message.threadTs}&cid=${channel.id}` : '';
      const permalink = `${workspace.baseUrl()}${PERMALINKS}${channel.id}/p${message.ts.replace('.', '')}${query}`;
      return { channel: channel.id, permalink };
    },
  },
};

interface Content {
  readonly text: string | undefined;
  readonly blocks: JsonObject[] | undefined;
}

/**
 * What a message is to show: `text`, `blocks`, or `markdown_text` alone.
 * Throws `no_text`, `msg_too_long`, `markdown_text_conflict`, and what `checkedBlocks` throws.
 */
export function readContent(workspace: Workspace, args: Arguments, textLimit: number): Content {
  const text = optional(args, 'text');
  const markdown = optional(args, 'markdown_text');
  const blocks = checkedBlocks(workspace, args);
  if (markdown !== undefined) {
    if (text !== undefined || blocks !== undefined) throw new SlackRefusal('markdown_text_conflict');
    if (markdown === '') throw new SlackRefusal('no_text');
    if (markdown.length > MARKDOWN_CHARACTERS) throw new SlackRefusal('msg_too_long');
    return {
      text: markdown,
      blocks: withIds([{ type: 'markdown', text: markdown }], () => workspace.newId('')),
    };
  }
  if ((text === undefined || text.trim() === '') && (blocks === undefined || blocks.length === 0)) {
    throw new SlackRefusal('no_text');
  }
  if (text !== undefined && text.length > textLimit) throw new SlackRefusal('msg_too_long');
  return { text, blocks };
}

/** The blocks of a message, with ids. Throws `invalid_blocks_format`, `invalid_blocks`, `msg_blocks_too_long`. */
export function checkedBlocks(workspace: Workspace, args: Arguments): JsonObject[] | undefined {
  const blocks = objectList(args, 'blocks', 'invalid_blocks_format');
  if (blocks === undefined) return undefined;
  const problems = validateBlocks(blocks, 'message');
  if (problems !== null) {
    const messages = [...problems.messages];
    throw new SlackRefusal(problems.error, { errors: messages, response_metadata: { messages } });
  }
  return withIds(blocks, () => workspace.newId(''));
}

function ownMessage(workspace: Workspace, channel: Channel, args: Arguments, foreign: string): Message {
  const message = visibleMessage(workspace, channel, required(args, 'ts', 'message_not_found'));
  if (!message.byApp) throw new SlackRefusal(foreign);
  return message;
}

/** Throws `invalid_metadata_format`; an empty object is allowed and removes what is there. */
function readMetadata(args: Arguments): JsonObject | undefined {
  const metadata = structured(args, 'metadata', 'invalid_metadata_format');
  if (metadata === undefined) return undefined;
  if (!isJsonObject(metadata)) throw new SlackRefusal('invalid_metadata_format');
  if (Object.keys(metadata).length === 0) return metadata;
  if (typeof metadata.event_type !== 'string' || !isJsonObject(metadata.event_payload)) {
    throw new SlackRefusal('invalid_metadata_format');
  }
  return metadata;
}
