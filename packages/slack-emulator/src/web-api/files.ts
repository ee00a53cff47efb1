import { SlackRefusal } from '../errors.ts';
import { storeFile } from '../workspace/files.ts';
import { addMessage } from '../workspace/messages.ts';
import { count, objectList, optional, required } from './arguments.ts';
import { checkedBlocks } from './chat.ts';
import { fileToJson } from './message-json.ts';
import { type Methods, openChannel, threadFor } from './method.ts';

export const fileMethods: Methods = {
  'files.getUploadURLExternal': {
    token: 'bot',
    scope: 'files:write',
    run: ({ workspace, uploadUrl }, args) => {
      const name = required(args, 'filename');
      const length = count(args, 'length', 0);
      if (length < 1) throw new SlackRefusal('invalid_arguments');
      const user = workspace.app.botUserId;
      const { id } = storeFile(workspace, { user, name, content: Buffer.alloc(0), size: length });
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
      // docs.slack.dev/reference/methods/files.info#errors
      if (file.isDeleted) throw new SlackRefusal('file_deleted');
      return { file: fileToJson(file, workspace.baseUrl()) };
    },
  },
};
