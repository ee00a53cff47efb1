import { z } from 'zod';
import type { DemoCall, DemoTool } from '../turn.ts';
import { commonTopics } from '../wording.ts';
import { AGENTS } from './plan-tasks.ts';

/** Whether the script has more for an agent of this name than what its tools are called. */
export function isKnown(agent: string): boolean {
  return AGENTS.some((name) => name === agent);
}

/** A task for each agent that the script doesn't know and that a request has a word in common with: the whole request. */
export function planForOthers(request: string, instructions: string) {
  return [...instructions.matchAll(/^- ([\w-]+): (.*)$/gm)].flatMap(([, agent = '', about = '']) => {
    const isFor = !isKnown(agent) && commonTopics(request, about.replace(/; tools: [^;]*/, '')).length > 0;
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
    if (server === 'countersign' || more.length > 0 || commonTopics(task, own).length === 0) continue;
    if (only === undefined) return { name, arguments: {} };
    if (properties[only]?.type === 'string') return { name, arguments: { [only]: task } };
  }
  return null;
}
