import { z } from 'zod';
import { isJsonObject, type JsonObject } from '../json.ts';

/** The settings that there are at this place of what was written; none where any name will do. */
export function settingsAt(
  schema: z.ZodType,
  written: unknown,
  path: readonly PropertyKey[],
): readonly string[] {
  const whole = jsonSchemaOf(schema);
  let here = formsOf(whole, whole, written);
  let value = written;
  for (const key of path) {
    value = itemOf(value, key);
    here = here.flatMap((form) => formsOf(below(form, key), whole, value));
  }
  return here.flatMap(namesIn);
}

/** The setting of the whole file below which there is one of this name; null where there is none. */
export function settingWith(schema: z.ZodType, name: string): string | null {
  const whole = jsonSchemaOf(schema);
  const settings = isJsonObject(whole.properties) ? Object.entries(whole.properties) : [];
  const found = settings.find(([, setting]) =>
    formsOf(setting, whole, undefined).some((form) => namesIn(form).includes(name)),
  );
  return found?.[0] ?? null;
}

function jsonSchemaOf(schema: z.ZodType): JsonObject {
  const whole: unknown = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  return isJsonObject(whole) ? whole : {};
}

function namesIn({ properties }: JsonObject): readonly string[] {
  return isJsonObject(properties) ? Object.keys(properties) : [];
}

function itemOf(value: unknown, key: PropertyKey): unknown {
  if (typeof key === 'number') return Array.isArray(value) ? value[key] : undefined;
  return isJsonObject(value) && typeof key === 'string' ? value[key] : undefined;
}

function below({ properties, additionalProperties, items }: JsonObject, key: PropertyKey): unknown {
  if (typeof key === 'number') return items;
  const named = isJsonObject(properties) && typeof key === 'string' ? properties[key] : undefined;
  return named ?? additionalProperties;
}

/** The forms that what is written can have, references followed: those of which nothing is missing, if there are any. */
function formsOf(schema: unknown, whole: JsonObject, value: unknown): readonly JsonObject[] {
  if (!isJsonObject(schema)) return [];
  const { $ref: reference, anyOf, allOf } = schema;
  if (typeof reference === 'string') {
    const parts = reference.split('/').slice(1);
    const meant = parts.reduce<unknown>((at, part) => (isJsonObject(at) ? at[part] : undefined), whole);
    return formsOf(meant, whole, value);
  }
  const forms = [anyOf, allOf].flatMap((list) => (Array.isArray(list) ? list : []));
  const found = forms.flatMap((form) => formsOf(form, whole, value));
  const complete = found.filter((form) => isComplete(form, value));
  return [schema, ...(complete.length > 0 ? complete : found)];
}

function isComplete({ required, properties }: JsonObject, value: unknown): boolean {
  if (!isJsonObject(value) || !isJsonObject(properties)) return false;
  return !Array.isArray(required) || required.every((key) => typeof key === 'string' && key in value);
}
