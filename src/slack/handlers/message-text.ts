import type { Directory } from '../people/directory.ts';

const MENTION = /<@([UW][A-Z0-9]+)(?:\|[^>]*)?>/g;

/**
 * The text of a message for the agent: without the bot's mention, people and channels with name and id, links
 * as they are, Slack's escapes undone.
 */
export async function incomingText(raw: string, botUserId: string, directory: Directory): Promise<string> {
  const withoutBot = raw.replace(new RegExp(`<@${botUserId}(?:\\|[^>]*)?>`, 'g'), '');
  const ids = [...new Set([...withoutBot.matchAll(MENTION)].map((match) => match[1] ?? ''))];
  const names = new Map(await Promise.all(ids.map(async (id) => [id, await directory.nameOf(id)] as const)));
  return withoutBot
    .replace(MENTION, (_, id: string) => `@${names.get(id) ?? id} (${id})`)
    .replace(/<#([CG][A-Z0-9]+)\|([^>]*)>/g, (_, id: string, name: string) =>
      name ? `#${name} (${id})` : id,
    )
    .replace(/<((?:https?|mailto|tel):[^>|]+)(?:\|[^>]*)?>/g, '$1')
    .replace(/<!(channel|here|everyone)>/g, '@$1')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
    .trim();
}
