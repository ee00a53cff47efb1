/** Slack's emoji names. The data set uses Slack's own names, which other emoji libraries do not all know. */

import data from '@emoji-mart/data/sets/15/native.json' with { type: 'json' };

const EMOJIS: Readonly<Record<string, { readonly skins: readonly { readonly native: string }[] }>> =
  data.emojis;
const ALIASES: Readonly<Record<string, string>> = data.aliases;

/** The character for `tada`, or null when there is no emoji of that name. */
export function emojiFor(name: string): string | null {
  return EMOJIS[ALIASES[name] ?? name]?.skins[0]?.native ?? null;
}

/** A plain text with its `:names:` replaced; a name that is none stays as it was written. */
export function withEmoji(text: string): string {
  return text.replace(/:([a-z0-9_+'-]+):/g, (written, name: string) => emojiFor(name) ?? written);
}
