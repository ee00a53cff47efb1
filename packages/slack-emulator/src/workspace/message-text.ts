import { isJsonObject, type Json, type JsonObject } from '../json.ts';
import type { Message, Workspace } from './types.ts';
import { findChannel, findPerson } from './workspace.ts';

const TOKEN = /<@[UW][A-Z0-9]+>|<#C[A-Z0-9]+(?:\|[^>]*)?>|<![a-z]+>|@[\w.-]*\w|#[\w-]+/g;
const BROADCAST = /<!(?:channel|here|everyone)(?:\|[^>]*)?>/;

/**
 * What a person typed, as Slack's own composer sends it: `@ana` and `#ops` become references,
 * `@channel` a broadcast, everything else is escaped; with the `rich_text` block that goes along.
 */
export function parseTypedText(workspace: Workspace, typed: string): { text: string; blocks: JsonObject[] } {
  const elements: JsonObject[] = [];
  let text = '';
  let from = 0;
  const plain = (part: string): void => {
    if (part === '') return;
    text += escapeText(part);
    const last = elements.at(-1);
    if (last?.type === 'text') last.text = `${last.text}${part}`;
    else elements.push({ type: 'text', text: part });
  };
  for (const match of typed.matchAll(TOKEN)) {
    plain(typed.slice(from, match.index));
    from = match.index + match[0].length;
    const reference = resolve(workspace, match[0]);
    if (reference === null) plain(match[0]);
    else {
      text += reference.text;
      elements.push(reference.element);
    }
  }
  plain(typed.slice(from));
  if (elements.length === 0) return { text, blocks: [] };
  const section = { type: 'rich_text_section', elements };
  return { text, blocks: [{ type: 'rich_text', block_id: workspace.newId('b'), elements: [section] }] };
}

/** Slack's escaping of message text. */
function escapeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

function resolve(workspace: Workspace, token: string): { text: string; element: JsonObject } | null {
  const broadcast = /^(?:@|<!)(here|channel|everyone)>?$/.exec(token)?.[1];
  if (broadcast !== undefined)
    return { text: `<!${broadcast}>`, element: { type: 'broadcast', range: broadcast } };
  const bare = token.replace(/^<|\|.*|>$/g, '').replace(/^[@#]/, '');
  if (token.includes('@')) {
    const person = findPerson(workspace, bare);
    return person === undefined
      ? null
      : { text: `<@${person.id}>`, element: { type: 'user', user_id: person.id } };
  }
  const channel = findChannel(workspace, bare);
  if (channel === undefined) return null;
  return { text: `<#${channel.id}|${channel.name}>`, element: { type: 'channel', channel_id: channel.id } };
}

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
