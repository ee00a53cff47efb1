import type { ServerConfig } from './schema.ts';

/** Minimum length of a value that may be a secret and is masked. */
const SECRET_CHARACTERS = 8;

/** Replaces the value of each variable in a text with `$NAME`. */
export type Mask = (text: string) => string;

/**
 * A mask for everything that a server was given from the environment: values anywhere in its configuration,
 * and its process's variables. What a server says is read by people who mustn't see those.
 */
export function createSecretMask(config: ServerConfig): Mask {
  const own = Object.entries('command' in config ? config.env : {});
  const shapes = [...(config.filledIn ?? []), ...own]
    .flatMap(([name, value]) => listShapes(value).map((shape) => [name, shape] as const))
    // Longest first, so that a value which is part of another doesn't break that up.
    .sort(([, a], [, b]) => b.length - a.length);
  return (text) => shapes.reduce((rest, [name, shape]) => rest.replaceAll(shape, () => `$${name}`), text);
}

/** The forms in which a text may contain a value: whole, one of its lines, JSON-escaped, or URL-encoded. */
function listShapes(value: string): string[] {
  if (value.length < SECRET_CHARACTERS) return [];
  const lines = value.split(/[\r\n]+/).filter((line) => line.length >= SECRET_CHARACTERS);
  const inJson = JSON.stringify(value).slice(1, -1);
  return [...new Set([value, ...lines, inJson, encodeURIComponent(value.toWellFormed())])];
}
