import { formatPath } from '../../lib/config-errors/parse.ts';
import { ConfigError } from '../../lib/errors.ts';
import { isJsonObject } from '../../lib/json.ts';
import { promptedVariable, serverKey, unsetVariable } from '../texts/config.ts';

/** Finds the line of a key in a file, counted from 1. */
export type LineOf = (path: readonly PropertyKey[]) => number;

export interface Where {
  /** The file's name, for messages. */
  readonly file: string;
  readonly server: string;
  /** What is called so. @default server */
  readonly what?: 'server' | 'agent' | 'setting';
  /** Finds the line of a key; the path starts with the server's name. */
  readonly lineOf?: LineOf | undefined;
}

/** Where a server's key is, as `file:line`; the file alone if lines aren't known. */
export function describePlace({ file, server, lineOf }: Where, path: readonly PropertyKey[]): string {
  return lineOf === undefined ? file : `${file}:${lineOf([server, ...path])}`;
}

/** `${VAR}` and `${VAR:-default}`; VS Code writes `${env:VAR}`. */
const VARIABLE = /\$\{(?:env:)?([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g;

/**
 * Substitutes environment variables in every string of `value`, at any depth. As in a shell, an empty
 * variable takes the default too.
 * @param onFilled called for each environment variable whose value was used
 * @param onUnset called for a variable that is unset and has no default; if it returns true, the text stays as it is
 * @throws ConfigError for a variable that is unset and has no default. It names the file, the server, the key
 * and the variable, never a value.
 */
export function substituteVariables(
  value: unknown,
  env: Readonly<Record<string, string | undefined>>,
  where: Where,
  onFilled: Filling['onFilled'] = () => {},
  onUnset: Filling['onUnset'] = () => false,
): unknown {
  return substitute(value, { env, where, onFilled, onUnset }, []);
}

interface Filling {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly where: Where;
  readonly onFilled: (name: string, value: string) => void;
  readonly onUnset: (name: string, path: readonly PropertyKey[]) => boolean;
}

function substitute(value: unknown, filling: Filling, path: readonly PropertyKey[]): unknown {
  if (typeof value === 'string') return substituteText(value, filling, path);
  if (Array.isArray(value)) {
    return value.map((item, index) => substitute(item, filling, [...path, index]));
  }
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, substitute(item, filling, [...path, key])]),
  );
}

function substituteText(
  text: string,
  { env, where, onFilled, onUnset }: Filling,
  path: readonly PropertyKey[],
): string {
  const at = serverKey(describePlace(where, path), where.server, formatPath(path), where.what);
  // VS Code prompts for these itself. Sent as they are, they'd be a wrong secret.
  if (text.includes('${input:')) {
    throw new ConfigError(promptedVariable(at));
  }
  return text.replace(VARIABLE, (whole, name: string, fallback: string | undefined) => {
    const set = env[name];
    if (!set && fallback === undefined && onUnset(name, path)) return whole;
    if (set !== undefined && (set !== '' || fallback === undefined)) {
      onFilled(name, set);
      return set;
    }
    if (fallback !== undefined) return fallback;
    throw new ConfigError(unsetVariable(at, name));
  });
}
