import type { Json, JsonObject } from '../../../lib/json.ts';
import {
  type Property,
  readProperties,
  type TitleUse,
  unknownProperty,
} from '../../../presentation/schema-labels.ts';
import { type Control, controlFor } from './controls.ts';

/** One argument's field in a form. */
export interface Field {
  readonly property: Property;
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

/**
 * The form for a tool's arguments. Deterministic in schema and values: Slack returns only the answers, so the
 * form is rebuilt when it is submitted.
 */
export function toForm(schema: JsonObject, values: JsonObject, titles: TitleUse): Form {
  const known = readProperties(schema, titles);
  const extras = Object.keys(values).filter((name) => !known.some((property) => property.name === name));
  const unknown = extras.map((name) => unknownProperty(name, known));
  const all = [...known, ...unknown].map((property, index) => toField(property, index, values));
  return fitted(fits(all) ? all : all.filter(({ value }) => value !== undefined));
}

function toField(property: Property, index: number, values: JsonObject): Field {
  const value = Object.hasOwn(values, property.name) ? values[property.name] : undefined;
  return { property, blockId: `argument.${index}`, value, control: controlFor(property, value) };
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
    blocks += field.control.kind === 'local' ? 2 : 1;
    length += metadataLength(field);
    if (blocks <= MAX_BLOCKS && length <= MAX_LENGTH) fitting.push(field);
    else leftOut.push(field.property);
  }
  return { fields: fitting, leftOut };
}

function metadataLength({ property, control }: Field): number {
  const words = property.label.length + Math.min(property.description?.length ?? 0, HINT_LENGTH) + 100;
  if (control.kind === 'choice') return words + 200 * control.options.length;
  if (control.kind === 'choices') return words + 200 * (control.options.length + control.initial.length);
  return 'initial' in control && typeof control.initial === 'string' ? words + control.initial.length : words;
}
