import type { Directory } from '../people/directory.ts';

const MENTION = /<@([UW][A-Z0-9]+)(?:\|[^>]*)?>/g;

/**
 * The text of a message for the agent: without the bot's mention, people and channels with name and id, links
 * as they are, Slack's escapes undone.
 */
export async function incomingText(raw: string, botUserId: string, directory: Directory): Promise<string> {
  const withoutBot = removeBot(raw, botUserId);
  const ids = [...new Set([...withoutBot.matchAll(MENTION)].map((match) => match[1] ?? ''))];
  const names = new Map(await Promise.all(ids.map(async (id) => [id, await directory.nameOf(id)] as const)));
  return plainText(withoutBot, {
    person: (id) => `@${names.get(id) ?? id} (${id})`,
    channel: (id, name) => (name ? `#${name} (${id})` : id),
  });
}

/** The same with ids alone: the names of people and channels are words that others chose. */
export function writtenWords(raw: string, botUserId: string): string {
  return plainText(removeBot(raw, botUserId), { person: (id) => `@${id}`, channel: (id) => `#${id}` });
}

function removeBot(raw: string, botUserId: string): string {
  return raw.replace(new RegExp(`<@${botUserId}(?:\\|[^>]*)?>`, 'g'), '');
}

function plainText(
  raw: string,
  toName: {
    readonly person: (id: string) => string;
    readonly channel: (id: string, name: string) => string;
  },
): string {
  return raw
    .replace(MENTION, (_, id: string) => toName.person(id))
    .replace(/<#([CG][A-Z0-9]+)\|([^>]*)>/g, (_, id: string, name: string) => toName.channel(id, name))
    .replace(/<((?:https?|mailto|tel):[^>|]+)(?:\|[^>]*)?>/g, '$1')
    .replace(/<!(channel|here|everyone)>/g, '@$1')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
    .trim();
}
