import { z } from 'zod';
import type { JsonObject } from '../lib/json.ts';
import type { ConnectorTrigger } from '../mcp/ports.ts';
import type { ReadUnrecorded } from '../tools/index.ts';
import type { Triggers, TriggerWhen } from './ports.ts';
import { fillIn } from './read-trigger.ts';
import { NEWS } from './texts.ts';

interface TriggersPorts {
  /** The triggers of the servers that are connectors, by the servers' names. */
  readonly configured: Readonly<Record<string, Readonly<Record<string, ConnectorTrigger>>>>;
  readonly read: ReadUnrecorded;
}

/** An id goes into what the model is asked, so it has to be one, and no text. */
const idSchema = z.union([z.int(), z.string().regex(/^[\w-]{1,128}$/)]).transform(String);

/** Looks for what is new with the tools that runs read with, as the owner. What is read goes to nobody but for ids. */
export function createTriggers({ configured, read }: TriggersPorts): Triggers {
  const find = ({ server, trigger }: TriggerWhen) => configured[server]?.[trigger];
  return {
    offered: Object.entries(configured).flatMap(([server, triggers]) =>
      Object.entries(triggers).map(([trigger, { words, parts }]) => ({ server, trigger, words, parts })),
    ),

    async look(when, owner) {
      const trigger = find(when);
      if (!trigger) return { problem: 'gone' };
      const { tool, arguments: args } = trigger.list;
      const { server } = when;
      const found = await read({ server, tool, arguments: fillArguments(args, when.given), owner });
      if (!('why' in found)) return { things: readThings(found.structured, trigger.things) };
      if (found.why === 'silent' || found.why === 'refused') {
        throw new Error(`${server}.${tool} gave no list: ${found.said}`);
      }
      return { problem: found.why };
    },

    howToRead(when, ids) {
      const reading = find(when)?.read;
      const lines = ids.map((id) => {
        const args = fillArguments(reading?.arguments ?? {}, { ...when.given, id });
        return NEWS.one(`${when.server}.${reading?.tool}`, JSON.stringify(args));
      });
      return [NEWS.first(when.server), ...lines].join('\n');
    },
  };
}

function fillArguments(args: JsonObject, given: Readonly<Record<string, string>>): JsonObject {
  const filled = Object.entries(args).map(([name, value]) => [
    name,
    typeof value === 'string' ? fillIn(value, given) : value,
  ]);
  return Object.fromEntries(filled);
}

/** What has no id or no time by which it could be told whether it's new is left out. */
function readThings(answer: JsonObject, { in: list, id, since }: ConnectorTrigger['things']) {
  const listed = z.array(z.record(z.string(), z.unknown())).parse(answer[list]);
  return listed.flatMap((one) => {
    const known = idSchema.safeParse(one[id]).data;
    const at = Date.parse(String(one[since]));
    return known === undefined || Number.isNaN(at) ? [] : [{ id: known, since: at }];
  });
}
