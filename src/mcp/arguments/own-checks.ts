import { z } from 'zod';
import type { ArgumentChecks } from '../../gate/types.ts';
import type { Connector, Connectors } from '../ports.ts';
import { describeIssue } from '../texts/arguments.ts';

/** Most characters of arguments, as JSON, that are looked at: what is longer doesn't fit any of their schemas. */
const MOST_CHARACTERS = 200_000;
/** What a server's entry says of its kind; other kinds have no checks of their own. */
const kindSchema = z.object({
  connector: z.string().catch(''),
  in_process: z.string().optional().catch(undefined),
});
/** Stands for what a schema has no message of its own for: the JSON Schema says that better. */
const NO_MESSAGE = '';

/**
 * What the connectors of these servers say of the arguments of their tools, by the `inputs` of each.
 *
 * @param inProcess the same of the servers that come with this program, by their `in_process` names.
 */
export function compileArgumentChecks(
  servers: Readonly<Record<string, object>>,
  connectors: Connectors,
  inProcess: Readonly<Record<string, Connector['inputs']>> = {},
): ArgumentChecks {
  const inputs = new Map(
    Object.entries(servers).flatMap(([server, config]) => {
      const { connector, in_process: own } = kindSchema.parse(config);
      const checked = own === undefined ? connectors.get(connector)?.inputs : inProcess[own];
      return Object.entries(checked ?? {}).map(([tool, schema]) => [`${server}.${tool}`, schema] as const);
    }),
  );
  return ({ server, name }, args) => {
    const schema = inputs.get(`${server}.${name}`);
    if (schema === undefined || JSON.stringify(args).length > MOST_CHARACTERS) return [];
    const { error } = schema.safeParse(args, { error: () => NO_MESSAGE });
    return (error?.issues ?? []).filter(({ message }) => message !== NO_MESSAGE).map(describeIssue);
  };
}
