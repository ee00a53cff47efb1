import { isJsonObject, type Json, type JsonObject } from '../lib/json.ts';
import { VALUE } from './texts.ts';

export interface Choice {
  readonly value: Json;
  readonly title: string;
}

type PropertyType = 'string' | 'number' | 'integer' | 'boolean' | 'array' | 'object' | 'any';

/** One argument as its tool's schema describes it, with everything that cards and forms need. */
export interface Property {
  readonly name: string;
  /** The label for people: the schema's title, else the name in words. */
  readonly label: string;
  readonly description: string | null;
  readonly required: boolean;
  readonly nullable: boolean;
  readonly type: PropertyType;
  readonly format: string | null;
  /** The only values allowed, when the schema lists them. */
  readonly choices: readonly Choice[] | null;
  /** The items of an array. */
  readonly items: Pick<Property, 'type' | 'choices' | 'format'> | null;
  readonly defaultValue: Json | undefined;
  /** minimum, maximum, minLength, maxLength, minItems, maxItems; absent ones are left out. */
  readonly bounds: Readonly<Record<string, number>>;
}

/**
 * The properties of a tool's input schema, in its order. Parses leniently: what it doesn't understand becomes
 * type `any`, since servers write schemas and they are only shown here, never trusted.
 */
export function readProperties(schema: JsonObject): Property[] {
  const properties = isJsonObject(schema.properties) ? schema.properties : {};
  const required = Array.isArray(schema.required) ? schema.required : [];
  return Object.entries(properties).map(([name, raw]) =>
    toProperty(name, isJsonObject(raw) ? raw : {}, { required: required.includes(name), root: schema }),
  );
}

/** A property for an argument that the schema doesn't name. */
export function unknownProperty(name: string): Property {
  return toProperty(name, {}, { required: false, root: {} });
}

/** The schema's properties that have a value, in its order, then the arguments that it doesn't name. */
export function propertiesInOrder(schema: JsonObject, names: Iterable<string>): Property[] {
  const given = new Set(names);
  const known = readProperties(schema);
  const extras = [...given].filter((name) => !known.some((property) => property.name === name));
  return [...known.filter(({ name }) => given.has(name)), ...extras.map(unknownProperty)];
}

/** Splits an argument name into words: `duration_minutes`, `durationMinutes` → ["duration", "minutes"]. */
export function splitName(name: string): string[] {
  return name
    .replace(/([\p{Ll}\d])(\p{Lu})/gu, '$1 $2')
    .split(/[\s_\-.]+/)
    .filter((word) => word !== '');
}

function toProperty(
  name: string,
  raw: JsonObject,
  { required, root }: { readonly required: boolean; readonly root: JsonObject },
): Property {
  const { schema, nullable } = resolved(raw, root);
  const items = isJsonObject(schema.items) ? resolved(schema.items, root).schema : null;
  const title = readText(raw.title) ?? readText(schema.title);
  return {
    name,
    label: title ?? propertyLabel(name),
    description: readText(raw.description) ?? readText(schema.description),
    required,
    nullable,
    type: readType(schema),
    format: readText(schema.format),
    choices: readChoices(schema),
    items:
      items === null
        ? null
        : { type: readType(items), choices: readChoices(items), format: readText(items.format) },
    defaultValue: raw.default ?? schema.default,
    bounds: readBounds(schema),
  };
}

/**
 * Resolves `$ref` inside the document, a single `allOf`, and "this or null" (how pydantic writes Optional).
 */
function resolved(raw: JsonObject, root: JsonObject, depth = 0): { schema: JsonObject; nullable: boolean } {
  if (depth > 8) return { schema: {}, nullable: false };
  if (typeof raw.$ref === 'string') return resolved(referenced(raw.$ref, root), root, depth + 1);
  const variants = [raw.anyOf, raw.oneOf, raw.allOf].find((list) => Array.isArray(list)) ?? [];
  const objects = variants.filter(isJsonObject);
  const others = objects.filter((variant) => variant.type !== 'null');
  const [only] = others;
  if (only !== undefined && others.length === 1 && only.const === undefined) {
    const inner = resolved(only, root, depth + 1);
    return { schema: inner.schema, nullable: inner.nullable || objects.length > 1 };
  }
  return { schema: raw, nullable: Array.isArray(raw.type) && raw.type.includes('null') };
}

function referenced(reference: string, root: JsonObject): JsonObject {
  if (!reference.startsWith('#/')) return {};
  let at: Json | undefined = root;
  for (const part of reference.slice(2).split('/')) {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~');
    at = isJsonObject(at) && Object.hasOwn(at, key) ? at[key] : undefined;
  }
  return isJsonObject(at) ? at : {};
}

function readType(schema: JsonObject): PropertyType {
  const types = (Array.isArray(schema.type) ? schema.type : [schema.type]).filter((type) => type !== 'null');
  if (types.length !== 1) return 'any';
  switch (types[0]) {
    case 'string':
    case 'number':
    case 'integer':
    case 'boolean':
    case 'array':
    case 'object':
      return types[0];
    default:
      return 'any';
  }
}

/** The choices from `enum` (with the older `enumNames`), or from `oneOf`/`anyOf` of titled constants. */
function readChoices(schema: JsonObject): Choice[] | null {
  if (Array.isArray(schema.enum)) {
    const names = Array.isArray(schema.enumNames) ? schema.enumNames : [];
    return schema.enum
      .filter((value) => value !== null)
      .map((value, index) => ({ value, title: readText(names[index]) ?? literal(value) }));
  }
  const titled = [schema.oneOf, schema.anyOf].find((list) => Array.isArray(list));
  if (!Array.isArray(titled)) return null;
  const constants = titled.filter(isJsonObject).filter((variant) => variant.const !== undefined);
  if (constants.length === 0 || constants.length < titled.length) return null;
  return constants.map(({ const: value = null, title }) => ({
    value,
    title: readText(title) ?? literal(value),
  }));
}

function readBounds(schema: JsonObject): Record<string, number> {
  const bounds: Record<string, number> = {};
  for (const key of ['minimum', 'maximum', 'minLength', 'maxLength', 'minItems', 'maxItems']) {
    const bound = schema[key];
    if (typeof bound === 'number' && Number.isFinite(bound)) bounds[key] = bound;
  }
  return bounds;
}

function propertyLabel(name: string): string {
  const words = splitName(name).join(' ');
  return words === '' ? VALUE.noName : words.charAt(0).toUpperCase() + words.slice(1);
}

function literal(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function readText(value: Json | undefined): string | null {
  return typeof value === 'string' && value.trim() !== '' ? value : null;
}
