import { type BaseMessage, isToolMessage } from '@langchain/core/messages';
import { lastAssistantMessage } from '../../shared/calls.ts';
import type { State, Update } from '../state.ts';

/** The final word to the person: the model's answer, or why there is none. */
export function responseFormatter(state: State): Update {
  return { finalResponse: finalResponse(state) };
}

function finalResponse(state: State): string | null {
  // The cards say what was withdrawn, and the message that took its place is answered next.
  if (state.ending === 'withdrawn') return null;
  if (state.ending === 'ignored')
    return 'As you wish: what was ignored was not run, and I have stopped there.';
  const text = lastAssistantMessage(state.messages)?.text.trim() ?? '';
  return text === '' ? withoutWords(state.messages) : text;
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
