import { sha256Hex } from '../../lib/canonical-json.ts';

export interface ToolKey {
  readonly server: string;
  readonly name: string;
}

/** What the common model APIs take for a tool's name: [a-zA-Z0-9_-], up to 64. */
const LONGEST = 64;

/**
 * The names that the model calls tools by, in the order given: `server__tool` where that is possible and
 * could mean no other tool, else a readable part of it with a suffix from a hash. A name depends on its own
 * tool only, so that it stays the same while other servers come and go.
 */
export function modelNames(tools: readonly ToolKey[]): string[] {
  const taken = new Set<string>();
  return tools.map((tool) => {
    const own = ownName(tool);
    // Two names can only be equal here when a server chose one of its names to look like a suffixed one.
    const name = taken.has(own) ? suffixed(tool, 24) : own;
    taken.add(name);
    return name;
  });
}

function ownName(tool: ToolKey): string {
  const plain = `${tool.server}__${tool.name}`;
  const isPlain = plain === safe(plain) && plain.length <= LONGEST && tool.name !== '';
  // Split at its first `__` a plain name gives server and tool back, so that no two tools share one.
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

/** A tool's name in words: `create_event` and `createEvent` are "Create event". */
export function readableName(name: string): string {
  const words = name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')
    .map((word) => (/^\p{Lu}{2,}$/u.test(word) ? word : word.toLowerCase()))
    .join(' ');
  return words === '' ? name : words.charAt(0).toUpperCase() + words.slice(1);
}
