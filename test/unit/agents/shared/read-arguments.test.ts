import { describe, expect, it } from 'vitest';
import { readArguments } from '../../../../src/agents/shared/read-arguments.ts';

const A = { args: { a: 1 }, problem: null };
const BLANKS = '\n'.repeat(50_000);

describe('arguments', () => {
  it.each([
    ['an object', '{"a":1}', A],
    ['a code fence', '```json\n{"a":1}\n```', A],
    ['a code fence without a language', ' ```{"a":1}``` ', A],
    ['a text', '"{\\"a\\":1}"', A],
    ['a text with a code fence', JSON.stringify('```json\n{"a":1}\n```'), A],
    ['blanks in a code fence', `\`\`\`json${BLANKS}{"a":1}${BLANKS}\`\`\``, A],
    ['nothing', '', { args: {}, problem: null }],
    ['an empty code fence', '``````', { args: {}, problem: null }],
  ])('are read from %s', (_from, text, read) => {
    expect(readArguments(text)).toEqual(read);
  });

  it.each([
    ['that are cut off', '{"a":'],
    ['whose code fence has no end', `\`\`\`json${BLANKS}{"a":1}`],
    ['whose code fence has no end, in a text', JSON.stringify(`\`\`\`json${BLANKS}{"a":1}`)],
    ['that are a mere fence', '`````'],
  ])('%s are not guessed', (_what, text) => {
    expect(readArguments(text)).toEqual({ args: null, problem: 'they are not valid JSON, or are cut off' });
  });

  const nested = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;

  it.each([101, 5_000, 100_000])('of %i levels are refused, also in a text', (levels) => {
    const problem = 'they nest lists and objects more than 100 levels deep';
    expect(readArguments(nested(levels))).toEqual({ args: null, problem });
    expect(readArguments(JSON.stringify(nested(levels)))).toEqual({ args: null, problem });
  });

  it('of 100 levels are read', () => {
    expect(readArguments(nested(100))).toMatchObject({ problem: null });
  });
});
