import type { HeldTools } from '../mcp/ports.ts';
import { clip } from './text/clip.ts';
import { visible } from './text/visible.ts';
import { REVIEW } from './texts.ts';

/** The most names listed of one server's tools; the rest is counted. */
const NAMED = 8;
const NAME_LENGTH = 60;

/** The full review text: all changes, tool by tool, as an admin reads them before accepting. */
export function reviewText({ tools }: HeldTools): string {
  return visible(tools.flatMap(changeLines).join('\n'));
}

/** The names of the tools that wait for a review: the first few, each once. */
export function heldToolNames({ tools }: HeldTools): string {
  const all = [...new Set(tools.map(({ name }) => name))];
  const names = all.slice(0, NAMED).map((name) => clip(visible(oneLine(name)), NAME_LENGTH));
  const more = all.length - names.length;
  return more > 0 ? REVIEW.andMore(names.join(', '), more) : names.join(', ');
}

function changeLines({
  name,
  isNew,
  isUsed,
  variant,
  changes,
}: HeldTools['tools'][number]): readonly string[] {
  const which = variant === undefined ? '' : REVIEW.definition(variant);
  return [
    `${oneLine(name)}, ${isNew ? REVIEW.isNew : REVIEW.changed}${isUsed ? REVIEW.isUsed : ''}${which}`,
    ...changes.map((line) => `  ${line}`),
  ];
}

/** Escapes what breaks or shifts a line, so that a name can't imitate lines of the review. */
function oneLine(name: string): string {
  return name.replaceAll('\n', '\\n').replaceAll('\r', '\\r').replaceAll('\t', '\\t');
}

/** The longest review shown in a modal, in characters; nobody reads more there. */
export const MOST_READ = 100_000;
