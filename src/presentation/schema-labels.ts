import type { ToolSnapshot } from '../gate/types.ts';
import { isJsonObject, type Json, type JsonObject } from '../lib/json.ts';
import { readableName, splitName } from '../lib/readable-name.ts';
import { oneLine } from './text/clip.ts';
import { plainTitle, quoteName } from './text/title.ts';
import { VALUE } from './texts.ts';

export interface Choice {
  readonly value: Json;
  /** As an option of a form. */
  readonly title: string;
  /** Title and value, as they are shown together; null where it has no title. */
  readonly shown: string | null;
}

/** How deep the types of members are read. */
const MEMBERS_DEPTH = 2;

type PropertyType = 'string' | 'number' | 'integer' | 'boolean' | 'array' | 'object' | 'any';

/** One argument as its tool's schema describes it, with everything that cards and forms need. */
export interface Property {
  readonly name: string;
  /**
   * The label for people: the name in words, or the schema's title where it may stand for the name. No two
   * arguments of a tool have the same one; where they would, the name follows in brackets.
   */
  readonly label: string;
  /** The schema's title, to stand beside the label; null where it is the label, or says no more. */
  readonly title: string | null;
  readonly description: string | null;
  readonly required: boolean;
  readonly nullable: boolean;
  readonly type: PropertyType;
  readonly format: string | null;
  /** The only values allowed, when the schema lists them. */
  readonly choices: readonly Choice[] | null;
  /** The items of an array. */
  readonly items: Pick<Property, 'type' | 'choices' | 'format' | 'members'> | null;
  /** The types of an object's members, as far as the schema names them; of one's own members by `name.member`. */
  readonly members: Readonly<Record<string, PropertyType>>;
  readonly defaultValue: Json | undefined;
  /** minimum, maximum, minLength, maxLength, minItems, maxItems; absent ones are left out. */
  readonly bounds: Readonly<Record<string, number>>;
}

/**
 * What a schema's titles are for.
 *
 * - `labels`: they stand for the names. For tools of servers that the operator trusts.
 * - `plain_labels`: the same, without whatever our own lines are made of. For a server's own forms, whose fields
 *   have no other meaning than the server gives them.
 * - `beside`: they stand beside the names. For all other tools.
 */
export type TitleUse = 'labels' | 'plain_labels' | 'beside';

/** The parts of a tool that determine how its arguments are called. */
export type LabelledTool = Pick<ToolSnapshot, 'inputSchema' | 'trusted'>;

/** What the titles in a tool's schema are for. */
export function titleUse({ trusted }: Pick<ToolSnapshot, 'trusted'>): TitleUse {
  return trusted === true ? 'labels' : 'beside';
}

/**
 * The properties of a tool's input schema, in its order. Parses leniently: what it doesn't understand becomes
 * type `any`, since servers write schemas and they are only shown here, never trusted.
 */
export function readProperties(schema: JsonObject, titles: TitleUse): Property[] {
  return readMembers(schema, [], titles);
}

/**
 * The members of an argument that is an object, as {@link readProperties} reads the arguments themselves; empty where the
 * schema doesn't say them. `path` has the argument's name, then those of members.
 */
export function readMembers(root: JsonObject, path: readonly string[], titles: TitleUse): Property[] {
  const schema = path.reduce((outer, name) => resolved(propertySchema(outer, name), root).schema, root);
  const properties = isJsonObject(schema.properties) ? schema.properties : {};
  const required = Array.isArray(schema.required) ? schema.required : [];
  const read = Object.keys(properties).map((name) =>
    toProperty(name, propertySchema(schema, name), { required: required.includes(name), root, titles }),
  );
  const twins = Map.groupBy(read, ({ label }) => label);
  return read.map((property) =>
    (twins.get(property.label)?.length ?? 0) > 1 ? withName(property) : property,
  );
}

function propertySchema({ properties }: JsonObject, name: string): JsonObject {
  const raw = isJsonObject(properties) && Object.hasOwn(properties, name) ? properties[name] : undefined;
  return isJsonObject(raw) ? raw : {};
}

/** A property for an argument that the schema doesn't name; `known` are those that it does. */
export function unknownProperty(name: string, known: readonly Property[]): Property {
  const property = toProperty(name, {}, { required: false, root: {}, titles: 'beside' });
  const isUsual = splitName(name).join('_').toLowerCase() === name;
  return isUsual && !known.some(({ label }) => label === property.label) ? property : withName(property);
}

/** The properties that have a value, in the schema's order, then the arguments that it doesn't name. */
export function propertiesInOrder(tool: LabelledTool, names: Iterable<string>): Property[] {
  const given = new Set(names);
  const known = readProperties(tool.inputSchema, titleUse(tool));
  const extras = [...given].filter((name) => !known.some((property) => property.name === name));
  return [
    ...known.filter(({ name }) => given.has(name)),
    ...extras.map((name) => unknownProperty(name, known)),
  ];
}

function withName(property: Property): Property {
  const name = ` [${quoteName(property.name)}]`;
  return property.label.endsWith(name) ? property : { ...property, label: `${property.label}${name}` };
}

function toProperty(
  name: string,
  raw: JsonObject,
  {
    required,
    root,
    titles,
  }: { readonly required: boolean; readonly root: JsonObject; readonly titles: TitleUse },
): Property {
  const { schema, nullable } = resolved(raw, root);
  const items = isJsonObject(schema.items) ? resolved(schema.items, root).schema : null;
  return {
    name,
    ...labelProperty(name, readText(raw.title) ?? readText(schema.title) ?? '', titles),
    description: readText(raw.description) ?? readText(schema.description),
    required,
    nullable,
    type: readType(schema),
    format: readText(schema.format),
    choices: readChoices(schema, titles),
    items:
      items === null
        ? null
        : {
            type: readType(items),
            choices: readChoices(items, titles),
            format: readText(items.format),
            members: memberTypes(items, root),
          },
    members: memberTypes(schema, root),
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
  // Many servers leave the type out where they list the values.
  if (types[0] === undefined && isListOfTexts(schema.enum)) return 'string';
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

function isListOfTexts(value: Json | undefined): boolean {
  return Array.isArray(value) && value.length > 0 && value.every((one) => typeof one === 'string');
}

function memberTypes(schema: JsonObject, root: JsonObject, depth = 0): Record<string, PropertyType> {
  const names = isJsonObject(schema.properties) ? Object.keys(schema.properties) : [];
  const types = names.flatMap((name): [string, PropertyType][] => {
    const member = resolved(propertySchema(schema, name), root).schema;
    const inner = depth < MEMBERS_DEPTH ? Object.entries(memberTypes(member, root, depth + 1)) : [];
    return inner.length > 0
      ? inner.map(([within, type]) => [`${name}.${within}`, type])
      : [[name, readType(member)]];
  });
  return Object.fromEntries(types);
}

/** The choices from `enum` (with the older `enumNames`), or from `oneOf`/`anyOf` of titled constants. */
function readChoices(schema: JsonObject, titles: TitleUse): Choice[] | null {
  if (Array.isArray(schema.enum)) {
    const names = Array.isArray(schema.enumNames) ? schema.enumNames : [];
    return schema.enum
      .filter((value) => value !== null)
      .map((value, index) => toChoice(value, readText(names[index]), titles));
  }
  const titled = [schema.oneOf, schema.anyOf].find((list) => Array.isArray(list));
  if (!Array.isArray(titled)) return null;
  const constants = titled.filter(isJsonObject).filter((variant) => variant.const !== undefined);
  if (constants.length === 0 || constants.length < titled.length) return null;
  return constants.map(({ const: value = null, title }) => toChoice(value, readText(title), titles));
}

/** One of the values allowed, with its title: in place of the value, or behind it where the value has to come first. */
function toChoice(value: Json, title: string | null, titles: TitleUse): Choice {
  const own = quoteChoice(value);
  const words = title === null ? '' : titles === 'labels' ? oneLine(title) : plainTitle(title);
  if (words === '' || words === literal(value)) return { value, title: literal(value), shown: null };
  return {
    value,
    title: titles === 'beside' ? `${own} (${words})` : words,
    shown: titles === 'beside' ? `${own} (${words})` : `${words} (${own})`,
  };
}

/** A value between or before brackets: a text that could be taken for anything else is quoted. */
function quoteChoice(value: Json): string {
  if (typeof value !== 'string') return JSON.stringify(value);
  return /^[\p{L}_][\p{L}\p{N}_.\- ]*$/u.test(value) && value.trim() === value
    ? value
    : JSON.stringify(value);
}

function readBounds(schema: JsonObject): Record<string, number> {
  const bounds: Record<string, number> = {};
  for (const key of ['minimum', 'maximum', 'minLength', 'maxLength', 'minItems', 'maxItems']) {
    const bound = schema[key];
    if (typeof bound === 'number' && Number.isFinite(bound)) bounds[key] = bound;
  }
  return bounds;
}

function labelProperty(name: string, title: string, titles: TitleUse): Pick<Property, 'label' | 'title'> {
  const own = labelName(name);
  const given = titles === 'labels' ? oneLine(title) : plainTitle(title);
  if (titles !== 'beside') return { label: given === '' ? own : given, title: null };
  return { label: own, title: given === '' || given.toLowerCase() === own.toLowerCase() ? null : given };
}

/** The label of a name: `duration_minutes` → “Duration minutes”. One with other signs than that is quoted behind it. */
function labelName(name: string): string {
  const words = readableName(name);
  const shown = words === '' ? VALUE.noName : words;
  return /^[\p{L}\p{N}_.\- ]+$/u.test(name) && words !== '' ? shown : `${shown} [${quoteName(name)}]`;
}

function literal(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function readText(value: Json | undefined): string | null {
  return typeof value === 'string' && value.trim() !== '' ? value : null;
}
