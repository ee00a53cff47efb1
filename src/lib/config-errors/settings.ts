import { z } from 'zod';
import { isJsonObject, type JsonObject } from '../json.ts';

/** The names of the settings that are allowed at a path of what was written; none where any name is. */
export function listSettings(
  schema: z.ZodType,
  written: unknown,
  path: readonly PropertyKey[],
): readonly string[] {
  const whole = toJsonSchema(schema);
  let here = listForms(whole, whole, written);
  let value = written;
  for (const key of path) {
    value = getItem(value, key);
    here = here.flatMap((form) => listForms(getChild(form, key), whole, value));
  }
  return here.flatMap(propertyNames);
}

/** The top-level setting that has a setting of this name below it; null where there is none. */
export function findSetting(schema: z.ZodType, name: string): string | null {
  const whole = toJsonSchema(schema);
  const settings = isJsonObject(whole.properties) ? Object.entries(whole.properties) : [];
  const found = settings.find(([, setting]) =>
    listForms(setting, whole, undefined).some((form) => propertyNames(form).includes(name)),
  );
  return found?.[0] ?? null;
}

function toJsonSchema(schema: z.ZodType): JsonObject {
  const whole: unknown = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  return isJsonObject(whole) ? whole : {};
}

function propertyNames({ properties }: JsonObject): readonly string[] {
  return isJsonObject(properties) ? Object.keys(properties) : [];
}

function getItem(value: unknown, key: PropertyKey): unknown {
  if (typeof key === 'number') return Array.isArray(value) ? value[key] : undefined;
  return isJsonObject(value) && typeof key === 'string' ? value[key] : undefined;
}

function getChild({ properties, additionalProperties, items }: JsonObject, key: PropertyKey): unknown {
  if (typeof key === 'number') return items;
  const named = isJsonObject(properties) && typeof key === 'string' ? properties[key] : undefined;
  return named ?? additionalProperties;
}

/** The forms that a value can have, with references followed; only those where nothing is missing, if there are any. */
function listForms(schema: unknown, whole: JsonObject, value: unknown): readonly JsonObject[] {
  if (!isJsonObject(schema)) return [];
  const { $ref: reference, anyOf, allOf } = schema;
  if (typeof reference === 'string') {
    const parts = reference.split('/').slice(1);
    const meant = parts.reduce<unknown>((at, part) => (isJsonObject(at) ? at[part] : undefined), whole);
    return listForms(meant, whole, value);
  }
  const forms = [anyOf, allOf].flatMap((list) => (Array.isArray(list) ? list : []));
  const found = forms.flatMap((form) => listForms(form, whole, value));
  const complete = found.filter((form) => isComplete(form, value));
  return [schema, ...(complete.length > 0 ? complete : found)];
}

function isComplete({ required, properties }: JsonObject, value: unknown): boolean {
  if (!isJsonObject(value) || !isJsonObject(properties)) return false;
  return !Array.isArray(required) || required.every((key) => typeof key === 'string' && key in value);
}
