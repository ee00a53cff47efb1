import { AIMessage } from '@langchain/core/messages';
import { describe, expect, it } from 'vitest';
import { keptMessage } from '../../../../src/agents/shared/sanitize-answer.ts';

const from = { threadId: 't1', runId: 'r1', earlier: [], names: ['create_event'] };
/** An answer that calls a tool under each of these ids. */
const answer = (...ids: readonly string[]) =>
  new AIMessage({
    content: '',
    tool_calls: ids.map((id, n) => ({ id, name: 'create_event', args: { n }, type: 'tool_call' })),
  });
const readIds = ({ message }: ReturnType<typeof keptMessage>) =>
  message.tool_calls?.map(({ id }) => id) ?? [];

describe('the ids of calls', () => {
  it.each([
    ['are kept', ['a', 'b'], ['a', 'b']],
    ['are made where there are none', ['', 'b'], ['r1:0:0', 'b']],
    ['are made where one comes twice', ['a', 'a'], ['a', 'r1:0:1']],
    [
      'are made where one is like those of calls that follow from others',
      ['undo\na', 'look-up\nb'],
      ['r1:0:0', 'r1:0:1'],
    ],
    ['are made anew where the model wrote the next one itself', ['r1:0:1', ''], ['r1:0:1', 'r1:0:1:']],
  ])('%s', (_what, given, ids) => {
    const kept = keptMessage(answer(...given), from);
    expect(readIds(kept)).toEqual(ids);
    expect(readIds(keptMessage(answer(...given), from))).toEqual(ids);
    expect(new Set(readIds(keptMessage(answer(...given), { ...from, earlier: [kept.message] }))).size).toBe(
      given.length,
    );
  });
});
