import type { ServerConfig } from './schema.ts';

/** A value from this length on may be a secret, and is shown as the name of its variable. */
const SECRET_CHARACTERS = 8;

/** The text with `$NAME` in place of the value of each variable. */
export type Mask = (text: string) => string;

/**
 * Hides what a server was given of the environment, wherever in its configuration, and the variables that its process
 * gets: what a server says is read by others than those who may know that.
 */
export function createSecretMask(config: ServerConfig): Mask {
  const own = Object.entries('command' in config ? config.env : {});
  const shapes = [...(config.filledIn ?? []), ...own]
    .flatMap(([name, value]) => shapesOf(value).map((shape) => [name, shape] as const))
    // A value that is part of another one must not break that up.
    .sort(([, a], [, b]) => b.length - a.length);
  return (text) => shapes.reduce((rest, [name, shape]) => rest.replaceAll(shape, () => `$${name}`), text);
}

/** A value as a text may hold it: whole, one of its lines, in JSON, or in an address. */
function shapesOf(value: string): string[] {
  if (value.length < SECRET_CHARACTERS) return [];
  const lines = value.split(/[\r\n]+/).filter((line) => line.length >= SECRET_CHARACTERS);
  const inJson = JSON.stringify(value).slice(1, -1);
  return [...new Set([value, ...lines, inJson, encodeURIComponent(value.toWellFormed())])];
}
