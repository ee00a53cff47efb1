import { formatPath } from '../../lib/config-errors/parse.ts';
import { ConfigError } from '../../lib/errors.ts';
import { isJsonObject } from '../../lib/json.ts';

/** The line, from 1, of a key in a file. */
export type LineOf = (path: readonly PropertyKey[]) => number;

export interface Where {
  /** The file that is read, as people know it. */
  readonly file: string;
  readonly server: string;
  /** The line of a key, as a path that begins with the server's name. */
  readonly lineOf?: LineOf | undefined;
}

/** `file:line` of a key of the server; the file alone where lines are not known. */
export function describePlace({ file, server, lineOf }: Where, path: readonly PropertyKey[]): string {
  return lineOf === undefined ? file : `${file}:${lineOf([server, ...path])}`;
}

/** `${VAR}` and `${VAR:-default}`; VS Code writes `${env:VAR}`. */
const VARIABLE = /\$\{(?:env:)?([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g;

/**
 * Puts the environment's values into every string of `value`, however deep.
 * As in a shell, an empty variable takes the default too.
 *
 * @param onFilled gets each variable of the environment whose value was put in.
 * @throws ConfigError for a variable that is unset and has no default; it names the file, the server, the
 * key and the variable, never a value.
 */
export function substituteVariables(
  value: unknown,
  env: Readonly<Record<string, string | undefined>>,
  where: Where,
  onFilled: (name: string, value: string) => void = () => {},
): unknown {
  return substitute(value, { env, where, onFilled }, []);
}

interface Filling {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly where: Where;
  readonly onFilled: (name: string, value: string) => void;
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
  { env, where, onFilled }: Filling,
  path: readonly PropertyKey[],
): string {
  const at = `${describePlace(where, path)}: server "${where.server}": ${formatPath(path)}`;
  // VS Code asks for these in its own window; sent on as they stand they would be a wrong secret.
  if (text.includes('${input:')) {
    throw new ConfigError(`${at}: \${input:…} is not known here. Use an environment variable: \${NAME}.`);
  }
  return text.replace(VARIABLE, (_whole, name: string, fallback: string | undefined) => {
    const set = env[name];
    if (set !== undefined && (set !== '' || fallback === undefined)) {
      onFilled(name, set);
      return set;
    }
    if (fallback !== undefined) return fallback;
    throw new ConfigError(
      `${at}: the environment variable ${name} is not set. Set it, or give a default: \${${name}:-default}.`,
    );
  });
}
