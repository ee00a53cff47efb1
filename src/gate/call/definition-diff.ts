import type { Json, JsonObject } from '../../lib/json.ts';

/**
 * What is different in a tool's definition, line by line: `- ` as it was, `+ ` as it is. Without a definition
 * before, all of it. Text of servers as it is: whoever shows it writes out what nobody would see.
 */
export function diffDefinitions(before: JsonObject | null, after: JsonObject): readonly string[] {
  const was = before === null ? new Map<string, string>() : valuesIn(before);
  const is = valuesIn(after);
  return [...new Set([...was.keys(), ...is.keys()])].flatMap((path) => {
    const [old, fresh] = [was.get(path), is.get(path)];
    if (old === fresh) return [];
    return [
      ...(old === undefined ? [] : [`- ${path}: ${old}`]),
      ...(fresh === undefined ? [] : [`+ ${path}: ${fresh}`]),
    ];
  });
}

/** Each value by the way to it, such as `inputSchema.properties.amount.type`; two ways never look the same. */
function valuesIn(definition: JsonObject): Map<string, string> {
  const values = new Map<string, string>();
  const walk = (value: Json, path: readonly string[]): void => {
    // What the server leaves out is null at the top.
    if (value === null && path.length === 1) return;
    const members =
      value !== null && typeof value === 'object' && !Array.isArray(value) ? Object.entries(value) : [];
    if (members.length === 0) values.set(path.join('.'), JSON.stringify(value));
    for (const [key, item] of members)
      walk(item, [...path, /^[\w$-]+$/.test(key) ? key : JSON.stringify(key)]);
  };
  walk(definition, []);
  return values;
}
