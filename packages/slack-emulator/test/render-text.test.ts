import { expect, it } from 'vitest';
import { renderText } from '../src/driver/render-text.ts';

const plain = (text: string) => ({ type: 'plain_text', text });

it('shows a card as a person reads it', () => {
  const blocks = [
    { type: 'header', text: plain('Create event') },
    {
      type: 'section',
      text: { type: 'mrkdwn', text: '*<@U0ANA00001>* asks &amp; waits, see <https://example.com|this>' },
    },
    {
      type: 'rich_text',
      elements: [
        {
          type: 'rich_text_list',
          style: 'bullet',
          elements: [
            {
              type: 'rich_text_section',
              elements: [
                { type: 'text', text: 'Title: ' },
                { type: 'user', user_id: 'U1' },
              ],
            },
          ],
        },
      ],
    },
    {
      type: 'table',
      rows: [
        [
          { type: 'raw_text', text: 'a' },
          { type: 'raw_number', value: 1, text: '1' },
        ],
      ],
    },
    { type: 'context', elements: [plain('small'), plain('print')] },
    {
      type: 'actions',
      elements: [
        { type: 'button', text: plain('Approve') },
        { type: 'overflow', options: [{ text: plain('All'), value: 'a' }] },
      ],
    },
  ];
  expect(
    renderText({ text: 'notification', blocks }, (id) => (id === 'U0ANA00001' ? 'ana' : undefined)),
  ).toBe('Create event\n*@ana* asks & waits, see this\n• Title: @U1\na | 1\nsmall print\n[Approve] [⋯ All]');
});

it('shows a modal with its fields, their values and its buttons', () => {
  const blocks = [
    {
      type: 'input',
      block_id: 'b',
      label: plain('Reason'),
      element: { type: 'plain_text_input', action_id: 'a' },
    },
  ];
  const values = { b: { a: { type: 'plain_text_input', value: 'because' } } };
  expect(
    renderText({ title: plain('Reject'), submit: plain('Send'), close: plain('Back'), blocks, values }),
  ).toBe('# Reject\nReason: {because}\n[Send] [Back]');
});

it('shows the text of a message without blocks', () => {
  expect(renderText({ text: 'a &lt; b <!channel>', blocks: [] })).toBe('a < b @channel');
});
