import { describe, expect, it } from 'vitest';
import { validateBlocks, validateView } from '../src/blocks/validate.ts';
import type { Json, JsonObject } from '../src/json.ts';

const plain = (text: string): JsonObject => ({ type: 'plain_text', text });
const section = (text: string): JsonObject => ({ type: 'section', text: { type: 'mrkdwn', text } });
const button = (more: JsonObject = {}): JsonObject => ({
  type: 'button',
  text: plain('Go'),
  action_id: 'go',
  ...more,
});
const actions = (...elements: JsonObject[]): JsonObject => ({ type: 'actions', elements });
const rich = (...elements: Json[]): JsonObject => ({
  type: 'rich_text',
  elements: [{ type: 'rich_text_section', elements }],
});
const input = (more: JsonObject = {}): JsonObject => ({
  type: 'input',
  block_id: 'b',
  label: plain('Name'),
  element: { type: 'plain_text_input', action_id: 'a' },
  ...more,
});
const modal = (blocks: Json[], more: JsonObject = {}): JsonObject => ({
  type: 'modal',
  title: plain('Title'),
  submit: plain('Save'),
  blocks,
  ...more,
});
const options = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ text: plain(`o${index}`), value: String(index) }));
const confirm = (more: JsonObject): JsonObject => ({
  title: plain('Sure?'),
  text: plain('Really'),
  confirm: plain('Yes'),
  deny: plain('No'),
  ...more,
});

describe('blocks of a message', () => {
  it.each<[string, Json, string]>([
    [
      '51 blocks',
      Array.from({ length: 51 }, () => ({ type: 'divider' })),
      '[ERROR] no more than 50 items allowed [json-pointer:/blocks]',
    ],
    [
      'a section text of 3,001',
      [section('x'.repeat(3001))],
      '[ERROR] must be less than 3001 characters [json-pointer:/blocks/0/text/text]',
    ],
    [
      'an empty text',
      [section('')],
      '[ERROR] must be more than 0 characters [json-pointer:/blocks/0/text/text]',
    ],
    [
      'a section with nothing',
      [{ type: 'section' }],
      '[ERROR] missing required field: text or fields [json-pointer:/blocks/0]',
    ],
    [
      '11 fields',
      [{ type: 'section', fields: Array.from({ length: 11 }, () => plain('f')) }],
      '[json-pointer:/blocks/0/fields]',
    ],
    [
      'a field of 2,001',
      [{ type: 'section', fields: [plain('f'.repeat(2001))] }],
      '[json-pointer:/blocks/0/fields/0/text]',
    ],
    [
      'a header in mrkdwn',
      [{ type: 'header', text: { type: 'mrkdwn', text: 'h' } }],
      '[json-pointer:/blocks/0/text/type]',
    ],
    [
      'a header of 151',
      [{ type: 'header', text: plain('h'.repeat(151)) }],
      '[json-pointer:/blocks/0/text/text]',
    ],
    [
      '11 context elements',
      [{ type: 'context', elements: Array.from({ length: 11 }, () => plain('c')) }],
      '[json-pointer:/blocks/0/elements]',
    ],
    [
      '26 actions',
      [actions(...Array.from({ length: 26 }, (_, index) => button({ action_id: `a${index}` })))],
      '[json-pointer:/blocks/0/elements]',
    ],
    [
      'a button text of 76',
      [actions(button({ text: plain('b'.repeat(76)) }))],
      '[json-pointer:/blocks/0/elements/0/text/text]',
    ],
    [
      'a button value of 2,001',
      [actions(button({ value: 'v'.repeat(2001) }))],
      '[json-pointer:/blocks/0/elements/0/value]',
    ],
    [
      'an action_id of 256',
      [actions(button({ action_id: 'a'.repeat(256) }))],
      '[json-pointer:/blocks/0/elements/0/action_id]',
    ],
    [
      'a block_id of 256',
      [{ type: 'divider', block_id: 'b'.repeat(256) }],
      '[json-pointer:/blocks/0/block_id]',
    ],
    [
      'a button text in mrkdwn',
      [actions(button({ text: { type: 'mrkdwn', text: 'b' } }))],
      '[json-pointer:/blocks/0/elements/0/text/type]',
    ],
    [
      'an unknown style',
      [actions(button({ style: 'warning' }))],
      '[json-pointer:/blocks/0/elements/0/style]',
    ],
    ['an unknown property', [actions(button({ colour: 'red' }))], 'no additional properties allowed: colour'],
    [
      'one action_id twice in a block',
      [actions(button(), button())],
      '[ERROR] action_id already exists: go [json-pointer:/blocks/0]',
    ],
    [
      'one block_id twice',
      [
        { type: 'divider', block_id: 'x' },
        { type: 'divider', block_id: 'x' },
      ],
      'block_id already exists: x',
    ],
    [
      'a confirm title of 101',
      [actions(button({ confirm: confirm({ title: plain('t'.repeat(101)) }) }))],
      '/confirm/title/text]',
    ],
    [
      'a confirm text of 301',
      [actions(button({ confirm: confirm({ text: plain('t'.repeat(301)) }) }))],
      '/confirm/text/text]',
    ],
    [
      'a confirm label of 31',
      [actions(button({ confirm: confirm({ deny: plain('t'.repeat(31)) }) }))],
      '/confirm/deny/text]',
    ],
    [
      'an overflow with 6 options',
      [actions({ type: 'overflow', action_id: 'o', options: options(6) })],
      '/elements/0/options]',
    ],
    [
      'a select with 101 options',
      [actions({ type: 'static_select', action_id: 's', options: options(101) })],
      '/elements/0/options]',
    ],
    [
      'an option text of 76',
      [actions({ type: 'static_select', options: [{ text: plain('o'.repeat(76)), value: '1' }] })],
      '/options/0/text/text]',
    ],
    [
      'a select without options',
      [actions({ type: 'static_select', action_id: 's' })],
      'must have exactly one of: options, option_groups',
    ],
    ['an unknown block', [{ type: 'sectoin' }], '[ERROR] unsupported type [json-pointer:/blocks/0/type]'],
    [
      'an unknown element',
      [actions({ type: 'slider' })],
      '[ERROR] unsupported type [json-pointer:/blocks/0/elements/0/type]',
    ],
    ['an input block', [input()], '[ERROR] unsupported type [json-pointer:/blocks/0/type]'],
    ['an empty run of rich text', [rich({ type: 'text', text: '' })], '/elements/0/elements/0/text]'],
    ['an unknown rich text element', [rich({ type: 'blink', text: 'x' })], 'unsupported type'],
    [
      'a table of 101 rows',
      [{ type: 'table', rows: Array.from({ length: 101 }, () => [{ type: 'raw_text', text: 'x' }]) }],
      '/rows]',
    ],
    [
      'a table of 21 columns',
      [{ type: 'table', rows: [Array.from({ length: 21 }, () => ({ type: 'raw_text', text: 'x' }))] }],
      '/rows/0]',
    ],
    ['a markdown block of 12,001', [{ type: 'markdown', text: 'm'.repeat(12_001) }], '/blocks/0/text]'],
  ])('refuses %s', (_, blocks, message) => {
    const problems = validateBlocks(blocks, 'message');
    expect(problems?.error).toBe('invalid_blocks');
    expect(problems?.messages.join('\n')).toContain(message);
  });

  it('refuses more than 12,000 characters in markdown blocks together', () => {
    const blocks = [
      { type: 'markdown', text: 'm'.repeat(7000) },
      { type: 'markdown', text: 'm'.repeat(5001) },
    ];
    expect(validateBlocks(blocks, 'message')?.error).toBe('msg_blocks_too_long');
  });

  it('refuses more than 13,200 characters in all', () => {
    const blocks = Array.from({ length: 5 }, () => section('x'.repeat(2700)));
    expect(validateBlocks(blocks, 'message')?.error).toBe('msg_blocks_too_long');
  });

  it('takes everything at its limit', () => {
    const blocks = [
      { type: 'header', text: plain('h'.repeat(150)) },
      section('x'.repeat(3000)),
      rich({ type: 'text', text: 'bold', style: { bold: true } }, { type: 'user', user_id: 'U1' }),
      actions(button({ value: 'v'.repeat(2000), style: 'danger', confirm: confirm({ style: 'danger' }) }), {
        type: 'overflow',
        options: options(5),
      }),
      {
        type: 'context',
        elements: [plain('small'), { type: 'image', alt_text: 'i', image_url: 'https://example.com/i.png' }],
      },
    ];
    expect(validateBlocks(blocks, 'message')).toBeNull();
  });
});

describe('views', () => {
  it.each<[string, Json, string]>([
    ['101 blocks', modal(Array.from({ length: 101 }, () => ({ type: 'divider' }))), '/view/blocks]'],
    ['a title of 25', modal([section('x')], { title: plain('t'.repeat(25)) }), '/view/title/text]'],
    ['a submit of 25', modal([section('x')], { submit: plain('t'.repeat(25)) }), '/view/submit/text]'],
    [
      'private_metadata of 3,001',
      modal([section('x')], { private_metadata: 'm'.repeat(3001) }),
      '/view/private_metadata]',
    ],
    ['a callback_id of 256', modal([section('x')], { callback_id: 'c'.repeat(256) }), '/view/callback_id]'],
    [
      'inputs without a submit',
      { type: 'modal', title: plain('T'), blocks: [input()] },
      'missing required field: submit',
    ],
    [
      'a max_length of 3,001',
      modal([input({ element: { type: 'plain_text_input', max_length: 3001 } })]),
      '/element/max_length]',
    ],
    ['a markdown block', modal([{ type: 'markdown', text: 'x' }]), 'unsupported type'],
    ['a button in an input', modal([input({ element: button() })]), 'unsupported type'],
    [
      'a Home with a title',
      { type: 'home', title: plain('T'), blocks: [] },
      'no additional properties allowed: title',
    ],
    ['no blocks', modal([]), 'no less than 1 items allowed'],
  ])('refuses a view with %s', (_, view, message) => {
    const problems = validateView(view);
    expect(problems?.error).toBe('invalid_arguments');
    expect(problems?.messages.join('\n')).toContain(message);
  });

  it('refuses a view larger than 250 kB', () => {
    const choices = Array.from({ length: 100 }, (_, index) => ({
      text: plain('o'.repeat(75)),
      value: `${index}`.padEnd(75, 'v'),
      description: plain('d'.repeat(75)),
    }));
    const selects = Array.from({ length: 12 }, (_, index) =>
      input({ block_id: `b${index}`, element: { type: 'static_select', options: choices } }),
    );
    expect(validateView(modal(selects))?.error).toBe('view_too_large');
  });

  it('takes a modal and a Home as an app would send them', () => {
    expect(validateView(modal([section('x'), input({ hint: plain('h'), optional: true })]))).toBeNull();
    expect(validateView({ type: 'home', blocks: [actions(button())] })).toBeNull();
  });
});
