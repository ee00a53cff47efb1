import { isJsonObject, type Json } from '../json.ts';
import type { Message } from './types.ts';

const BROADCAST = /<!(?:channel|here|everyone)(?:\|[^>]*)?>/;

/** Whether a message calls everybody: `<!channel>` in text that Slack reads as mrkdwn, or a rich text broadcast. */
export function callsEverybody(message: Pick<Message, 'text' | 'blocks'>): boolean {
  return BROADCAST.test(message.text) || message.blocks.some(holdsBroadcast);
}

function holdsBroadcast(value: Json): boolean {
  if (Array.isArray(value)) return value.some(holdsBroadcast);
  if (!isJsonObject(value)) return false;
  if (value.type === 'broadcast') return true;
  const isRead = value.type === 'mrkdwn' || value.type === 'markdown';
  if (isRead && typeof value.text === 'string' && BROADCAST.test(value.text)) return true;
  return Object.values(value).some(holdsBroadcast);
}
