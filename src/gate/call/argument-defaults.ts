import { isDeepStrictEqual } from 'node:util';
import { isJsonObject, type Json, type JsonObject } from '../../lib/json.ts';

/**
 * The arguments with the `default` of each required one that is missing, also inside of objects that are given.
 * Only a property that the schema names directly is filled in: under `anyOf` and the like, and behind a `$ref`,
 * it isn't certain that it's wanted.
 *
 * People are shown and asked about what this returns, so that it's what runs.
 *
 * @example
 * const unit = { type: 'string', default: 'C' };
 * fillDefaults({ properties: { unit }, required: ['unit'] }, {}); // { unit: 'C' }
 */
export function fillDefaults(schema: JsonObject, args: JsonObject): JsonObject {
  const filled = Object.entries(requiredDefaults(schema)).filter(([name]) => !Object.hasOwn(args, name));
  const given = Object.entries(args).map(([name, value]): [string, Json] => {
    const property = propertySchema(schema, name);
    return [name, property !== null && isJsonObject(value) ? fillDefaults(property, value) : value];
  });
  return Object.fromEntries([...given, ...filled]);
}

/**
 * The required members that have their default value, which {@link fillDefaults} may have filled in: `unit`, and
 * `filter.limit` for one inside of an object.
 */
export function findDefaults(schema: JsonObject, args: JsonObject): string[] {
  const defaults = requiredDefaults(schema);
  return Object.entries(args).flatMap(([name, value]) => {
    if (Object.hasOwn(defaults, name) && isDeepStrictEqual(defaults[name], value)) return [name];
    const property = propertySchema(schema, name);
    if (property === null || !isJsonObject(value)) return [];
    return findDefaults(property, value).map((path) => `${name}.${path}`);
  });
}

function requiredDefaults(schema: JsonObject): JsonObject {
  const required = Array.isArray(schema.required) ? schema.required : [];
  return Object.fromEntries(
    required.flatMap((name): [string, Json][] => {
      const property = typeof name === 'string' ? propertySchema(schema, name) : null;
      return typeof name === 'string' && property?.default !== undefined ? [[name, property.default]] : [];
    }),
  );
}

function propertySchema({ properties }: JsonObject, name: string): JsonObject | null {
  if (!isJsonObject(properties) || !Object.hasOwn(properties, name)) return null;
  const property = properties[name];
  return isJsonObject(property) ? property : null;
}
