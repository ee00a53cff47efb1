/** Splits a name into its words: `duration_minutes` and `durationMinutes` are ["duration", "minutes"] in their own case. */
export function splitName(name: string): string[] {
  return name
    .replace(/([\p{Ll}\p{N}])(\p{Lu})/gu, '$1 $2')
    .split(/[^\p{L}\p{M}\p{N}]+/u)
    .filter((word) => word !== '');
}

/**
 * The readable form of a name: `create_event` and `createEvent` are "Create event". Abbreviations stay as they are;
 * empty for a name without letters and digits.
 */
export function readableName(name: string): string {
  const words = splitName(name)
    .map((word) => (/^\p{Lu}{2,}$/u.test(word) ? word : word.toLowerCase()))
    .join(' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}
