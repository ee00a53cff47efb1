import { describe, expect, it } from 'vitest';
import { parseInline, parseMrkdwn } from '../../src/page/text/mrkdwn.ts';

const text = (value: string) => ({ kind: 'text', text: value });

describe('mrkdwn', () => {
  it.each([
    ['*bold*', [{ kind: 'bold', children: [text('bold')] }]],
    ['_it_', [{ kind: 'italic', children: [text('it')] }]],
    ['~gone~', [{ kind: 'strike', children: [text('gone')] }]],
    ['`a *b*`', [{ kind: 'code', text: 'a *b*' }]],
    ['*a _b_*', [{ kind: 'bold', children: [text('a '), { kind: 'italic', children: [text('b')] }] }]],
    [':tada:', [{ kind: 'emoji', name: 'tada' }]],
    ['<@U1>', [{ kind: 'user', id: 'U1', label: '' }]],
    ['<#C1|ops>', [{ kind: 'channel', id: 'C1', label: 'ops' }]],
    ['<!subteam^S1|@ops>', [{ kind: 'usergroup', id: 'S1', label: '@ops' }]],
    ['<!here>', [{ kind: 'broadcast', id: 'here', label: '' }]],
    [
      '<https://a.example/?x=1&amp;y=2|A &amp; B>',
      [{ kind: 'link', url: 'https://a.example/?x=1&y=2', label: 'A & B' }],
    ],
    [
      '<!date^1795507200^{date} at {time}|soon>',
      [{ kind: 'date', seconds: 1_795_507_200, format: '{date} at {time}', fallback: 'soon' }],
    ],
  ])('reads %s', (source, expected) => {
    expect(parseInline(source)).toEqual(expected);
  });

  it.each(['snake_case_name', '2*3*4', 'a * b * c', 'a_b and c_d'])('leaves %s as it is', (source) => {
    expect(parseInline(source)).toEqual([text(source)]);
  });

  it('shows a link of another scheme as the text that it is', () => {
    expect(parseInline('<javascript:alert(1)|click>')).toEqual([text('<javascript:alert(1)|click>')]);
  });

  it('unescapes only what Slack escapes, once', () => {
    expect(parseInline('&amp;lt;b&gt; &nbsp;')).toEqual([text('&lt;b> &nbsp;')]);
  });

  it('keeps markup inside a fenced block as text', () => {
    expect(parseMrkdwn('see\n```\n*x* &lt;y&gt;\n```\ndone')).toEqual([
      { kind: 'paragraph', children: [text('see')] },
      { kind: 'preformatted', text: '*x* <y>' },
      { kind: 'paragraph', children: [text('done')] },
    ]);
  });

  it('gathers quoted lines, escaped or not', () => {
    expect(parseMrkdwn('&gt; one\n> two\nthree')).toEqual([
      { kind: 'quote', children: [text('one\ntwo')] },
      { kind: 'paragraph', children: [text('three')] },
    ]);
  });
});
