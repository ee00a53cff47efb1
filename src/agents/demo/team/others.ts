import { z } from 'zod';
import type { DemoCall, DemoTool } from '../turn.ts';
import { AGENTS } from './plan-tasks.ts';

/** Words of any request, which say nothing of what it is about. */
const COMMON =
  /^(?:about|does|from|have|into|make|need|please|tell|that|their|them|there|this|want|what|when|where|which|with|your)$/;

/** Whether the script has more for an agent of this name than what its tools are called. */
export function isKnown(agent: string): boolean {
  return AGENTS.some((name) => name === agent);
}

/** A task for each agent that the script doesn't know and that a request has a word in common with: the whole request. */
export function planForOthers(request: string, instructions: string) {
  return [...instructions.matchAll(/^- ([\w-]+): (.*)$/gm)].flatMap(([, agent = '', about = '']) => {
    const isFor = !isKnown(agent) && shareWord(request, about.replace(/; tools: [^;]*/, ''));
    return isFor ? [{ id: agent, agent, task: request, depends_on: [] }] : [];
  });
}

const schema = z.object({
  required: z.array(z.string()).default([]),
  properties: z.record(z.string(), z.looseObject({ type: z.unknown() })).default({}),
});

/** A call of the first tool that has a word of the task in its name, and needs nothing but a text at the most; null for none. */
export function callForTask(task: string, tools: readonly DemoTool[]): DemoCall | null {
  for (const { name, parameters } of tools) {
    const [server, own = ''] = name.split('__');
    const { required, properties } = schema.catch({ required: [], properties: {} }).parse(parameters);
    const [only, ...more] = required;
    if (server === 'countersign' || more.length > 0 || !shareWord(task, own)) continue;
    if (only === undefined) return { name, arguments: {} };
    if (properties[only]?.type === 'string') return { name, arguments: { [only]: task } };
  }
  return null;
}

function shareWord(one: string, other: string): boolean {
  const [words, others] = [one, other].map((text) => text.toLowerCase().match(/\p{L}{4,}/gu) ?? []);
  const known = new Set(others?.map((word) => word.replace(/s$/, '')));
  return words?.some((word) => !COMMON.test(word) && known.has(word.replace(/s$/, ''))) ?? false;
}
