import { isSearch, subject } from '../documents/intent.ts';
import { documentName, quotePassage, readFound, shorten } from '../documents/passages.ts';
import { readAmounts } from '../documents/tables.ts';
import { summarise } from '../summary.ts';
import { TEAM } from '../texts.ts';
import { type DemoInput, type DemoReply, isCallTo, type Turn, toolNamed } from '../turn.ts';

const MOST_PASSAGES = 5;

/** Searches for what the task is about, and quotes what fits best, with where it stands. Null without the tool. */
export function searchDocuments(turn: Turn, { tools }: DemoInput): DemoReply | null {
  const tool = toolNamed(tools, 'search_documents');
  const about = subject(turn.message);
  const searched = turn.calls.find((call) => isCallTo(call, 'search_documents'));
  if (!searched) {
    return tool && { toolCalls: [{ name: tool.name, arguments: { query: about, limit: MOST_PASSAGES } }] };
  }
  if (searched.status !== 'done') return { text: summarise([searched]) };
  const { passages, note } = readFound(searched.text);
  const [best] = passages;
  if (!best) return { text: TEAM.nothingFound(about, note) };
  const all = passages
    .filter((passage) => documentName(passage) === documentName(best))
    .map(({ text, source }) => ({ text, amounts: readAmounts(text, about), source }));
  // Who looks for one thing wants its figures, where there are any.
  const figures = isSearch(turn.message) ? all.find(({ amounts }) => amounts.length > 0) : undefined;
  const shown = figures ? [figures] : all;
  const lines = shown.map(({ text, amounts, source }) => {
    const figures = shorten(amounts.map(([of, amount]) => TEAM.amount(of, amount)).join(', '));
    return TEAM.quote(figures || quotePassage(text, about), source);
  });
  return { text: [TEAM.found(about), ...lines, ...(note === '' ? [] : ['', note])].join('\n') };
}
