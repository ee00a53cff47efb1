import {
  AIMessage,
  AIMessageChunk,
  HumanMessage,
  RemoveMessage,
  ToolMessage,
} from '@langchain/core/messages';
import { messagesStateReducer } from '@langchain/langgraph';
import { describe, expect, it, vi } from 'vitest';
import { addMessages } from '../../../../src/agents/nodes/state.ts';

const hello = new HumanMessage({ id: 'h', content: 'hello' });
const answer = new AIMessage({ id: 'a', content: 'hi' });
const result = new ToolMessage({ id: 'r', tool_call_id: 'c', content: 'done' });

describe('a conversation', () => {
  it('has new messages appended, without a look at the text of those that are there', () => {
    const seen = vi.spyOn(hello, 'getType');
    expect(addMessages([hello], [answer, result])).toEqual([hello, answer, result]);
    expect(addMessages([hello], answer)[0]).toBe(hello);
    expect(seen).not.toHaveBeenCalled();
  });

  it.each([
    ['a message in place of another', [new HumanMessage({ id: 'h', content: 'hello again' })]],
    ['two of one id', [answer, new AIMessage({ id: 'a', content: 'hi again' })]],
    ['one that takes another away', [new RemoveMessage({ id: 'h' })]],
    ['a piece of a message', [new AIMessageChunk({ id: 'p', content: 'a piece' })]],
    ['a role and words', [{ role: 'user' as const, content: 'words', id: 'w' }]],
  ])('takes %s as LangGraph does', (_what, given) => {
    const mine = addMessages([hello], given);
    const theirs = messagesStateReducer([hello], given);
    expect(mine.map((it) => [it.constructor.name, it.id, it.text])).toEqual(
      theirs.map((it) => [it.constructor.name, it.id, it.text]),
    );
  });

  it('gives a message without an id one', () => {
    expect(addMessages([hello], new HumanMessage('x'))[1]?.id).toBeTypeOf('string');
  });
});
