import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../src/lib/json.ts';
import { editModal } from '../../../../src/slack/modals/edit-arguments.ts';
import { joinParts, partText } from '../../../../src/slack/modals/form/long-text.ts';
import { runs } from '../../../helpers/property-runs.ts';
import { assertView } from '../../../helpers/slack-limits.ts';
import { flat, withTool } from '../cards/fixtures.ts';
import { edited, readEdited } from './edited.ts';
import { untouched } from './untouched.ts';

const SCHEMA: JsonObject = {
  properties: { to: { type: 'string' }, body: { type: 'string' } },
  required: ['to', 'body'],
};
const paragraph = (number: number) =>
  `${number}. ${`Of question ${number} this is an answer. `.repeat(30)}`.trim();
const BODY = `Hi Cy,\n\n${[1, 2, 3, 4, 5, 6].map(paragraph).join('\n\n\n')}\n\nBest regards\nAna\n`;
const ARGS = { to: 'cy@other.test', body: BODY };
const PARTS = partText(BODY, 3_000).parts;

const view = (args: JsonObject = ARGS) => editModal(withTool(SCHEMA, args));
/** What the form gives where these parts say something else. */
const changed = (parts: Readonly<Record<number, string>>) => {
  const labelled = Object.entries(parts).map(([index, words]): [string, JsonObject] => [
    `Body (part ${Number(index) + 1} of ${PARTS.length})`,
    { value: words },
  ]);
  return edited(SCHEMA, ARGS, Object.fromEntries(labelled));
};

describe('a text that is too long for one input', () => {
  it('stands in several, between paragraphs, in a form that can be submitted', () => {
    assertView(view());
    expect(PARTS).toHaveLength(3);
    expect(flat(view().blocks)).toContain('Body (part 3 of 3)');
    expect(JSON.stringify(view())).toContain('All of them together are one text.');
    expect(view().submit).toBeDefined();
  });

  it('is sent as it was, byte for byte, where nobody touched it', () => {
    expect(readEdited(SCHEMA, ARGS, untouched(view()))).toEqual({ arguments: ARGS });
  });

  it('is joined with what one part was changed to, and the blanks between the others', () => {
    const body = BODY.replace(PARTS[1] ?? '', 'Only this.\n\nAnd that.');
    expect(changed({ 1: 'Only this.\n\nAnd that.' })).toEqual({ arguments: { ...ARGS, body } });
  });

  it('loses a part that was emptied, and is needed if all were', () => {
    const body = BODY.replace(`\n\n\n${PARTS[1]}`, '');
    expect(changed({ 1: '' })).toEqual({ arguments: { ...ARGS, body } });
    expect(changed({ 0: '', 1: '', 2: '' })).toEqual({ errors: { 'argument.1.0': 'This is needed.' } });
  });

  it('has what is wrong with it said where somebody wrote last, and not in a field far above', () => {
    const schema = { ...SCHEMA, properties: { to: {}, body: { type: 'string', maxLength: BODY.length } } };
    const last = `Body (part ${PARTS.length} of ${PARTS.length})`;
    const read = edited(schema, ARGS, { [last]: { value: `${PARTS.at(-1)} And more.` } });
    expect(read).toEqual({
      errors: {
        [`argument.1.${PARTS.length - 1}`]: expect.stringMatching(/^At most \d+ characters, please/),
      },
    });
  });

  it('is shown whole and stays as it is where the parts are more than fit a form', () => {
    const body = 'a line of it\n'.repeat(5_000);
    expect(view({ ...ARGS, body }).submit).toBeUndefined();
  });
});

it('any text is its parts and the blanks around them, and no part begins or ends with a blank', () => {
  const text = fc.array(fc.constantFrom('a', 'bc ', ' ', '\n', '\n\n', '\t', '🎉', 'שלום'), {
    maxLength: 400,
  });
  fc.assert(
    fc.property(text, (pieces) => {
      const long = partText(pieces.join(''), 40);
      expect(joinParts(long, long.parts)).toBe(long.parts.length === 0 ? '' : pieces.join(''));
      for (const part of long.parts) {
        expect(part.length).toBeLessThanOrEqual(40);
        expect(part).toBe(part.trim());
        expect(part.isWellFormed()).toBe(true);
      }
    }),
    runs(300),
  );
});
