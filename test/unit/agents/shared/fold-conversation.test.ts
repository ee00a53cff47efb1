import { AIMessage, type BaseMessage, HumanMessage } from '@langchain/core/messages';
import { expect, it } from 'vitest';
import { foldConversation } from '../../../../src/agents/shared/fold-conversation.ts';

const [one, two, three] = ['one', 'two', 'three'].map((id) => new HumanMessage({ id, content: id }));

/** A fold that notes which messages it was given. */
function folded() {
  const looked: string[] = [];
  const fold = foldConversation(
    (): string[] => [],
    (texts, message) => {
      looked.push(message.text);
      texts.push(message.text);
    },
  );
  return {
    looked,
    textsOf: (...messages: (BaseMessage | undefined)[]) =>
      fold(messages.filter((message) => message !== undefined)).join(' '),
  };
}

it('looks only at what is new of a conversation', () => {
  const { looked, textsOf } = folded();
  expect(textsOf(one, two)).toBe('one two');
  expect(textsOf(one, two)).toBe('one two');
  expect(textsOf(one, two, three)).toBe('one two three');
  expect(looked).toEqual(['one', 'two', 'three']);
});

it('looks at all of one that does not go on from what it knows', () => {
  const { textsOf } = folded();
  const another = new AIMessage({ id: 'two', content: 'another' });
  expect(textsOf(one, two, three)).toBe('one two three');
  expect(textsOf(one, another, three)).toBe('one another three');
  expect(textsOf(one)).toBe('one');
  expect(textsOf(one, two)).toBe('one two');
  expect(textsOf(two, three)).toBe('two three');
  expect(textsOf()).toBe('');
});

it('goes on from nothing that failed halfway', () => {
  let isBroken = true;
  const fold = foldConversation(
    (): string[] => [],
    (texts, { text }) => {
      texts.push(text);
      if (isBroken) throw new Error('broken');
    },
  );
  const messages = [new HumanMessage('one')];
  expect(() => fold(messages)).toThrow('broken');
  isBroken = false;
  expect(fold(messages)).toEqual(['one']);
});
