import type { ToolDefinition } from '../../mcp/types.ts';
import { clip, oneLine } from '../text/clip.ts';
import { visible } from '../text/visible.ts';

const COUNT = 3;

/** Three things to write that work with these tools, one per server first, reading tools before others. */
export function examplesFor(
  tools: readonly Pick<ToolDefinition, 'server' | 'title' | 'readOnly'>[],
): string[] {
  const readersFirst = [...tools.filter((tool) => tool.readOnly), ...tools.filter((tool) => !tool.readOnly)];
  const servers = new Set<string>();
  const first = readersFirst.filter(({ server }) => !servers.has(server) && servers.add(server));
  const others = readersFirst.filter((tool) => !first.includes(tool));
  return [...first, ...others].slice(0, COUNT).map(({ title, server }) => {
    const act = clip(oneLine(visible(title)), 80);
    return `${act.charAt(0).toLowerCase()}${act.slice(1)} with ${clip(oneLine(visible(server)), 40)}`;
  });
}
