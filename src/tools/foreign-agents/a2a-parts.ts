import type { Part } from '@a2a-js/sdk';
import { isJsonObject, type JsonObject } from '../../lib/json.ts';

/**
 * A task as the parts of a message: in words first, and what else is known of it as data, or as text for an agent that
 * takes no JSON.
 */
export function toParts(
  { task, agent_id: id, entities, dependency_outputs: needed }: JsonObject,
  { takesJson }: { readonly takesJson: boolean },
): Part[] {
  const known = Object.entries({ entities, dependency_outputs: needed }).filter(
    ([, value]) => isJsonObject(value) && Object.keys(value).length > 0,
  );
  const words = toPart({ $case: 'text', value: String(task) }, 'text/plain');
  if (known.length === 0) return [words];
  const data = { ...(id !== undefined && { agent_id: id }), ...Object.fromEntries(known) };
  return [
    words,
    takesJson
      ? toPart({ $case: 'data', value: data }, 'application/json')
      : toPart({ $case: 'text', value: JSON.stringify(data) }, 'text/plain'),
  ];
}

function toPart(content: Part['content'], mediaType: string): Part {
  return { content, mediaType, metadata: undefined, filename: '' };
}

/**
 * An agent's answer as an AgentOutput: its own, where one of its parts is one; else its words are the answer, with its data
 * and where its files are. Null where it says nothing. What files hold isn't kept.
 */
export function toAgentOutput(parts: readonly Part[]): JsonObject | null {
  const text = toPlainText(parts);
  const data = parts.flatMap(({ content }): unknown[] => (content?.$case === 'data' ? [content.value] : []));
  const own = [...data, parseJson(text)].find(
    (value) => isJsonObject(value) && Object.hasOwn(value, 'task_done'),
  );
  if (isJsonObject(own)) return own;
  const files = parts.flatMap(({ content, filename }) =>
    content?.$case === 'url' ? [{ url: content.value, ...(filename !== '' && { name: filename }) }] : [],
  );
  if (text === '' && data.length === 0 && files.length === 0) return null;
  const brought: Record<string, unknown> = {
    ...(text !== '' && { answer: text }),
    ...(data.length > 0 && { data }),
    ...(files.length > 0 && { files }),
  };
  const output: unknown = { task_done: true, data: brought };
  return isJsonObject(output) ? output : null;
}

/** What parts say in words. */
export function toPlainText(parts: readonly Part[]): string {
  return parts
    .flatMap(({ content }) => (content?.$case === 'text' ? [content.value] : []))
    .join('\n\n')
    .trim();
}

function parseJson(text: string): unknown {
  if (!text.startsWith('{')) return null;
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
