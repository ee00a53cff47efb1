import { describe, expect, it } from 'vitest';
import { readLearned, toQuestion } from '../../../src/memory/extract.ts';

const WORDS = 'My name is Ana, I work at Acme. Keep answers short.';
const name = { kind: 'critical_fact', key: 'user_name', text: 'Ana', evidence: 'my name is ana' };

function read(items: readonly unknown[], around: (json: string) => string = (json) => json) {
  return readLearned(around(JSON.stringify({ items })), WORDS);
}

describe('what a model found', () => {
  it('is read where it names words that stand there', () => {
    expect(read([name])).toEqual([{ kind: 'critical_fact', key: 'user_name', text: 'Ana' }]);
  });

  it.each([
    ['words that stand nowhere', { ...name, evidence: 'my name is Eve' }],
    ['no words', { ...name, evidence: ' ' }],
    ['hardly any words', { ...name, evidence: 'is' }],
    ['a word that is everywhere', { ...name, evidence: 'the' }],
    ['words that are no text', { ...name, evidence: 7 }],
    ['nothing to remember', { ...name, text: ' \n' }],
    ['a kind that there isn’t', { ...name, kind: 'instruction' }],
  ])('is left out with %s, and the others stay', (_what, item) => {
    expect(read([item, name])).toHaveLength(1);
  });

  it.each([
    ['a fence', (json: string) => `\`\`\`json\n${json}\n\`\`\``],
    ['words', (json: string) => `Here it is: ${json} That is all.`],
  ])('is read with %s around it', (_what, around) => {
    expect(read([name], around)).toHaveLength(1);
  });

  it.each(['', 'nothing', '{"items":', '{"items":7}', '[]', '{}'])(
    'is nothing where the answer is “%s”',
    (answer) => {
      expect(readLearned(answer, WORDS)).toEqual([]);
    },
  );

  it('is put under the kind of its key, and under other where there is no such key', () => {
    const evidence = 'keep answers short';
    const found = [
      { kind: 'critical_fact', key: 'detail_level', text: 'short', evidence },
      { kind: 'preference', key: 'company_name', text: 'Acme', evidence },
      { kind: 'preference', key: 'units', text: 'metric', evidence },
    ];
    expect(read(found).map(({ kind, key }) => [kind, key])).toEqual([
      ['preference', 'detail_level'],
      ['critical_fact', 'company_name'],
      ['preference', 'other'],
    ]);
  });

  it('is one line of 200 characters, and at most ten items', () => {
    const long = { ...name, text: `a\u2028b\n\u202ec ${'x'.repeat(300)}` };
    const learned = read(Array.from({ length: 20 }, () => long));
    expect(learned).toHaveLength(10);
    expect(learned[0]?.text).toMatch(/^a b c x{194}$/);
  });
});

it('asks with what is known as data on one line, and nothing but the words below it', () => {
  const { text } = toQuestion('I moved to Basel.', [{ key: 'other', text: 'lives in "Bern"\n' }]);
  expect(text).toBe(
    'Known already: [{"key":"other","text":"lives in \\"Bern\\"\\n"}]\nWhat they wrote now:\nI moved to Basel.',
  );
});
