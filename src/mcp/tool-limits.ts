import type { Tool } from '@modelcontextprotocol/client';
import { isTooDeep, MOST_LEVELS } from '../json.ts';

/** Of a tool as the model gets it (name, description and input schema), in characters: it is in every prompt. */
const MOST_TOLD = 20_000;
/** Of all that its server says of it, in characters: it is kept to be compared, and shown to whoever reviews it. */
const MOST_SAID = 100_000;

/** Why a tool is too much to be offered, completing "it …"; null where it is not. */
export function whyTooMuch(tool: Tool): string | null {
  if (isTooDeep(tool)) return `is described in more than ${MOST_LEVELS} levels`;
  const { name, description = '', inputSchema } = tool;
  const told = name.length + description.length + JSON.stringify(inputSchema).length;
  if (told > MOST_TOLD) return `takes more than ${MOST_TOLD.toLocaleString('en')} characters to describe`;
  const said = JSON.stringify(tool).length;
  return said > MOST_SAID ? `is described in more than ${MOST_SAID.toLocaleString('en')} characters` : null;
}
