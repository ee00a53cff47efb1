import { type BaseMessage, isToolMessage } from '@langchain/core/messages';
import { z } from 'zod';
import { isJsonObject, type JsonObject } from '../../lib/json.ts';
import type { AgentOutput } from '../../runs/ports.ts';
import { SOURCES, sourcePlace } from '../texts.ts';

/** On one line, so that none of it looks like a line of ours. */
const nameSchema = z.string().transform((name) => name.replace(/\s+/g, ' ').trim());

const sourceSchema = z.object({
  /** The agent that used it. */
  agent: z.string(),
  source: nameSchema,
  place: nameSchema.optional(),
  url: z
    .string()
    .regex(/^https?:\/\//i)
    .optional()
    .catch(undefined),
});
type Source = z.infer<typeof sourceSchema>;

/** Outputs for the composer, with the numbers by which it cites where things are from. */
export interface Sourced {
  readonly outputs: readonly JsonObject[];
  /** In the order of their numbers, from 1. */
  readonly sources: readonly Source[];
}

/** The most that the composer is told of a task itself, in characters. */
const WHAT_LENGTH = 400;
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
      return at === undefined
        ? []
        : [`[${at}] ${[one.source, sourcePlace({ agent, ...one })].filter(Boolean).join(', ')}`];
    });
  };
  const described = outputs.map((output): JsonObject => {
    const { agent_id: task, agent_name: agent, task_done: done, error, changed, not_done } = output;
    const what = output.task_description.slice(0, WHAT_LENGTH).toWellFormed();
    const { results, ...said } = { ...output.data, ...output.partial_data };
    const numbered = Array.isArray(results)
      ? results.map((one) => (isJsonObject(one) ? { ...one, sources: [...number(agent, one.sources)] } : one))
      : results;
    // What is known of it comes first, as long ones are cut, and nothing that an agent brought takes its place.
    return {
      ...{ task, agent, what, done },
      ...(error !== null && { error }),
      ...(changed.length > 0 && { changed: [...changed] }),
      ...(not_done.length > 0 && { not_done: [...not_done] }),
      brought: {
        ...said,
        ...(numbered === undefined
          ? { sources: [...number(agent, output.metadata.sources)] }
          : { results: numbered }),
      },
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

/** A piece of code, whose brackets are its own; or a citation, such as “[1, 2]”, that is no link. */
const CITED = /```[\s\S]*?(?:```|$)|`[^`\n]*`|\[(\d{1,2}(?:\s*,\s*\d{1,2})*)\](?!\()/g;
/** What a citation comes after, where it isn't known: not a name or a sign, as an index or a list in code does. */
const BEFORE_CITED = /(?:^|[\s.,;:!?)\]"'”’])$/;

/**
 * An answer whose citations are numbered from 1 in the order in which they come, with the list of what they stand for.
 * Numbers that stand for nothing are left out, so that none of them looks like a source.
 */
export function citeSources(answer: string, sources: readonly Source[]): string {
  const cited: number[] = [];
  const text = answer.replace(CITED, (whole, list: string | undefined, at: number) => {
    if (list === undefined) return whole;
    const known = list
      .split(',')
      .map(Number)
      .filter((number) => sources[number - 1] !== undefined);
    if (known.length === 0)
      return sources.length > 0 && BEFORE_CITED.test(answer.slice(Math.max(0, at - 1), at)) ? '' : whole;
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
