import type { RichTextSection } from '@slack/types';
import type { ServerStatus } from '../../mcp/ports.ts';
import { clip, clipAtWord, oneLine, pieces } from '../../presentation/text/clip.ts';
import { visible } from '../../presentation/text/visible.ts';
import type { ToolDefinition } from '../../tools/ports.ts';
import { section, text } from '../text/block-kit.ts';
import { SERVER } from '../texts/commands.ts';
import { andMore } from '../texts/messages.ts';

const LISTED = 20;
/** Characters of a server's name, and of why it is down: our longest advice fits. */
const NAME_LENGTH = 80;
const REASON_LENGTH = 500;
/** Most tools of a server that are named when they're left out. */
const NAMED = 5;
/** Characters of all lines together. Reasons are shortened only when many servers have long ones. */
const ALL_LENGTH = 8_000;
const SECTION_LENGTH = 2_800;

/** What the lines need of a tool: its server, and whether it waits for a review. */
export type OfferedTool = Pick<ToolDefinition, 'server' | 'unavailableReason'>;

/**
 * One line per server: up, with its tools, how many of them wait for a review and which are left out; or down,
 * and why.
 */
export function serverSections(
  servers: readonly ServerStatus[],
  tools: readonly OfferedTool[],
): readonly RichTextSection[] {
  return pieces(serverLines(servers, tools), SECTION_LENGTH).map((piece) => section(text(piece.trimEnd())));
}

function serverLines(servers: readonly ServerStatus[], tools: readonly OfferedTool[]): string {
  if (servers.length === 0) return SERVER.none;
  const shown = servers.slice(0, LISTED);
  const room = Math.min(REASON_LENGTH, Math.floor(ALL_LENGTH / shown.length) - NAME_LENGTH);
  const lines = shown.map((server) => describeServer(server, countHeld(server.name, tools), room));
  const more = servers.length - lines.length;
  return [...lines, ...(more > 0 ? [andMore(more)] : [])].join('\n');
}

function countHeld(server: string, tools: readonly OfferedTool[]): number {
  return tools.filter((tool) => tool.server === server && tool.unavailableReason !== undefined).length;
}

function describeServer(
  { name, state, error, toolCount, omitted, protection }: ServerStatus,
  held: number,
  room: number,
): string {
  const shown = clip(oneLine(visible(name)), NAME_LENGTH);
  const why = error === null ? '' : SERVER.because(clipAtWord(oneLine(visible(error)), room));
  switch (state) {
    case 'up':
      return `${toolCount > 0 && held === toolCount ? '🟡' : '🟢'} ${shown} · ${describeTools(toolCount, held)}${describeProtection(protection)}${describeLeftOut(omitted, room)}`;
    case 'idle':
      return `⚪ ${shown} · ${SERVER.idle}`;
    case 'sign_in_required':
      return `🔑 ${shown} · ${SERVER.signInRequired}${why}${held === 0 ? '' : ` · ${SERVER.held(held)}`}${describeLeftOut(omitted, room)}`;
    case 'setup_required':
      return `🔧 ${shown} · ${SERVER.setupRequired}${why}`;
    case 'connecting':
      return `🟡 ${shown} · ${SERVER.connecting}`;
    case 'down':
      return `🔴 ${shown} · ${SERVER.down}${why}`;
  }
}

/** The tools that can't be used, the first with their reasons; empty if there are none. */
function describeLeftOut(omitted: ServerStatus['omitted'], room: number): string {
  if (omitted.length === 0) return '';
  const shown = omitted
    .slice(0, NAMED)
    .map(({ name, why }) => SERVER.leftOutTool(clip(name, NAME_LENGTH), why));
  const more = omitted.length - shown.length;
  const tools = [...shown, ...(more > 0 ? [andMore(more)] : [])].join('; ');
  return ` · ${clipAtWord(oneLine(visible(SERVER.leftOut(omitted.length, tools))), room)}`;
}

/** Held tools can't be used, so they are counted apart. */
/** How the server's process is kept away from ours; empty if there's none. */
function describeProtection(protection: ServerStatus['protection']): string {
  if (protection === null) return '';
  return ` · ${protection === 'none' ? SERVER.notIsolated : SERVER.isolated(protection)}`;
}

function describeTools(count: number, held: number): string {
  const tools = SERVER.tools(count);
  return held === 0 ? tools : `${tools}, ${SERVER.held(held)}`;
}
