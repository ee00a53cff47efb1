import { HumanMessage } from '@langchain/core/messages';
import { describe, expect, it } from 'vitest';
import { demoExtract, isStatement } from '../../../../src/agents/demo/memory.ts';
import { demoReply } from '../../../../src/agents/demo/reply.ts';
import { personMessage, withTime } from '../../../../src/agents/shared/speakers.ts';
import { readLearned, toQuestion } from '../../../../src/memory/extract.ts';
import { MEMORY_KEYS } from '../../../../src/memory/ports.ts';
import { memoryWords } from '../../../../src/slack/texts/memory.ts';
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

  it.each([
    ['turned_off', 'I work on retrieval', 'you have turned memory off'],
    ['turned_off', 'what do you know about me?', 'You have turned memory off'],
    ['not_here', 'I work on retrieval', 'nothing that people say of themselves is remembered here'],
    ['not_here', 'what do you know about me?', 'Nothing that people say of themselves is remembered here'],
  ] as const)('says that memory is %s to “%s”', (remembered, text, expected) => {
    const said = personMessage({ itemId: 'm', text, speaker: ana });
    const answered = answer(withTime(said, ana, { now: 'now', remembered }));
    expect(answered).toContain(expected);
    expect(answered).not.toContain('Noted');
  });

  it.each([
    ...MEMORY_KEYS.critical_fact.map((key) => ['critical_fact', 'critical_facts', key] as const),
    ...MEMORY_KEYS.preference.map((key) => ['preference', 'preferences', key] as const),
  ])('calls a %s, told among %s, what Home calls it: %s', (kind, group, key) => {
    const asked = personMessage({ itemId: 'm', text: 'what do you know about me?', speaker: ana });
    const remembered = { [group]: { [key]: 'it' } };
    expect(answer(withTime(asked, ana, { now: 'now', remembered }))).toContain(
      `- ${memoryWords({ kind, key })}: it`,
    );
  });

  it('knows of somebody what it is told of them, and nothing else', () => {
    const asked = personMessage({ itemId: 'm', text: 'what do you know about me?', speaker: ana });
    const remembered = {
      critical_facts: { user_name: 'Vi', recent_projects: ['apples', 'pears'], other: ['likes tea'] },
      preferences: { tone: 'casual', other: 'no lists' },
    };
    expect(answer(withTime(asked, ana, { now: 'now', remembered }))).toBe(
      [
        'What you told me of yourself:',
        '- Your name: Vi',
        ...['- You work on: apples', '- You work on: pears', '- About you: likes tea'],
        ...['- Tone of answers: casual', '- How you like it: no lists'],
      ].join('\n'),
    );
    expect(answer(withTime(asked, ana, { now: 'now', remembered: null }))).toContain('told me nothing');
  });
});
