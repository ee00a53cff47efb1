import { isJsonObject, type Json, type JsonObject } from '../../../lib/json.ts';
import type { Property } from '../../../presentation/schema-labels.ts';
import { FIELD_ERROR } from '../../texts/forms.ts';
import { findProblem } from './check-value.ts';
import type { Field } from './fields.ts';
import { inputState, parseStateValues, readField, type StateValues } from './read.ts';

/** What a submitted form says. */
export interface FormReading {
  /** The values; where one can't be read, as it was. */
  readonly values: JsonObject;
  /** Error sentences by `block_id`. */
  readonly errors: FieldErrors;
}

/** Error sentences by `block_id`, the form in which a view submission is answered. */
export type FieldErrors = Readonly<Record<string, string>>;

/**
 * Reads all fields. Untouched values, and those without an input, stay exactly as they were in `original`; what was
 * emptied and isn't required is left out, and so is an object of which nothing is left. `state` is `view.state.values`;
 * throws ZodError for anything Slack wouldn't send.
 */
export function readForm(fields: readonly Field[], original: JsonObject, state: unknown): FormReading {
  const inputs = parseStateValues(state);
  let values = original;
  const errors: Record<string, string> = {};
  for (const field of fields) {
    const reading = readField(field, inputs);
    const problem = reading.kind === 'value' ? findProblem(field.property, reading.value) : null;
    const message = reading.kind === 'error' ? reading.message : problem;
    if (message !== null) errors[errorBlockId(field, inputs)] = message;
    else if (reading.kind === 'absent')
      values = withValue(values, field.objects, field.property.name, undefined);
    else if (reading.kind === 'value')
      values = withValue(values, field.objects, field.property.name, reading.value);
  }
  return { values, errors };
}

/** That what is required isn't given, beside each of those fields. */
export function findMissing(fields: readonly Field[], values: JsonObject): FieldErrors {
  const missing = fields.filter(
    ({ property, objects }) =>
      property.required && objects.length === 0 && !Object.hasOwn(values, property.name),
  );
  return Object.fromEntries(missing.map((field) => [errorBlockId(field), FIELD_ERROR.needed]));
}

/**
 * Sentences that each begin with the place of a value (`address.city must be …`) beside the fields of these values. What
 * has no field is said beside the first; null where none of them has one. `state`: `view.state.values`, if at hand.
 */
export function placeProblems(
  fields: readonly Field[],
  sentences: readonly string[],
  state: unknown = {},
): FieldErrors | null {
  const inputs = parseStateValues(state);
  const placed = sentences.map((sentence) => ({ sentence, field: fieldFor(fields, sentence) }));
  const first = placed.find(({ field }) => field !== null)?.field ?? null;
  if (first === null) return null;
  const byBlock = Map.groupBy(placed, ({ field }) => errorBlockId(field ?? first, inputs));
  return Object.fromEntries(
    [...byBlock].map(([block, own]) => [block, own.map(({ sentence }) => sentence).join('; ')]),
  );
}

function fieldFor(fields: readonly Field[], sentence: string): Field | null {
  const inputs = fields.filter(({ control }) => control.kind !== 'fixed');
  const fitting = inputs.filter((field) => begins(sentence, dottedPath(field)));
  const [closest] = fitting.toSorted((a, b) => b.objects.length - a.objects.length);
  const outer = inputs.find((field) => begins(sentence, field.objects[0]?.name ?? field.property.name));
  return closest ?? outer ?? null;
}

function begins(sentence: string, path: string): boolean {
  return sentence.startsWith(path) && /^[\s.[]/.test(sentence.slice(path.length));
}

function dottedPath({ objects, property }: Field): string {
  return [...objects, property].map(({ name }) => name).join('.');
}

/** The block beside which an error about a field is shown: of a text in parts, where somebody has written last. */
export function errorBlockId({ control, blockId }: Field, inputs: StateValues = {}): string {
  if (control.kind === 'parts') {
    const written = control.parts.findLastIndex((part, index) => {
      const typed = inputState(inputs, `${blockId}.${index}`)?.value ?? '';
      return typed !== '' && typed !== part;
    });
    return `${blockId}.${Math.max(0, written)}`;
  }
  if (control.kind !== 'local') return blockId;
  return `${blockId}.${control.dateFrom === null ? 'date' : 'time'}`;
}

/** The values with another one inside of these objects; `undefined` removes it. */
function withValue(
  values: JsonObject,
  [outer, ...inner]: readonly Property[],
  name: string,
  value: Json | undefined,
): JsonObject {
  if (outer === undefined) return withMember(values, name, value);
  const before = Object.hasOwn(values, outer.name) ? values[outer.name] : undefined;
  const after = withValue(isJsonObject(before) ? before : {}, inner, name, value);
  const isEmptied = value === undefined && Object.keys(after).length === 0 && !outer.required;
  return withMember(values, outer.name, isEmptied ? undefined : after);
}

/** The object with one member changed in its place, or added behind the others. */
function withMember(object: JsonObject, name: string, value: Json | undefined): JsonObject {
  const entries = Object.entries(object);
  if (value === undefined) return Object.fromEntries(entries.filter(([other]) => other !== name));
  if (!Object.hasOwn(object, name)) return Object.fromEntries([...entries, [name, value]]);
  return Object.fromEntries(entries.map(([other, old]) => [other, other === name ? value : old]));
}
