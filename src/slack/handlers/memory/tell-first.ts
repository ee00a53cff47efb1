import type { KnownBlock } from '@slack/types';
import type { WebClient } from '@slack/web-api';
import type { TellFirst } from '../../../memory/ports.ts';
import { clip } from '../../../presentation/text/clip.ts';
import { plainLine } from '../../cards/plain-messages.ts';
import { describeItem } from '../../home/memory.ts';
import { isDirectChannel, parseSlackThreadId, readSlackUser } from '../../ids.ts';
import type { Message } from '../../text/block-kit.ts';
import { FIRST_LEARNED } from '../../texts/memory.ts';

/** How many items are named, and the longest line of one, in characters: how to be rid of them must fit, too. */
const NAMED = 4;
const LINE_LENGTH = 80;

/**
 * Tells somebody that something is remembered of them: in the thread where they said it, and nobody else; where that takes
 * nothing, directly.
 */
export function createTellFirst({
  client,
  log,
}: {
  readonly client: WebClient;
  readonly log: { warn(details: object, message: string): void };
}): TellFirst {
  return async ({ personId, threadId, items }) => {
    const thread = parseSlackThreadId(threadId);
    const user = readSlackUser(personId);
    if (user === null) return false;
    const message = describeFirst(items);
    const directly = () => client.chat.postMessage({ channel: user, ...message });
    const inThread = () => {
      if (thread === null) return directly();
      const place = { channel: thread.channel, thread_ts: thread.threadTs };
      return isDirectChannel(thread.channel)
        ? client.chat.postMessage({ ...place, ...message })
        : client.chat.postEphemeral({ ...place, user, ...message });
    };
    try {
      await inThread().catch(directly);
      return true;
    } catch (err) {
      log.warn({ err }, 'failed to tell somebody that something is remembered of them');
      return false;
    }
  };
}

/** What is told the first time. */
export function describeFirst(items: Parameters<TellFirst>[0]['items']): Message<KnownBlock> {
  const lines = items
    .slice(0, NAMED)
    .map((item) => FIRST_LEARNED.line(clip(describeItem(item), LINE_LENGTH)));
  const left = items.length - NAMED;
  const more = left > 0 ? [FIRST_LEARNED.more(left)] : [];
  return plainLine([FIRST_LEARNED.title, ...lines, ...more, FIRST_LEARNED.how].join('\n'));
}
