import type { Json, JsonObject } from '../../../lib/json.ts';
import { type Property, readProperties, unknownProperty } from '../../../presentation/schema-labels.ts';
import { type Control, controlFor } from './controls.ts';

/** One argument in a form. */
export interface Field {
  readonly property: Property;
  /** The `block_id` of its input; errors go beside that block. */
  readonly blockId: string;
  /** What it is now; `undefined` when it is not given. */
  readonly value: Json | undefined;
  readonly control: Control;
}

export interface Form {
  readonly fields: readonly Field[];
  /** Arguments that stay as they are because the form is full. */
  readonly leftOut: readonly Property[];
}

/** A view holds 100 blocks; some are needed for what is around the fields. */
const MAX_BLOCKS = 90;
/** Characters of labels, hints, options and initial values together: a view holds 250 kB. */
const MAX_LENGTH = 50_000;
const HINT_LENGTH = 300;

/**
 * The fields of a form, the same whenever schema and values are the same: it is worked out again when the
 * form comes back, since Slack returns the answers only.
 */
export function toForm(schema: JsonObject, values: JsonObject): Form {
  const known = readProperties(schema);
  const extras = Object.keys(values).filter((name) => !known.some((property) => property.name === name));
  const all = [...known, ...extras.map(unknownProperty)].map((property, index) =>
    toField(property, index, values),
  );
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
