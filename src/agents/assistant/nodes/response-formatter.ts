import { type BaseMessage, isToolMessage } from '@langchain/core/messages';
import type { State, Update } from '../state.ts';

/** The final word to the person where the model has none: why there is no answer, or what was done. */
export function responseFormatter(state: State): Update {
  return { finalResponse: finalResponse(state) };
}

function finalResponse({ ending, messages, givenUp }: State): string | null {
  // The cards say what was withdrawn, and the message that took its place is answered next.
  if (ending === 'withdrawn') return null;
  if (ending === 'ignored') return 'As you wish: what was ignored was not run, and I have stopped there.';
  if (ending === 'misfit') return misfitWords(givenUp);
  return withoutWords(messages);
}

/** What did not fit is said as the check said it: the person may know what the model does not. */
function misfitWords(givenUp: State['givenUp']): string {
  const calls = givenUp.map(({ title, why }) => `${literal(title)}: ${literal(why)}`).join('\n');
  return `I tried three times, and what I put together does not fit:\n${calls}\nTell me what to use instead, and I will try again.`;
}

/** Names and values are not ours: as code, nothing in them is a link or a mention. */
function literal(text: string): string {
  return `\`${text.replace(/[`\s]+/g, ' ').trim()}\``;
}

/** Models sometimes end without a word; the person still hears how many actions ended how. */
function withoutWords(messages: readonly BaseMessage[]): string {
  const last = messages.findLastIndex((message) => message.getType() === 'human');
  const results = messages.slice(last + 1).filter((message) => isToolMessage(message));
  const failed = results.filter((message) => message.status === 'error').length;
  if (results.length === 0) return 'I have no answer to that.';
  if (failed === 0) return 'Done.';
  return `${results.length - failed} of ${results.length} actions were done; the others were not.`;
}
