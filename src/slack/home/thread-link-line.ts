import type { RichTextElement } from '@slack/types';
import { parseSlackThreadId } from '../ids.ts';
import type { ThreadUrl } from '../permalinks.ts';
import { text } from '../text/block-kit.ts';
import { HOME } from '../texts/home.ts';

/**
 * A last line with the link to the thread where something was requested; nothing for requests from outside
 * Slack.
 */
export function threadLinkLine(threadId: string, urlOf: ThreadUrl): RichTextElement[] {
  const thread = parseSlackThreadId(threadId);
  if (thread === null) return [];
  const { channel } = thread;
  const isDirect = channel.startsWith('D');
  const url = urlOf(threadId);
  return [
    text('\n'),
    isDirect ? text(HOME.directMessages) : { type: 'channel', channel_id: channel },
    ...(url === null ? [] : [text(' · '), { type: 'link', url, text: HOME.openThread } as const]),
  ];
}
