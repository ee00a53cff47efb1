/** What the composer does with what somebody types: names to mentions, `/word` to a command, suggestions. */

import type { PageChannel, PageUser, WorkspaceState } from '../../server/page-api.ts';

export interface Suggestion {
  /** What stands in the text once it is taken. */
  readonly insert: string;
  readonly label: string;
  readonly detail: string;
}

export interface Completion {
  /** Where in the text the typed word begins; it is replaced up to the caret. */
  readonly from: number;
  readonly suggestions: readonly Suggestion[];
}

type Typed =
  | { readonly kind: 'message'; readonly text: string }
  | { readonly kind: 'command'; readonly command: string; readonly text: string };

/** `@name` and `#name` of those who exist, as mentions. The workspace escapes the rest, as Slack does. */
export function withMentions(
  text: string,
  users: readonly PageUser[],
  channels: readonly PageChannel[],
): string {
  const mentions = new Map<string, string>();
  for (const channel of channels.filter(({ kind }) => kind === 'channel'))
    mentions.set(`#${channel.name.toLowerCase()}`, `<#${channel.id}>`);
  for (const user of users) {
    mentions.set(`@${user.realName.toLowerCase()}`, `<@${user.id}>`);
    mentions.set(`@${user.name.toLowerCase()}`, `<@${user.id}>`);
  }
  // The longest name first, so that "@Bob Stone" is not taken for "@Bob".
  const names = [...mentions.keys()].filter((name) => name.length > 1).sort((a, b) => b.length - a.length);
  if (names.length === 0) return text;
  const alternatives = names.map((name) => name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|');
  const pattern = new RegExp(`(?<![\\p{L}\\p{N}_.<])(?:${alternatives})(?![\\p{L}\\p{N}_])`, 'giu');
  return text.replace(pattern, (name) => mentions.get(name.toLowerCase()) ?? name);
}

/** A text that begins with `/word` is a command, as in Slack; everything else is a message. */
export function readTyped(text: string): Typed {
  const match = /^(\/[\p{L}\p{N}_-]+)(?:\s+([\s\S]*))?$/u.exec(text.trim());
  return match?.[1] === undefined
    ? { kind: 'message', text: text.trim() }
    : { kind: 'command', command: match[1], text: match[2] ?? '' };
}

/** What may be meant by the word that ends at the caret; null when there is nothing to suggest. */
export function completionAt(
  text: string,
  caret: number,
  workspace: Pick<WorkspaceState, 'users' | 'bot' | 'commands'>,
): Completion | null {
  const before = text.slice(0, caret);
  const command = /^\/[^\s]*$/.exec(before);
  if (command !== null) return found(0, commandSuggestions(before.toLowerCase(), workspace.commands));
  const mention = /(?:^|[\s(])@([\p{L}\p{N}_.-]*)$/u.exec(before);
  if (mention === null) return null;
  const typed = mention[1] ?? '';
  return found(caret - typed.length - 1, peopleSuggestions(typed.toLowerCase(), workspace));
}

function found(from: number, suggestions: readonly Suggestion[]): Completion | null {
  return suggestions.length === 0 ? null : { from, suggestions };
}

function commandSuggestions(typed: string, commands: WorkspaceState['commands']): Suggestion[] {
  return commands
    .filter(({ command }) => command.toLowerCase().startsWith(typed))
    .map(({ command, description, usage }) => ({
      insert: `${command} `,
      label: usage === '' ? command : `${command} ${usage}`,
      detail: description,
    }));
}

function peopleSuggestions(typed: string, { users, bot }: Pick<WorkspaceState, 'users' | 'bot'>) {
  const everyone = [bot, ...users.filter(({ id }) => id !== bot.id)];
  return everyone
    .filter(({ name, realName }) =>
      [name, ...realName.split(' ')].some((part) => part.toLowerCase().startsWith(typed)),
    )
    .map(({ name, realName, isBot }) => ({
      insert: `@${name} `,
      label: realName === '' ? name : realName,
      detail: isBot ? 'app' : `@${name}`,
    }));
}
