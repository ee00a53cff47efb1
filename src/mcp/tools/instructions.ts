import type { Client, Tool } from '@modelcontextprotocol/client';
import { escapeInvisible } from '../../lib/unicode.ts';

/**
 * The name under which a server's instructions are listed and reviewed. No tool has it: tools' names have no
 * `@`.
 * @see https://modelcontextprotocol.io/specification/2025-11-25/server/tools#tool-names
 */
export const INSTRUCTIONS = '@instructions';

/** Longest instructions of one server that the model reads, in characters: about 500 tokens. */
const MOST_INSTRUCTIONS = 2_000;

/**
 * What the server says about itself when it's connected, as an entry of its list of tools; null if it says
 * nothing. In the list, it's kept per person, outlined for others and reviewed like any description of a
 * tool: what is reviewed is exactly what the model reads. Invisible characters are written out. See
 * docs/decisions/0039.
 */
export function listedInstructions(client: Pick<Client, 'getInstructions'>): Tool | null {
  const text = escapeInvisible(client.getInstructions() ?? '').trim();
  if (text === '') return null;
  return {
    name: INSTRUCTIONS,
    description: text.slice(0, MOST_INSTRUCTIONS).toWellFormed(),
    inputSchema: { type: 'object' },
  };
}
