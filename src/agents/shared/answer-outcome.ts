import type { ToolSnapshot } from '../../gate/types.ts';
import type { AnswerEnding } from '../models/answer-ending.ts';
import { ANSWER_ENDED, declined } from '../texts.ts';
import { countInvalidArguments, findGivenUp } from './invalid-argument-limit.ts';
import type { UnreadableCall } from './sanitize-answer.ts';

/** The answer that people read: the model's text, and why it isn't whole. Empty where there is nothing to say. */
export function answerText(text: string, ending: AnswerEnding): string {
  const said = text.trim();
  if (ending === 'stop') return said;
  if (ending === 'refusal') return declined(said);
  return [said, ANSWER_ENDED[ending]].filter((part) => part !== '').join('\n\n');
}

interface Counts {
  readonly misfits?: Readonly<Record<string, number>>;
}

/** Counts calls that couldn't be read as invalid ones, and finds those that the model never got right. */
export function countUnreadable<C extends Counts>(
  counts: C,
  unreadable: readonly UnreadableCall[],
  tools: readonly ToolSnapshot[],
): { readonly counts: C; readonly givenUp: readonly { readonly title: string; readonly why: string }[] } {
  if (unreadable.length === 0) return { counts, givenUp: [] };
  const attempts = unreadable.map(({ name, why }) => ({ tool: { modelName: name }, misfit: true, why }));
  const misfits = countInvalidArguments(counts.misfits ?? {}, attempts);
  const givenUp = findGivenUp(misfits, attempts).map(({ tool: { modelName }, why }) => ({
    title: tools.find((tool) => tool.modelName === modelName)?.title ?? modelName,
    why,
  }));
  return { counts: { ...counts, misfits }, givenUp };
}
