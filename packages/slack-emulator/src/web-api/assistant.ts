import { SlackRefusal } from '../errors.ts';
import { setStatus } from '../workspace/messages.ts';
import type { Channel, Workspace } from '../workspace/types.ts';
import { type Arguments, objectList, optional, required } from './arguments.ts';
import { type Methods, openChannel, threadFor } from './method.ts';

/** Slack takes a status away after two minutes. */
const STATUS_MS = 120_000;
const MOST_PROMPTS = 4;

export const assistantMethods: Methods = {
  'assistant.threads.setStatus': {
    token: 'bot',
    scope: 'assistant:write',
    run: ({ workspace }, args) => {
      const { channel, threadTs } = agentThread(workspace, args);
      const status = optional(args, 'status');
      if (status === undefined) throw new SlackRefusal('invalid_arguments');
      setStatus(workspace, channel.id, threadTs, status);
      const shown = workspace.statuses.at(-1);
      if (status !== '') {
        workspace.clock.after(STATUS_MS, () => {
          const latest = workspace.statuses.findLast(
            (it) => it.channel === channel.id && it.threadTs === threadTs,
          );
          if (latest === shown) setStatus(workspace, channel.id, threadTs, '');
        });
      }
      return {};
    },
  },
  'assistant.threads.setTitle': {
    token: 'bot',
    scope: 'assistant:write',
    run: ({ workspace }, args) => {
      const { channel, threadTs } = agentThread(workspace, args);
      workspace.threadTitles.set(`${channel.id}:${threadTs}`, required(args, 'title'));
      return {};
    },
  },
  'assistant.threads.setSuggestedPrompts': {
    token: 'bot',
    scope: 'assistant:write',
    run: ({ workspace }, args) => {
      openChannel(workspace, required(args, 'channel_id', 'channel_not_found'));
      const prompts = objectList(args, 'prompts', 'invalid_arguments') ?? [];
      const isPrompt = (it: Arguments) => typeof it.title === 'string' && typeof it.message === 'string';
      if (prompts.length === 0 || prompts.length > MOST_PROMPTS || !prompts.every(isPrompt)) {
        throw new SlackRefusal('invalid_arguments');
      }
      return {};
    },
  },
};

/** The thread that a status or title is for. Throws `channel_not_found`, `invalid_thread_ts`, … */
export function agentThread(workspace: Workspace, args: Arguments): { channel: Channel; threadTs: string } {
  const channel = openChannel(workspace, required(args, 'channel_id', 'channel_not_found'));
  const threadTs = threadFor(workspace, channel, required(args, 'thread_ts', 'invalid_thread_ts'));
  if (threadTs === null) throw new SlackRefusal('invalid_thread_ts');
  return { channel, threadTs };
}
