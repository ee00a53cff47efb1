import { validateBlocks } from '../blocks/validate.ts';
import { withIds } from '../blocks/walk.ts';
import { SlackRefusal } from '../errors.ts';
import type { JsonObject } from '../json.ts';
import { addMessage, changeMessage, findMessage } from '../workspace/messages.ts';
import type { Message, StreamContent, Workspace } from '../workspace/types.ts';
import { type Arguments, objectList, optional, required } from './arguments.ts';
import { checkedBlocks } from './chat.ts';
import { messageToJson } from './message-json.ts';
import { type MethodContext, type Methods, openChannel, threadFor } from './method.ts';

const MARKDOWN_CHARACTERS = 12_000;
const EMPTY: StreamContent = { markdown: '', planTitle: null, tasks: [], blocks: [], asPlan: false };

export const streamMethods: Methods = {
  'chat.startStream': {
    token: 'bot',
    scope: 'chat:write',
    run: (context, args) => {
      const { workspace } = context;
      const channel = openChannel(workspace, required(args, 'channel', 'channel_not_found'));
      const threadTs = threadFor(workspace, channel, required(args, 'thread_ts', 'invalid_thread_ts'));
      if (channel.kind !== 'im') {
        required(args, 'recipient_team_id', 'missing_recipient_team_id');
        required(args, 'recipient_user_id', 'missing_recipient_user_id');
      }
      const start = { ...EMPTY, asPlan: optional(args, 'task_display_mode') === 'plan' };
      const message = addMessage(workspace, {
        channel: channel.id,
        user: workspace.app.botUserId,
        byApp: true,
        threadTs,
        ...shown(workspace, appended(start, args)),
      });
      endWhenIdle(context, message);
      return { channel: channel.id, ts: message.ts };
    },
  },
  'chat.appendStream': {
    token: 'bot',
    scope: 'chat:write',
    run: (context, args) => {
      const { workspace } = context;
      const { message, stream } = openStream(workspace, args);
      endWhenIdle(context, changeMessage(workspace, message, shown(workspace, appended(stream, args))));
      return { channel: message.channel, ts: message.ts };
    },
  },
  'chat.stopStream': {
    token: 'bot',
    scope: 'chat:write',
    run: ({ workspace }, args) => {
      const { message, stream } = openStream(workspace, args);
      const blocks = checkedBlocks(workspace, args) ?? [];
      const final = shown(workspace, appended(stream, args));
      const stopped = changeMessage(workspace, message, {
        ...final,
        blocks: [...final.blocks, ...blocks],
        stream: null,
      });
      return { channel: message.channel, ts: message.ts, message: messageToJson(workspace, stopped) };
    },
  },
};

/** Ends a stream that nothing was added to for a while, as Slack does. */
function endWhenIdle({ workspace, streamIdleMs }: MethodContext, message: Message): void {
  workspace.clock.after(streamIdleMs, () => {
    const current = findMessage(workspace, message.channel, message.ts);
    if (current !== undefined && current.stream === message.stream)
      changeMessage(workspace, current, { stream: null });
  });
}

function openStream(workspace: Workspace, args: Arguments): { message: Message; stream: StreamContent } {
  const channel = openChannel(workspace, required(args, 'channel', 'channel_not_found'));
  const message = findMessage(workspace, channel.id, required(args, 'ts', 'message_not_found'));
  if (message === undefined) throw new SlackRefusal('message_not_found');
  if (!message.byApp) throw new SlackRefusal('message_not_owned_by_app');
  if (message.stream === null) throw new SlackRefusal('message_not_in_streaming_state');
  return { message, stream: message.stream };
}

/** The stream with what this call adds. Throws `msg_too_long`, `invalid_chunks`, `invalid_blocks`. */
function appended(stream: StreamContent, args: Arguments): StreamContent {
  const markdown = optional(args, 'markdown_text') ?? '';
  const chunks = objectList(args, 'chunks', 'invalid_chunks') ?? [];
  const result = chunks.reduce(withChunk, { ...stream, markdown: stream.markdown + markdown });
  if (result.markdown.length > MARKDOWN_CHARACTERS) throw new SlackRefusal('msg_too_long');
  return result;
}

function withChunk(stream: StreamContent, chunk: JsonObject): StreamContent {
  switch (chunk.type) {
    case 'markdown_text':
      if (typeof chunk.text !== 'string') throw new SlackRefusal('invalid_chunks');
      return { ...stream, markdown: stream.markdown + chunk.text };
    case 'plan_update':
      if (typeof chunk.title !== 'string') throw new SlackRefusal('invalid_chunks');
      return { ...stream, planTitle: chunk.title };
    case 'task_update':
      return { ...stream, tasks: withTask(stream.tasks, chunk) };
    case 'blocks': {
      const blocks = objectList(chunk, 'blocks', 'invalid_chunks') ?? [];
      const problems = validateBlocks(blocks, 'message');
      if (problems !== null)
        throw new SlackRefusal(problems.error, { response_metadata: { messages: [...problems.messages] } });
      return { ...stream, blocks: [...stream.blocks, ...blocks] };
    }
    default:
      throw new SlackRefusal('invalid_chunks');
  }
}

function withTask(
  tasks: readonly JsonObject[],
  { id, title, status, details, output, sources }: JsonObject,
): JsonObject[] {
  if (typeof id !== 'string' || typeof title !== 'string' || typeof status !== 'string') {
    throw new SlackRefusal('invalid_chunks');
  }
  const task: JsonObject = {
    type: 'task_card',
    task_id: id,
    title,
    status,
    ...(typeof details === 'string' && { details: paragraph(details) }),
    ...(typeof output === 'string' && { output: paragraph(output) }),
    ...(sources !== undefined && { sources }),
  };
  if (validateBlocks([task], 'message') !== null) throw new SlackRefusal('invalid_chunks');
  const index = tasks.findIndex((it) => it.task_id === id);
  return index === -1 ? [...tasks, task] : tasks.with(index, { ...tasks[index], ...task });
}

function shown(
  workspace: Workspace,
  stream: StreamContent,
): Pick<Message, 'text' | 'blocks' | 'stream'> & { blocks: JsonObject[] } {
  const asPlan = stream.asPlan || stream.planTitle !== null;
  const tasks: JsonObject[] =
    asPlan && stream.tasks.length > 0
      ? [{ type: 'plan', title: stream.planTitle ?? 'Plan', tasks: [...stream.tasks] }]
      : [...stream.tasks];
  const words: JsonObject[] = stream.markdown === '' ? [] : [{ type: 'markdown', text: stream.markdown }];
  const blocks = withIds([...tasks, ...words, ...stream.blocks], () => workspace.newId(''));
  return { text: stream.markdown, blocks, stream };
}

function paragraph(text: string): JsonObject {
  const elements = text === '' ? [] : [{ type: 'text', text }];
  return { type: 'rich_text', elements: [{ type: 'rich_text_section', elements }] };
}
