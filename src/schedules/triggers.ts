import { z } from 'zod';
import type { JsonObject } from '../lib/json.ts';
import type { ConnectorTrigger } from '../mcp/ports.ts';
import type { ReadUnrecorded } from '../tools/index.ts';
import type { Triggers, TriggerWhen } from './ports.ts';
import { fillIn } from './read-trigger.ts';

interface TriggersPorts {
  /** The triggers of the servers that are connectors, by the servers' names. */
  readonly configured: Readonly<Record<string, Readonly<Record<string, ConnectorTrigger>>>>;
  readonly read: ReadUnrecorded;
}

/** Of an event, Google says up to 1,024 letters; those of invitations that were imported are long. */
const idSchema = z.union([z.int(), z.string().regex(/^[\w-]{1,1024}$/)]);
/** The longest words of a service that are kept, in characters. */
const LONGEST_SAID = 300;

/** Looks for what is new with the tools that runs read with, as the owner. What is read goes to nobody but for ids, and those as data. */
export function createTriggers({ configured, read }: TriggersPorts): Triggers {
  const find = ({ server, trigger }: TriggerWhen) => configured[server]?.[trigger];
  return {
    offered: Object.entries(configured).flatMap(([server, triggers]) =>
      Object.entries(triggers).map(([trigger, { words, parts }]) => ({ server, trigger, words, parts })),
    ),

    async look(when, owner, signal) {
      const trigger = find(when);
      if (!trigger) return { why: 'gone', said: null };
      const { tool, arguments: args } = trigger.list;
      const { server } = when;
      const asked = { server, tool, arguments: fillArguments(args, when.given), owner };
      const found = await read({ ...asked, ...(signal && { signal }) });
      if ('why' in found) return { why: found.why, said: found.said?.slice(0, LONGEST_SAID) ?? null };
      const things = readThings(found.structured, trigger.things);
      if (things === null) return { why: 'silent', said: null };
      return { things, account: found.account, read: { tool: `${server}.${tool}`, digest: found.digest } };
    },

    describe(when, ids, later) {
      const reading = find(when)?.read;
      return {
        new_at: when.server,
        read_each_with: `${when.server}.${reading?.tool}`,
        arguments: ids.map((id) => fillArguments(reading?.arguments ?? {}, { ...when.given, id })),
        ...(later > 0 && { others_come_with_later_runs: later }),
      };
    },
  };
}

/** A value that is one part alone stays what it is: a number. */
function fillArguments(args: JsonObject, given: Readonly<Record<string, string | number>>): JsonObject {
  const words = Object.fromEntries(Object.entries(given).map(([name, value]) => [name, String(value)]));
  const filled = Object.entries(args).map(([name, value]) => {
    if (typeof value !== 'string') return [name, value];
    return [name, given[/^\{(\w+)\}$/.exec(value)?.[1] ?? ''] ?? fillIn(value, words)];
  });
  return Object.fromEntries(filled);
}

/** What has no id or no time by which it could be told whether it's new is left out; null where there is no list. */
function readThings(answer: JsonObject, { in: list, id, since }: ConnectorTrigger['things']) {
  const listed = z.array(z.record(z.string(), z.unknown())).safeParse(answer[list]).data;
  return (
    listed?.flatMap((one) => {
      const known = idSchema.safeParse(one[id]).data;
      const at = Date.parse(String(one[since]));
      return known === undefined || Number.isNaN(at) ? [] : [{ id: known, since: at }];
    }) ?? null
  );
}
