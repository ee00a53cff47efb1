import { type BaseMessage, isToolMessage } from '@langchain/core/messages';
import { argumentsNeverFitted, countDone, DONE, IGNORED, NO_ANSWER } from '../texts.ts';
import type { State } from './state.ts';

/** The final answer where the model gives none: why there is no answer, or what was done. */
export function responseFormatter(state: State): Pick<State, 'finalResponse'> {
  return { finalResponse: finalResponse(state) };
}

function finalResponse({ ending, messages, givenUp }: State): string | null {
  // The cards show what was withdrawn, and the message that replaced it is answered next.
  if (ending === 'withdrawn') return null;
  if (ending === 'ignored') return IGNORED;
  if (ending === 'misfit') return describeMisfits(givenUp);
  return summarize(messages);
}

/** Quotes the validation errors as they are: the person may know what the model doesn't. */
function describeMisfits(givenUp: State['givenUp']): string {
  const problems = givenUp.map(({ title, why }) => `${literal(title)}: ${literal(why)}`);
  return argumentsNeverFitted(problems);
}

/** Formats foreign names and values as code, in which nothing becomes a link or mention. */
export function literal(text: string): string {
  return `\`${text.replace(/[`\s]+/g, ' ').trim()}\``;
}

/** Models sometimes end without text; the person still learns how many actions ended how. */
function summarize(messages: readonly BaseMessage[]): string {
  const last = messages.findLastIndex((message) => message.getType() === 'human');
  const results = messages.slice(last + 1).filter((message) => isToolMessage(message));
  const failed = results.filter((message) => message.status === 'error').length;
  if (results.length === 0) return NO_ANSWER;
  if (failed === 0) return DONE;
  return countDone({ done: results.length - failed, all: results.length });
}
