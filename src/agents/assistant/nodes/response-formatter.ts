import { type BaseMessage, isToolMessage } from '@langchain/core/messages';
import type { State, Update } from '../state.ts';

/** The final word to the person where the model has none: why there is no answer, or what was done. */
export function responseFormatter(state: State): Update {
  return { finalResponse: finalResponse(state) };
}

function finalResponse({ ending, messages }: State): string | null {
  // The cards say what was withdrawn, and the message that took its place is answered next.
  if (ending === 'withdrawn') return null;
  if (ending === 'ignored') return 'As you wish: what was ignored was not run, and I have stopped there.';
  return withoutWords(messages);
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
