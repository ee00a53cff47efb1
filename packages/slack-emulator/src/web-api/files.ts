import { SlackRefusal } from '../errors.ts';
import { addMessage } from '../workspace/messages.ts';
import { count, objectList, optional, required } from './arguments.ts';
import { checkedBlocks } from './chat.ts';
import { fileToJson } from './message-json.ts';
import { type Methods, openChannel, threadFor } from './method.ts';

const MIMETYPES: Readonly<Record<string, string>> = {
  txt: 'text/plain',
  md: 'text/markdown',
  json: 'application/json',
  jsonl: 'application/jsonl',
  csv: 'text/csv',
  png: 'image/png',
  jpg: 'image/jpeg',
  pdf: 'application/pdf',
};

export const fileMethods: Methods = {
  'files.getUploadURLExternal': {
    token: 'bot',
    scope: 'files:write',
    run: ({ workspace, uploadUrl }, args) => {
      const name = required(args, 'filename');
      const length = count(args, 'length', 0);
      if (length < 1) throw new SlackRefusal('invalid_arguments');
      const id = workspace.newId('F');
      workspace.files.set(id, {
        id,
        name,
        title: name,
        mimetype: guessMimetype(name),
        user: workspace.app.botUserId,
        created: Math.floor(workspace.clock.now() / 1000),
        content: '',
        size: length,
        channels: [],
      });
      return { upload_url: uploadUrl(id), file_id: id };
    },
  },
  'files.completeUploadExternal': {
    token: 'bot',
    scope: 'files:write',
    run: ({ workspace }, args) => {
      const asked = objectList(args, 'files', 'invalid_arguments') ?? [];
      const channelId = optional(args, 'channel_id');
      const channel = channelId === undefined ? undefined : openChannel(workspace, channelId);
      const threadTs =
        channel === undefined ? null : threadFor(workspace, channel, optional(args, 'thread_ts'));
      const files = asked.map(({ id, title }) => {
        const file = workspace.files.get(String(id));
        if (file === undefined) throw new SlackRefusal('file_not_found');
        if (file.content === '') throw new SlackRefusal('file_update_failed');
        const channels = channel === undefined ? file.channels : [...file.channels, channel.id];
        return { ...file, title: typeof title === 'string' ? title : file.title, channels };
      });
      if (files.length === 0) throw new SlackRefusal('invalid_arguments');
      for (const file of files) workspace.files.set(file.id, file);
      if (channel !== undefined) {
        const comment = optional(args, 'initial_comment');
        addMessage(workspace, {
          channel: channel.id,
          user: workspace.app.botUserId,
          byApp: true,
          threadTs,
          text: comment ?? '',
          // Slack ignores blocks beside a comment.
          blocks: comment === undefined ? (checkedBlocks(workspace, args) ?? []) : [],
          files: files.map((it) => it.id),
          subtype: 'file_share',
        });
      }
      return { files: files.map((it) => fileToJson(it, workspace.baseUrl())) };
    },
  },
  'files.info': {
    token: 'bot',
    scope: 'files:read',
    run: ({ workspace }, args) => {
      const file = workspace.files.get(required(args, 'file', 'file_not_found'));
      if (file === undefined) throw new SlackRefusal('file_not_found');
      return { file: fileToJson(file, workspace.baseUrl()) };
    },
  },
};

export function guessMimetype(name: string): string {
  return MIMETYPES[name.split('.').at(-1)?.toLowerCase() ?? ''] ?? 'application/octet-stream';
}
