import { isJsonObject, type Json, type JsonObject } from '../../../lib/json.ts';
import {
  type Property,
  readMembers,
  type TitleUse,
  unknownProperty,
} from '../../../presentation/schema-labels.ts';
import { FIELD } from '../../texts/forms.ts';
import { type Control, controlFor } from './controls.ts';

/** One field of a form: for an argument, or for a member of one that is an object. */
export interface Field {
  readonly property: Property;
  /** The objects that it is a member of, from the argument inwards; empty for an argument. */
  readonly objects: readonly Property[];
  /** The `block_id` of its input; its errors are shown beside that block. */
  readonly blockId: string;
  /** Its current value; `undefined` when it isn't given. */
  readonly value: Json | undefined;
  readonly control: Control;
}

export interface Form {
  readonly fields: readonly Field[];
  /** Arguments that can't be edited here because the form is full. */
  readonly leftOut: readonly Property[];
}

/** Slack takes 100 blocks in a view; the rest are for what surrounds the fields. */
const MAX_BLOCKS = 90;
/** Characters of labels, hints, options and initial values together; Slack takes 250 kB in a view. */
const MAX_LENGTH = 50_000;
const HINT_LENGTH = 300;
/** How deep members have inputs of their own, and how many of an object that isn't given. */
const MAX_DEPTH = 3;
const MAX_ABSENT = 8;

/**
 * The form for a tool's arguments, required ones first. An object whose members the schema names has an input for each
 * of them, as long as all fit. Deterministic in schema and values: Slack returns only the answers, so the form is
 * rebuilt when it is submitted.
 *
 * @param layOut what else is known of such a form
 */
export function toForm(
  schema: JsonObject,
  values: JsonObject,
  titles: TitleUse,
  layOut: LayOut = (fields) => fields,
): Form {
  const read = (depth: number) => {
    const fields = readFields({ schema, titles, depth }, [], values);
    return layOut(fields.map((field, index): Field => ({ ...field, blockId: `argument.${index}` })));
  };
  const whole = [MAX_DEPTH, 1].map(read).find(fits);
  return fitted(whole ?? read(1).filter(({ value }) => value !== undefined));
}

/** Puts fields in another order, or other inputs to them. */
type LayOut = (fields: readonly Field[]) => readonly Field[];

interface Source {
  readonly schema: JsonObject;
  readonly titles: TitleUse;
  /** How deep members have inputs of their own. */
  readonly depth: number;
}

type Unplaced = Omit<Field, 'blockId'>;

function readFields(source: Source, path: readonly string[], values: JsonObject): Unplaced[] {
  const known = readMembers(source.schema, path, source.titles);
  const extras = Object.keys(values).filter((name) => !known.some((property) => property.name === name));
  const all = [...known, ...extras.map((name) => unknownProperty(name, known))];
  return all
    .toSorted((a, b) => Number(b.required) - Number(a.required))
    .flatMap((property) => {
      const value = Object.hasOwn(values, property.name) ? values[property.name] : undefined;
      const own = [...path, property.name];
      const members = hasOwnInputs(source, own, property, value)
        ? memberFields(source, own, property, value)
        : [];
      return members.length > 0
        ? members
        : [{ property, objects: [], value, control: controlFor(property, value) }];
    });
}

/** Whether an object's members may have inputs of their own: of one that isn't given, only a few at the top. */
function hasOwnInputs(
  { schema, titles, depth }: Source,
  path: readonly string[],
  { type, nullable }: Property,
  value: Json | undefined,
): boolean {
  if (type !== 'object' || path.length >= depth) return false;
  if (isJsonObject(value)) return true;
  const isEmpty = value === undefined || (value === null && nullable);
  return isEmpty && path.length === 1 && readMembers(schema, path, titles).length <= MAX_ABSENT;
}

/** The fields of an object's members; none where one of them is too long for an input, so that it is shown whole. */
function memberFields(
  source: Source,
  path: readonly string[],
  object: Property,
  value: Json | undefined,
): Unplaced[] {
  const isGiven = isJsonObject(value);
  if (readMembers(source.schema, path, source.titles).length === 0) return [];
  const fields = readFields(source, path, isGiven ? value : {});
  if (fields.some(({ control }) => control.kind === 'fixed')) return [];
  return fields.map((field) => ({
    ...field,
    objects: [object, ...field.objects],
    property: {
      ...field.property,
      label: FIELD.member(object.label, field.property.label),
      // Nobody has to give a part of what needn't be given.
      required: field.property.required && (isGiven || object.required),
    },
  }));
}

function fits(fields: readonly Field[]): boolean {
  return fitted(fields).leftOut.length === 0;
}

function fitted(fields: readonly Field[]): Form {
  let blocks = 0;
  let length = 0;
  const fitting: Field[] = [];
  const leftOut: Property[] = [];
  for (const field of fields) {
    blocks += countInputs(field);
    length += metadataLength(field);
    if (blocks <= MAX_BLOCKS && length <= MAX_LENGTH) fitting.push(field);
    else leftOut.push(field.property);
  }
  return { fields: fitting, leftOut };
}

function countInputs({ control }: Field): number {
  if (control.kind === 'parts') return control.parts.length;
  return control.kind === 'local' ? 2 : 1;
}

function metadataLength({ property, control }: Field): number {
  const words = property.label.length + Math.min(property.description?.length ?? 0, HINT_LENGTH) + 100;
  if (control.kind === 'parts') return words * control.parts.length + control.parts.join('').length;
  if (control.kind === 'choice') return words + 200 * control.options.length;
  if (control.kind === 'choices') return words + 200 * (control.options.length + control.initial.length);
  return 'initial' in control && typeof control.initial === 'string' ? words + control.initial.length : words;
}
