import type { ToolDefinition } from '../tools/ports.ts';
import { plainTitle } from './text/title.ts';
import { visible } from './text/visible.ts';

const COUNT = 3;

/** Example prompts that the model can handle with these tools, best first. */
export type ExamplesFor = (
  tools: readonly Pick<ToolDefinition, 'server' | 'name' | 'title' | 'readOnly' | 'role'>[],
) => readonly string[];

/** Three example prompts for these tools: first one per server, and reading tools before others. */
export function examplesFor(
  all: readonly Pick<ToolDefinition, 'server' | 'title' | 'readOnly' | 'role'>[],
): string[] {
  const tools = all.filter(({ role }) => role === undefined);
  const readersFirst = [...tools.filter((tool) => tool.readOnly), ...tools.filter((tool) => !tool.readOnly)];
  const servers = new Set<string>();
  const first = readersFirst.filter(({ server }) => !servers.has(server) && servers.add(server));
  const others = readersFirst.filter((tool) => !first.includes(tool));
  const titles = [...first, ...others].map(({ title }) => visible(plainTitle(title)));
  return [...new Set(titles)].slice(0, COUNT).map((act) => `${act.charAt(0).toLowerCase()}${act.slice(1)}`);
}
