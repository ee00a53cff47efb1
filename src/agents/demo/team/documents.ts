import { z } from 'zod';
import { jsonParts } from '../events.ts';
import { summarise } from '../summary.ts';
import { TEAM } from '../texts.ts';
import { type DemoInput, type DemoReply, isCallTo, type Turn, toolNamed } from '../turn.ts';
import { isSearch, subject } from './plan-tasks.ts';
import { readAmounts } from './tables.ts';

/** How much of a passage is quoted, in characters, and how many passages. */
const QUOTED_LENGTH = 240;
const MOST_PASSAGES = 5;

const foundSchema = z.object({
  passages: z.array(z.object({ name: z.string(), text: z.string() })),
  sources: z.array(z.object({ source: z.string(), place: z.string() })),
});

/** Searches for what the task is about, and quotes what fits best, with where it stands. Null without the tool. */
export function searchDocuments(turn: Turn, { tools }: DemoInput): DemoReply | null {
  const tool = toolNamed(tools, 'search_documents');
  const about = subject(turn.message);
  const searched = turn.calls.find((call) => isCallTo(call, 'search_documents'));
  if (!searched) {
    return tool && { toolCalls: [{ name: tool.name, arguments: { query: about, limit: MOST_PASSAGES } }] };
  }
  const [found] = jsonParts(searched.text).flatMap((value) => foundSchema.safeParse(value).data ?? []);
  if (searched.status !== 'done' || !found) return { text: summarise([searched]) };
  const [best] = found.passages;
  if (!best) return { text: TEAM.nothingFound(about) };
  const all = found.passages.flatMap(({ name, text }, index) => {
    const source = found.sources[index];
    const amounts = readAmounts(text, about);
    return name === best.name && source ? [{ text, amounts, place: TEAM.place(source) }] : [];
  });
  // Who looks for one thing wants its figures, where there are any.
  const figures = isSearch(turn.message) ? all.find(({ amounts }) => amounts.length > 0) : undefined;
  const shown = figures ? [figures] : all;
  const lines = shown.map(({ text, amounts, place }) => {
    const said =
      amounts.length > 0 ? amounts.map(([of, amount]) => TEAM.amount(of, amount)).join(', ') : text;
    return TEAM.quote(shorten(said), place);
  });
  return { text: [TEAM.found(about), ...lines].join('\n') };
}

function shorten(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length <= QUOTED_LENGTH ? line : `${line.slice(0, QUOTED_LENGTH).replace(/\s+\S*$/, '')} …`;
}
