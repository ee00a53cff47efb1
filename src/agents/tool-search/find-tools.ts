import { type BaseMessage, isAIMessage, isToolMessage, ToolMessage } from '@langchain/core/messages';
import { z } from 'zod';
import type { ProposedCall, ToolSnapshot } from '../../gate/types.ts';
import type { RunContext } from '../../runs/ports.ts';
import type { ToolDefinition } from '../../tools/ports.ts';
import { foldConversation } from '../shared/fold-conversation.ts';
import { ownerMark } from '../shared/result-owner.ts';

/** The most tools that one search finds. */
const MOST_FOUND = 10;
/** The longest description of a found tool, in characters. It is offered whole from the next step on. */
const LONGEST_DESCRIPTION = 200;

/**
 * A built-in tool, offered where there are more tools than a model takes: the model looks for others. It calls
 * nothing and changes nothing, so it needs no approval; a call of a found tool does as always.
 */
export const FIND_TOOLS: ToolSnapshot = {
  server: 'countersign',
  name: 'find_tools',
  modelName: 'find_tools',
  title: 'Find tools',
  description:
    'Find tools that are not in your list; there are more than fit into it. Say in a few English words what to do ' +
    'and what it is done to. You can call what it finds from your next message on.',
  inputSchema: {
    type: 'object',
    properties: {
      query: { type: 'string', description: 'What to do and to what, such as “create issue”.' },
      server: { type: 'string', description: 'Only tools of this server.' },
    },
    required: ['query'],
    additionalProperties: false,
  },
  definitionHash: 'countersign:find_tools:1',
  destructive: false,
  trusted: true,
};

const argumentsSchema = z.object({
  query: z.string().min(1).max(500),
  server: z.string().max(200).optional(),
});
/** The found tools, by their names for models, as kept with the answer. */
const foundSchema = z.object({ found: z.array(z.string()) });

/**
 * The answer to a call of {@link FIND_TOOLS}, which is for its requester: a server that people sign in to describes its
 * tools to each of them.
 *
 * @param tools those that the request may use. Held ones aren't found.
 * @param search finds tools of the offer, best first; others than `tools` are passed over.
 */
export function findingMessage(
  search: (texts: readonly string[]) => readonly ToolDefinition[],
  tools: readonly ToolDefinition[],
  { threadId, requester }: Pick<RunContext, 'threadId' | 'requester'>,
  call: ProposedCall,
): ToolMessage {
  const usable = tools.filter(({ unavailableReason: held }) => held === undefined);
  const { text, found } = answer(search, usable, call.arguments);
  return new ToolMessage({
    id: `result:${threadId}:${call.callId}`,
    tool_call_id: call.callId,
    name: FIND_TOOLS.modelName,
    status: found === null ? 'error' : 'success',
    content: text,
    ...(found === null
      ? {}
      : {
          additional_kwargs: {
            found: found.map(({ modelName }) => modelName),
            ...ownerMark(requester),
          } satisfies Found & ReturnType<typeof ownerMark>,
        }),
  });
}
type Found = z.infer<typeof foundSchema>;

/** The names of tools that were called or found in a conversation, newest first; some may be gone by now. */
export function toolsInUse(messages: readonly BaseMessage[]): readonly string[] {
  return [...inUse(messages)].toReversed();
}

/** Oldest use first. */
const inUse: (messages: readonly BaseMessage[]) => ReadonlySet<string> = foldConversation(
  () => new Set<string>(),
  (names, message) => {
    for (const name of namesIn(message).toReversed()) {
      names.delete(name);
      names.add(name);
    }
  },
);

function namesIn(message: BaseMessage): readonly string[] {
  if (isToolMessage(message)) return foundSchema.safeParse(message.additional_kwargs).data?.found ?? [];
  return isAIMessage(message) ? (message.tool_calls ?? []).map(({ name }) => name) : [];
}

function answer(
  search: (texts: readonly string[]) => readonly ToolDefinition[],
  tools: readonly ToolDefinition[],
  args: unknown,
): { readonly text: string; readonly found: readonly ToolDefinition[] | null } {
  const asked = argumentsSchema.safeParse(args);
  if (!asked.success) return { text: `Not searched: ${z.prettifyError(asked.error)}`, found: null };
  const { query, server } = asked.data;
  const servers = [...new Set(tools.map((tool) => tool.server))];
  if (server !== undefined && !servers.includes(server)) {
    return { text: `No server is called ${server}. There are: ${servers.join(', ')}.`, found: null };
  }
  const names = new Set(
    tools.filter((tool) => server === undefined || tool.server === server).map(({ modelName }) => modelName),
  );
  const found = search([query])
    .filter(({ modelName }) => names.has(modelName))
    .slice(0, MOST_FOUND);
  if (found.length === 0) {
    return { text: `Nothing matches. Try other words. The servers are: ${servers.join(', ')}.`, found };
  }
  return { text: ['You can call these now:', ...found.map(toLine)].join('\n'), found };
}

function toLine({ modelName, title, server, description }: ToolDefinition): string {
  const [first = ''] = description.trim().split('\n');
  const cut = first.length > LONGEST_DESCRIPTION ? `${first.slice(0, LONGEST_DESCRIPTION)}…` : first;
  return `- ${modelName} (${title}, of ${server})${cut === '' ? '' : `: ${cut}`}`;
}
