import { HumanMessage } from '@langchain/core/messages';
import { describe, expect, it } from 'vitest';
import { demoExtract, isStatement } from '../../../../src/agents/demo/memory.ts';
import { demoReply } from '../../../../src/agents/demo/reply.ts';
import { personMessage, withTime } from '../../../../src/agents/shared/speakers.ts';
import { readLearned, toQuestion } from '../../../../src/memory/extract.ts';
import { ana } from '../../../helpers/people.ts';

const find = (words: string) =>
  readLearned(demoExtract(toQuestion(words, [{ key: 'tone', text: 'casual' }]).text), words).map(
    ({ key, text }) => `${key}: ${text}`,
  );
const answer = (message: HumanMessage) => {
  const now = Date.UTC(2026, 10, 23, 8);
  const reply = demoReply({
    messages: [message],
    tools: [{ name: 'list_events' }],
    now,
    timeZone: 'UTC',
    hasBanner: true,
  });
  return 'text' in reply ? reply.text : JSON.stringify(reply.toolCalls);
};

describe('the demo model', () => {
  it.each([
    [
      'I work on retrieval at a search company',
      ['company_name: a search company', 'recent_projects: retrieval'],
    ],
    ["Hi, my name is Ana and I'm a data scientist", ['user_name: Ana', 'job_title: data scientist']],
    ['call me Vi, please', ['user_name: Vi']],
    ['keep answers short', ['detail_level: short']],
    ['please answer in German', ['language: German']],
    ['keep it casual', ['tone: casual']],
    ['what is on my calendar this week?', []],
    ['create a meeting called Standup tomorrow at 9am', []],
  ])('finds in “%s” %j', (words, expected) => {
    expect(find(words)).toEqual(expected);
  });

  it.each([
    ['I work on retrieval at a search company', true],
    ['keep answers short', true],
    ['what is my name?', false],
    ['create a meeting called call me Vi', false],
  ])('notes “%s”: %s', (words, isNoted) => {
    expect(isStatement(words)).toBe(isNoted);
    expect(answer(new HumanMessage(words)).startsWith('Noted.')).toBe(isNoted);
  });

  it('knows of somebody what it is told of them, and nothing else', () => {
    const asked = personMessage({ itemId: 'm', text: 'what do you know about me?', speaker: ana });
    const remembered = { critical_facts: { user_name: 'Vi', other: ['likes tea'] }, preferences: {} };
    expect(answer(withTime(asked, ana, { now: 'now', remembered }))).toBe(
      'What you told me of yourself:\n- Vi\n- likes tea',
    );
    expect(answer(withTime(asked, ana, { now: 'now', remembered: null }))).toContain('told me nothing');
  });
});
