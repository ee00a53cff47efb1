import { type BaseMessage, isToolMessage } from '@langchain/core/messages';
import { z } from 'zod';
import { isJsonObject, type JsonObject } from '../../lib/json.ts';
import type { AgentOutput } from '../../runs/ports.ts';
import { SOURCES } from '../texts.ts';

const sourceSchema = z.object({
  /** The agent that used it. */
  agent: z.string(),
  source: z.string(),
  place: z.string().optional(),
  url: z.string().optional(),
});
type Source = z.infer<typeof sourceSchema>;

/** Outputs for the composer, with the numbers by which it cites where things are from. */
export interface Sourced {
  readonly outputs: readonly JsonObject[];
  /** In the order of their numbers, from 1. */
  readonly sources: readonly Source[];
}

/** The most sources that an answer can cite. */
const MOST_SOURCES = 99;

/**
 * Numbers where the outputs are from, each result with its own: the same source of the same agent has one number. What
 * comes after {@link MOST_SOURCES} has none.
 */
export function numberSources(outputs: readonly AgentOutput[]): Sourced {
  const sources: Source[] = [];
  const numbers = new Map<string, number>();
  const number = (agent: string, given: unknown): readonly string[] => {
    const read = z.array(sourceSchema.omit({ agent: true })).safeParse(given);
    if (!read.success) return [];
    return read.data.flatMap((one) => {
      const key = JSON.stringify([agent, one.source, one.place, one.url]);
      if (!numbers.has(key) && sources.length < MOST_SOURCES)
        numbers.set(key, sources.push({ agent, ...one }));
      const at = numbers.get(key);
      return at === undefined ? [] : [`[${at}] ${[one.source, one.place].filter(Boolean).join(', ')}`];
    });
  };
  const described = outputs.map((output): JsonObject => {
    const { agent_id: task, agent_name: agent, task_description: what, task_done: done, error } = output;
    const { results, ...said } = { ...output.data, ...output.partial_data };
    const numbered = Array.isArray(results)
      ? results.map((one) => (isJsonObject(one) ? { ...one, sources: [...number(agent, one.sources)] } : one))
      : results;
    return {
      ...{ task, agent, what, done },
      ...(error !== null && { error }),
      ...said,
      ...(numbered === undefined
        ? { sources: [...number(agent, output.metadata.sources)] }
        : { results: numbered }),
    };
  });
  return { outputs: described, sources };
}

const keptSchema = z.object({ sources: z.array(sourceSchema) });

/** The sources of the plan that was carried out last in a conversation. */
export function lastSources(messages: readonly BaseMessage[]): readonly Source[] {
  const last = messages.findLast((message) => isToolMessage(message));
  return keptSchema.safeParse(last?.additional_kwargs).data?.sources ?? [];
}

const CITED = /\[(\d{1,2}(?:\s*,\s*\d{1,2})*)\]/g;

/**
 * An answer whose citations are numbered from 1 in the order in which they come, with the list of what they stand for.
 * Numbers that stand for nothing are left out, so that none of them looks like a source.
 */
export function citeSources(answer: string, sources: readonly Source[]): string {
  const cited: number[] = [];
  const text = answer.replace(CITED, (whole, list: string) => {
    const known = list
      .split(',')
      .map(Number)
      .filter((number) => sources[number - 1] !== undefined);
    // No citation, such as an index in a piece of code.
    if (known.length === 0) return sources.length === 0 ? whole : '';
    const own = known.map((number) => {
      if (!cited.includes(number)) cited.push(number);
      return cited.indexOf(number) + 1;
    });
    return `[${own.join(', ')}]`;
  });
  if (cited.length === 0) return text.trim();
  const lines = cited.flatMap((number, index) => {
    const source = sources[number - 1];
    return source ? [SOURCES.line(index + 1, source)] : [];
  });
  return [text.trim(), '', SOURCES.title, ...lines].join('\n');
}
