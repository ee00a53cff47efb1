import { sha256Hex } from '../../lib/canonical-json.ts';

interface ToolKey {
  readonly server: string;
  readonly name: string;
}

/** Longest tool name that the common model APIs accept. The alphabet is [a-zA-Z0-9_-]. */
const LONGEST = 64;

/**
 * The names that the model uses for the tools, in the same order. `server__tool` if that's valid and
 * unambiguous, or else a readable part of it with a hash suffix. A name depends on its own tool only, so it
 * stays the same while other servers come and go.
 *
 * @example
 * modelNames([{ server: 'calendar', name: 'create_event' }]); // ['calendar__create_event']
 */
export function modelNames(tools: readonly ToolKey[]): string[] {
  const taken = new Set<string>();
  return tools.map((tool) => {
    const own = ownName(tool);
    // Names can only collide here if a server chose one that looks like a suffixed name.
    const name = taken.has(own) ? suffixed(tool, 24) : own;
    taken.add(name);
    return name;
  });
}

function ownName(tool: ToolKey): string {
  const plain = `${tool.server}__${tool.name}`;
  const isPlain = plain === safe(plain) && plain.length <= LONGEST && tool.name !== '';
  // Splitting at the first `__` must give server and tool back, so that no two tools share a name.
  const isUnambiguous = !tool.server.includes('__') && !tool.server.endsWith('_') && tool.server !== '';
  return isPlain && isUnambiguous ? plain : suffixed(tool, 8);
}

function suffixed(tool: ToolKey, digits: number): string {
  const hash = sha256Hex(JSON.stringify([tool.server, tool.name])).slice(0, digits);
  return `${safe(`${tool.server}__${tool.name}`).slice(0, LONGEST - digits - 1)}_${hash}`;
}

function safe(text: string): string {
  return text.replace(/[^a-zA-Z0-9_-]/g, '_');
}
