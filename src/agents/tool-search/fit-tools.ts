import { type BaseMessage, isHumanMessage, isToolMessage } from '@langchain/core/messages';
import type { ToolSnapshot } from '../../gate/types.ts';
import type { ToolDefinition } from '../../tools/ports.ts';
import { toolTokens } from '../context/estimate-tokens.ts';
import { ASK_USER } from '../shared/ask-user.ts';
import { FIND_TOOLS, toolsInUse } from './find-tools.ts';

/** How many of people's last messages tools are chosen by. */
const RECENT_MESSAGES = 3;

/** Whether a person wrote it: a message, or the answer to a question. */
function isWrittenByPerson(message: BaseMessage): boolean {
  return isHumanMessage(message) || (isToolMessage(message) && message.name === ASK_USER.modelName);
}

/** The tools that one step of the model is offered. */
interface FittedTools {
  readonly offered: readonly ToolSnapshot[];
  /** How many tools of each server are left out. */
  readonly leftOut: ReadonlyMap<string, number>;
  /** The tools that have no room even alone, by their names for models. */
  readonly tooLarge: readonly string[];
}

/** How many tools a step may have, with the built-in ones, and how many tokens their definitions may take. */
interface MostTools {
  readonly maxTools: number;
  readonly maxTokens: number;
}

/**
 * Fits the tools into what a model takes. All of them where they fit. Otherwise the built-in ones with
 * {@link FIND_TOOLS}, those that this conversation called or found, newest first, and then those that match
 * what people last wrote best. See docs/decisions/0038.
 *
 * @param tools those that the request may use; held ones aren't offered, nor counted.
 * @param limits.search finds tools of the offer, best first; others than `tools` are passed over.
 */
export function fitTools(
  tools: readonly ToolDefinition[],
  builtIn: readonly ToolSnapshot[],
  messages: readonly BaseMessage[],
  {
    search,
    ...most
  }: MostTools & { readonly search: (texts: readonly string[]) => readonly ToolDefinition[] },
): FittedTools {
  const open = tools.filter(({ unavailableReason: held }) => held === undefined);
  const [usable, large] = [
    open.filter((tool) => toolTokens(tool) <= most.maxTokens),
    open.filter((tool) => toolTokens(tool) > most.maxTokens),
  ];
  const tooLarge = large.map(({ modelName }) => modelName);
  const all = [...usable, ...builtIn];
  if (firstThatFit(all, most).length === all.length) return { offered: all, leftOut: new Map(), tooLarge };
  const own = [...builtIn, FIND_TOOLS];
  const byName = new Map(usable.map((tool) => [tool.modelName, tool]));
  const recent = messages.filter(isWrittenByPerson).slice(-RECENT_MESSAGES);
  const texts = recent.toReversed().map(({ text }) => text);
  const ranked = [
    // The program's own tools, such as those that connect a server, stand for others that can't be found yet.
    ...usable.filter(({ server }) => server === FIND_TOOLS.server),
    ...toolsInUse(messages).flatMap((name) => byName.get(name) ?? []),
    ...search(texts).flatMap(({ modelName }) => byName.get(modelName) ?? []),
  ];
  const chosen = new Set(firstThatFit([...new Set([...own, ...ranked])], most));
  const left = usable.filter((tool) => !chosen.has(tool));
  return {
    tooLarge,
    // In the order of the list, so that the same choice is the same prompt to the provider's cache.
    offered: [...usable.filter((tool) => chosen.has(tool)), ...own.filter((tool) => chosen.has(tool))],
    leftOut: new Map(
      [...Map.groupBy(left, ({ server }) => server)].map(([server, its]) => [server, its.length]),
    ),
  };
}

/** The first of the tools, less those that there is no room for. */
function firstThatFit<T extends ToolSnapshot>(
  tools: readonly T[],
  { maxTools, maxTokens }: MostTools,
): readonly T[] {
  let tokens = 0;
  let count = 0;
  return tools.filter((tool) => {
    const own = toolTokens(tool);
    if (count >= maxTools || tokens + own > maxTokens) return false;
    count += 1;
    tokens += own;
    return true;
  });
}
