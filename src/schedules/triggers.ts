import { z } from 'zod';
import type { Actor } from '../gate/types.ts';
import type { JsonObject } from '../lib/json.ts';
import type { ConnectorTrigger } from '../mcp/ports.ts';
import type { SendCall, ToolDefinition, ToolOffer } from '../tools/ports.ts';
import type { Triggers, TriggerWhen } from './ports.ts';
import { fillIn } from './read-trigger.ts';
import { NEWS } from './texts.ts';

/** How long one look may take, in milliseconds. */
const LOOK_MS = 30_000;

interface TriggersPorts {
  /** The triggers of the servers that are connectors, by the servers' names. */
  readonly configured: Readonly<Record<string, Readonly<Record<string, ConnectorTrigger>>>>;
  /** The tools that runs of this person are offered. */
  readonly offer: (person: Actor, isNeeded: (server: string) => boolean) => Promise<Pick<ToolOffer, 'tools'>>;
  /** Whether the policy and the permissions of tools let a call run with nobody asked. */
  readonly isAllowed: (tool: ToolDefinition, args: JsonObject) => boolean;
  readonly send: SendCall;
}

/** An id goes into what the model is asked, so it has to be one, and no text. */
const idSchema = z.union([z.int(), z.string().regex(/^[\w-]{1,128}$/)]).transform(String);

/**
 * Looks for what is new with the tools that runs read with, as the owner: where the policy lets the tool run, by their own
 * sign-in. What is read goes to nobody but for ids, so a look isn't a call on record; what a run reads then is.
 */
export function createTriggers({ configured, offer, isAllowed, send }: TriggersPorts): Triggers {
  const find = ({ server, trigger }: TriggerWhen) => configured[server]?.[trigger];
  return {
    offered: Object.entries(configured).flatMap(([server, triggers]) =>
      Object.entries(triggers).map(([trigger, { words, parts }]) => ({ server, trigger, words, parts })),
    ),

    async look(when, owner) {
      const { server } = when;
      const trigger = find(when);
      const { tools } = await offer(owner, (name) => name === server);
      const tool = tools.find((it) => it.server === server && it.name === trigger?.list.tool);
      if (!trigger || !tool || tool.unavailableReason !== undefined) return { problem: 'gone' };
      // Nobody is asked, and nothing is on record: nothing may change by it.
      if (!tool.readOnly) return { problem: 'not_allowed' };
      const args = fillArguments(trigger.list.arguments, when.given);
      if (!isAllowed(tool, args)) return { problem: 'not_allowed' };
      const { name, definitionHash } = tool;
      const result = await send(
        { server, name, arguments: args, definitionHash, person: owner },
        {
          signal: AbortSignal.timeout(LOOK_MS),
          onProgress: () => undefined,
          onElicit: async () => ({ action: 'cancel', content: null }),
        },
      );
      if (result.kind === 'blocked') return { problem: 'not_connected' };
      if (result.kind !== 'ended' || result.outcome.status !== 'succeeded') {
        throw new Error(`${server}.${name} gave no list`);
      }
      return { things: readThings(result.outcome.structured, trigger.things) };
    },

    howToRead(when, ids) {
      const read = find(when)?.read;
      const lines = ids.map((id) => {
        const args = fillArguments(read?.arguments ?? {}, { ...when.given, id });
        return NEWS.one(`${when.server}.${read?.tool}`, JSON.stringify(args));
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
function readThings(answer: JsonObject | null, { in: list, id, since }: ConnectorTrigger['things']) {
  const listed = z.array(z.record(z.string(), z.unknown())).parse(answer?.[list]);
  return listed.flatMap((one) => {
    const known = idSchema.safeParse(one[id]).data;
    const at = Date.parse(String(one[since]));
    return known === undefined || Number.isNaN(at) ? [] : [{ id: known, since: at }];
  });
}
