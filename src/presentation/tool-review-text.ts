import type { HeldTools } from '../mcp/ports.ts';
import { clip } from './text/clip.ts';
import { visible } from './text/visible.ts';

/** Names that are listed of one server's tools; the rest is counted. */
const NAMED = 8;
const NAME_LENGTH = 60;

/** All that is different, tool by tool, as an admin reads it before accepting. */
export function reviewText({ tools }: HeldTools): string {
  return visible(tools.flatMap(changeLines).join('\n'));
}

/** The names of the tools that wait, the first few of them, each once. */
export function heldToolNames({ tools }: HeldTools): string {
  const all = [...new Set(tools.map(({ name }) => name))];
  const names = all.slice(0, NAMED).map((name) => clip(visible(oneLine(name)), NAME_LENGTH));
  const more = all.length - names.length;
  return more > 0 ? `${names.join(', ')} and ${more} more` : names.join(', ');
}

function changeLines({ name, isNew, variant, changes }: HeldTools['tools'][number]): readonly string[] {
  const which = variant === undefined ? '' : `, definition ${variant}`;
  return [`${oneLine(name)}, ${isNew ? 'new' : 'changed'}${which}`, ...changes.map((line) => `  ${line}`)];
}

/** A name must not pass for lines of the review: what breaks or shifts a line is written out. */
function oneLine(name: string): string {
  return name.replaceAll('\n', '\\n').replaceAll('\r', '\\r').replaceAll('\t', '\\t');
}

/** The most that is read in a modal, in characters; nobody reads more there. */
export const MOST_READ = 100_000;
