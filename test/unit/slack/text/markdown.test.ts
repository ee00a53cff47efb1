import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { markdownMessages } from '../../../../src/slack/text/markdown.ts';
import { runs } from '../../../helpers/property-runs.ts';
import { assertMessage } from '../../../helpers/slack-limits.ts';
import { flat } from '../cards/fixtures.ts';

function sourcesOf(markdown: string): string[] {
  return markdownMessages(markdown).map(({ blocks }) => flat(blocks));
}

describe('an answer in markdown', () => {
  it('is one message with its words as the notification', () => {
    expect(markdownMessages('**Done:** moved <!channel>')).toEqual([
      { text: '**Done:** moved @channel', blocks: [{ type: 'markdown', text: '**Done:** moved @channel' }] },
    ]);
  });

  it('is no message when it says nothing', () => {
    expect(markdownMessages(' \n')).toEqual([]);
  });

  it('shows a table as a table', () => {
    const [message] = markdownMessages(
      'Who:\n\n| Name | Age |\n|:-----|----:|\n| **Ana** | 7 |\n| bob | |\n\nThat is all.',
    );
    expect(message?.blocks.map(({ type }) => type)).toEqual(['markdown', 'table', 'markdown']);
    expect(flat(message?.blocks ?? [])).toBe('Who:\nName | Age\nAna | 7\nbob |  \nThat is all.');
    expect(message?.blocks[1]).toMatchObject({ column_settings: [{ align: 'left' }, { align: 'right' }] });
  });

  it('says an address once in a table, and where a link goes that is called otherwise', () => {
    const [message] = markdownMessages(
      '| Who |\n|---|\n| bob@example.com, www.example.com, [bank.test](https://evil-bank.test) |',
    );
    expect(flat(message?.blocks ?? [])).toBe(
      'Who\nbob@example.com, www.example.com, bank.test (https://evil-bank.test)',
    );
  });

  it('puts a second table into a second message', () => {
    const table = '| a |\n|---|\n| 1 |\n\n';
    expect(markdownMessages(`${table}and\n\n${table}`)).toHaveLength(2);
  });

  it('divides a long table and repeats its header', () => {
    const rows = Array.from({ length: 250 }, (_, index) => `| ${index} |`).join('\n');
    const messages = markdownMessages(`| Number |\n|---|\n${rows}`);
    for (const message of messages) assertMessage(message);
    expect(messages.map(({ blocks }) => flat(blocks).split('\n')[0])).toEqual(['Number', 'Number', 'Number']);
    expect(messages.map(({ blocks }) => flat(blocks)).join('\n')).toContain('249');
  });

  it('shows that a long cell goes on', () => {
    const [message] = markdownMessages(`| a |\n|---|\n| ${'word '.repeat(200)}|`);
    expect(flat(message?.blocks ?? []).endsWith('…')).toBe(true);
  });

  it('shows a table with more columns than Slack has as text', () => {
    const wide = (cell: string) => `|${` ${cell} |`.repeat(25)}\n`;
    expect(sourcesOf(`${wide('a')}${wide('---')}${wide('b')}`)[0]).toContain('```');
  });

  it('divides between paragraphs', () => {
    const paragraph = `${'word '.repeat(800)}end.`;
    const parts = sourcesOf(Array.from({ length: 6 }, () => paragraph).join('\n\n'));
    expect(parts.length).toBeGreaterThan(1);
    expect(parts.every((part) => part.endsWith('end.'))).toBe(true);
  });

  it('divides a long list between its items', () => {
    const parts = sourcesOf(
      Array.from({ length: 300 }, (_, index) => `- item ${index} ${'x'.repeat(60)}`).join('\n'),
    );
    expect(parts.length).toBeGreaterThan(1);
    expect(parts.every((part) => part.startsWith('- item'))).toBe(true);
  });

  it('closes a code fence at a cut and opens it again with its language', () => {
    const code = Array.from({ length: 1000 }, (_, index) => `const a${index} = ${index};`).join('\n');
    const parts = sourcesOf(`\`\`\`ts\n${code}\n\`\`\``);
    expect(parts.length).toBeGreaterThan(1);
    expect(parts.every((part) => part.startsWith('```ts\n') && part.endsWith('\n```'))).toBe(true);
    expect(parts.join('\n').match(/const a/g)).toHaveLength(1000);
  });

  it('counts entities as Slack does', () => {
    for (const message of markdownMessages('<&>'.repeat(6000))) assertMessage(message);
  });

  it('fits Slack whatever it is, and mentions nobody', () => {
    const line = fc.oneof(
      fc.constantFrom(
        '# Title',
        '- a',
        '  - b',
        '1. c',
        '```',
        '```js',
        '~~~',
        '| a | b |',
        '|---|---|',
        '',
        '> q',
        '<!here>',
        '<@U123>',
      ),
      fc.string({ maxLength: 80 }),
      fc.string({ unit: 'binary', minLength: 0, maxLength: 40 }),
      fc.constantFrom('x', '<', '👍', 'word ').map((unit) => unit.repeat(7000)),
    );
    fc.assert(
      fc.property(fc.array(line, { maxLength: 60, size: 'max' }), (lines) => {
        for (const message of markdownMessages(lines.join('\n'))) assertMessage(message);
      }),
      runs(150),
    );
  });

  it('loses no word', () => {
    const words = Array.from({ length: 6000 }, (_, index) => `w${index}`);
    fc.assert(
      fc.property(fc.constantFrom(' ', '\n', '\n\n', '\n- '), (separator) => {
        const shown = sourcesOf(words.join(separator)).join('\n').match(/w\d+/g);
        expect(shown).toEqual(words);
      }),
    );
  });
});
