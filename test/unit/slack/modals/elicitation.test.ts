import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../src/lib/json.ts';
import { elicitationModal, readElicitationForm } from '../../../../src/slack/modals/elicitation.ts';
import { assertView } from '../../../helpers/slack-limits.ts';
import { flat, schemaAndArguments } from '../cards/fixtures.ts';
import { blockOf, filled, optionOf, untouched } from './untouched.ts';

const need = {
  callKey: 'k1',
  server: 'travel',
  title: 'Book a flight',
  message: 'Which seat?',
  isHidden: false,
  requester: { name: 'Ana', slackUser: 'U1' },
};
const schema: JsonObject = {
  type: 'object',
  properties: {
    email: { type: 'string', format: 'email', title: 'Your email' },
    seats: { type: 'integer', minimum: 1, maximum: 4, default: 1 },
    window: { type: 'boolean', default: false },
    meal: { type: 'string', enum: ['v', 'm'], enumNames: ['Vegetarian', 'Meat'] },
    extras: {
      type: 'array',
      items: {
        anyOf: [
          { const: 'bag', title: 'Bag' },
          { const: 'wifi', title: 'Wi-Fi' },
        ],
      },
      maxItems: 1,
    },
    when: { type: 'string', format: 'date' },
  },
  required: ['email', 'seats'],
};

describe('a form that a server asks for', () => {
  const view = elicitationModal(need, schema);

  it('has an input of the right kind per field, with what the server suggests', () => {
    assertView(view);
    expect(flat(view.blocks)).toMatchInlineSnapshot(`
      "Before it goes on with Book a flight:
      ┌
      Which seat?
      └
      Your email *: <email_text_input>
      Seats *: <number_input> 1
      Window: <radio_buttons> No
      Meal: <radio_buttons> (not set)
      Extras: <checkboxes>
      When: <datepicker>
      What you send goes to the server travel."
    `);
  });

  it('gives what was filled in, with the suggestions that were kept', () => {
    const state = filled(view, {
      'Your email': { value: 'a@example.com' },
      Meal: { selected_option: optionOf(view, 'Meal', 'Vegetarian') },
      Extras: { selected_options: [optionOf(view, 'Extras', 'Wi-Fi')] },
      When: { selected_date: '2026-11-24' },
    });
    expect(readElicitationForm(schema, state)).toEqual({
      content: {
        email: 'a@example.com',
        seats: 1,
        window: false,
        meal: 'v',
        extras: ['wifi'],
        when: '2026-11-24',
      },
    });
  });

  it('says beside each field what is wrong', () => {
    const extras = [optionOf(view, 'Extras', 'Bag'), optionOf(view, 'Extras', 'Wi-Fi')];
    const state = filled(view, {
      'Your email': { value: 'nobody' },
      Seats: { value: '9' },
      Extras: { selected_options: extras },
    });
    expect(readElicitationForm(schema, state)).toEqual({
      errors: {
        [blockOf(view, 'Your email')]: "This isn't an email address.",
        [blockOf(view, 'Seats')]: 'This must be 4 or less.',
        [blockOf(view, 'Extras')]: 'Choose at most 1.',
      },
    });
  });

  it('does not accept a form without its required fields', () => {
    expect(readElicitationForm(schema, untouched(view))).toEqual({
      errors: { [blockOf(view, 'Your email')]: 'This is needed.' },
    });
  });

  it.each([
    ['90 fields', 90, 'Send'],
    ['91 fields', 91, undefined],
    ['hundreds of fields', 500, undefined],
  ])('of %s is shown whole, or says that it is too much and cannot be sent', (_what, count, submit) => {
    const names = Array.from({ length: count }, (_, index) => `field${index}`);
    const properties = Object.fromEntries(names.map((name) => [name, { type: 'string' }]));
    const suggested = { ...properties, field0: { type: 'string', default: 'x' } };
    for (const fields of [properties, suggested]) {
      const view = elicitationModal(need, { type: 'object', properties: fields });
      assertView(view);
      expect(view.submit?.text).toBe(submit);
      expect(flat(view.blocks).includes('asks for more than fits a form here')).toBe(submit === undefined);
    }
  });

  it('fits Slack for any schema', () => {
    fc.assert(
      fc.property(schemaAndArguments, ({ schema: any }) => assertView(elicitationModal(need, any))),
      { numRuns: 100 },
    );
  });
});
