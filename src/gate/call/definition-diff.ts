import type { Json, JsonObject } from '../../lib/json.ts';

/**
 * The changes in a tool's definition, line by line: `- ` before, `+ ` after; all of it if there was none
 * before. Server text is unescaped: whoever shows it must make invisible characters visible.
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

/** Each value by its path, such as `inputSchema.properties.amount.type`; no two paths look the same. */
function valuesIn(definition: JsonObject): Map<string, string> {
  const values = new Map<string, string>();
  const walk = (value: Json, path: readonly string[]): void => {
    // At the top level, null stands for what the server leaves out.
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
