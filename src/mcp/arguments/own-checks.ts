import type { ArgumentChecks } from '../../gate/types.ts';
import type { Connectors } from '../ports.ts';
import { describeIssue } from '../texts/arguments.ts';

/** Most characters of arguments, as JSON, that are looked at: what is longer doesn't fit any of their schemas. */
const MOST_CHARACTERS = 200_000;
/** Stands for what a schema has no message of its own for: the JSON Schema says that better. */
const NO_MESSAGE = '';

/** What the connectors of these servers say of the arguments of their tools, by the `inputs` of each. */
export function compileArgumentChecks(
  servers: Readonly<Record<string, object>>,
  connectors: Connectors,
): ArgumentChecks {
  const inputs = new Map(
    Object.entries(servers).flatMap(([server, config]) => {
      const name = 'connector' in config && typeof config.connector === 'string' ? config.connector : '';
      const found = connectors.get(name);
      return Object.entries(found?.inputs ?? {}).map(
        ([tool, schema]) => [`${server}.${tool}`, schema] as const,
      );
    }),
  );
  return ({ server, name }, args) => {
    const schema = inputs.get(`${server}.${name}`);
    if (schema === undefined || JSON.stringify(args).length > MOST_CHARACTERS) return [];
    const { error } = schema.safeParse(args, { error: () => NO_MESSAGE });
    return (error?.issues ?? []).filter(({ message }) => message !== NO_MESSAGE).map(describeIssue);
  };
}
