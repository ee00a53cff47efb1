import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/json.ts';
import { formErrors, formValues, withEdit } from '../../src/page/blocks/form.ts';

const input = (element: JsonObject, more: JsonObject = {}): JsonObject => ({
  type: 'input',
  block_id: 'b',
  element: { action_id: 'a', ...element },
  ...more,
});
const option = (value: string): JsonObject => ({ text: { type: 'plain_text', text: value }, value });
const initialOf = (element: JsonObject) => formValues([input(element)], {}).b?.a;

describe('the values of a form', () => {
  it.each([
    [{ type: 'plain_text_input' }, { value: null }],
    [{ type: 'plain_text_input', initial_value: 'x' }, { value: 'x' }],
    [{ type: 'number_input', initial_value: '5' }, { value: '5' }],
    [{ type: 'static_select' }, { selected_option: null }],
    [{ type: 'static_select', initial_option: option('x') }, { selected_option: option('x') }],
    [{ type: 'multi_static_select' }, { selected_options: [] }],
    [{ type: 'checkboxes', initial_options: [option('x')] }, { selected_options: [option('x')] }],
    [{ type: 'users_select', initial_user: 'U1' }, { selected_user: 'U1' }],
    [{ type: 'multi_users_select' }, { selected_users: [] }],
    [{ type: 'datepicker', initial_date: '2026-11-25' }, { selected_date: '2026-11-25' }],
    [{ type: 'timepicker' }, { selected_time: null }],
    [{ type: 'datetimepicker', initial_date_time: 1_795_507_200 }, { selected_date_time: 1_795_507_200 }],
  ])('begin as Slack reports them: %o', (element, held) => {
    expect(initialOf(element)).toEqual({ type: element.type, ...held });
  });

  it('leave out buttons and menus, which hold nothing', () => {
    const blocks = [
      {
        type: 'actions',
        block_id: 'b',
        elements: [
          { type: 'button', action_id: 'a' },
          { type: 'overflow', action_id: 'o' },
        ],
      },
    ];
    expect(formValues(blocks, {})).toEqual({});
  });

  it('count elements of actions and accessories too', () => {
    const blocks = [
      { type: 'actions', block_id: 'b1', elements: [{ type: 'datepicker', action_id: 'a' }] },
      { type: 'section', block_id: 'b2', accessory: { type: 'users_select', action_id: 'a' } },
    ];
    expect(Object.keys(formValues(blocks, {}))).toEqual(['b1', 'b2']);
  });

  it('keep what was entered when the view is updated with the same ids', () => {
    const edits = withEdit({}, 'b', 'a', { type: 'plain_text_input', value: 'mine' });
    const updated = [{ type: 'divider' }, input({ type: 'plain_text_input', initial_value: 'other' })];
    expect(formValues(updated, edits).b?.a).toEqual({ type: 'plain_text_input', value: 'mine' });
  });
});

describe('what Slack refuses in a form', () => {
  const errorOf = (element: JsonObject, held: JsonObject, more: JsonObject = {}) =>
    formErrors([input(element, more)], { b: { a: { type: element.type ?? null, ...held } } }).b;

  it.each([
    [{ type: 'plain_text_input' }, { value: null }, /fill in/],
    [{ type: 'checkboxes' }, { selected_options: [] }, /fill in/],
    [{ type: 'plain_text_input', min_length: 3 }, { value: 'ab' }, /at least 3/],
    [{ type: 'plain_text_input', max_length: 3 }, { value: 'abcd' }, /at most 3/],
    [{ type: 'number_input', is_decimal_allowed: true }, { value: 'two' }, /a number/],
    [{ type: 'number_input', is_decimal_allowed: false }, { value: '1.5' }, /whole number/],
    [{ type: 'number_input', is_decimal_allowed: false, min_value: '5' }, { value: '4' }, /at least 5/],
    [{ type: 'number_input', is_decimal_allowed: false, max_value: '5' }, { value: '6' }, /at most 5/],
    [{ type: 'email_text_input' }, { value: 'ana' }, /email address/],
    [{ type: 'url_text_input' }, { value: 'javascript:alert(1)' }, /web address/],
    [
      { type: 'multi_static_select', max_selected_items: 1 },
      { selected_options: [option('x'), option('y')] },
      /at most 1/,
    ],
  ])('%o holding %o', (element, held, expected) => {
    expect(errorOf(element, held)).toMatch(expected);
  });

  it.each([
    [{ type: 'plain_text_input', min_length: 3 }, { value: 'abc' }, {}],
    [{ type: 'number_input', is_decimal_allowed: true }, { value: '1.5' }, {}],
    [{ type: 'email_text_input' }, { value: 'ana@example.com' }, {}],
    [{ type: 'url_text_input' }, { value: 'https://example.com' }, {}],
    [{ type: 'plain_text_input', min_length: 3 }, { value: null }, { optional: true }],
  ])('takes %o holding %o', (element, held, more) => {
    expect(errorOf(element, held, more)).toBeUndefined();
  });
});
