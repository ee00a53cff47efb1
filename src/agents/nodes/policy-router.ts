import type { BaseChatModel } from '@langchain/core/language_models/chat_models';
import { isHumanMessage, SystemMessage } from '@langchain/core/messages';
import { z } from 'zod';
import type { ToolDefinition } from '../../tools/ports.ts';
import { cutToShare } from '../context/cut-message.ts';
import { inChatSpan } from '../models/chat-span.ts';
import { countTokens } from '../models/count-tokens.ts';
import { isRefused, modelError } from '../models/errors.ts';
import type { AgentModels, AgentPorts, AgentTools } from '../ports.ts';
import type { Contexts } from '../runtime/run-contexts.ts';
import { withSpeaker } from '../shared/speakers.ts';
import { ROUTER_PROMPT } from './prompts.ts';
import type { State, Update } from './state.ts';

const choiceSchema = z.object({ tool_types: z.array(z.string()) });

interface RouterPorts {
  readonly models: AgentModels;
  readonly tools: AgentTools;
  readonly limits: Pick<AgentPorts['limits'], 'contextTokens'>;
}

/** How many of people's last messages the types are chosen by, and how many tokens they may take. */
const MOST_MESSAGES = 5;
const MOST_TOKENS = 8_000;

/**
 * Skips the router when there is one type of tools or no model that chooses: nothing to decide. See
 * docs/decisions/0013-graph-nodes-without-work-are-skipped.md.
 */
export function routeFromStart({ models, tools }: RouterPorts, contexts: Contexts, modelNode: string) {
  return async (_state: State, config: { configurable?: Record<string, unknown> }): Promise<string> => {
    if (!canRoute(models.router)) return modelNode;
    // The node says so if they can't be read: LangGraph takes an edge that failed for done, and a run that goes on from
    // there ends without an answer.
    const { requester, whileWaiting } = contexts.of(config);
    const offer = await whileWaiting(() => tools.offer(requester)).catch(() => null);
    return offer === null || listToolTypes(offer.tools).length > 1 ? 'policy_router' : modelNode;
  };
}

/** Chooses the types of tools that this request may use. */
export function policyRouter({ models, tools, limits }: RouterPorts, contexts: Contexts) {
  return async (state: State, config: { configurable?: Record<string, unknown> }): Promise<Update> => {
    const context = contexts.of(config);
    const { tools: offered } = await context.whileWaiting(() => tools.offer(context.requester));
    const types = listToolTypes(offered);
    // Tools may have disappeared since this node was chosen.
    if (!canRoute(models.router) || types.length <= 1) return { allowedToolTypes: null };
    const router = models.router.bindTools([chooseTool(types)], { tool_choice: 'choose_tool_types' });
    const said = state.messages.filter((message) => isHumanMessage(message)).slice(-MOST_MESSAGES);
    const room = Math.min(MOST_TOKENS, Math.floor(limits.contextTokens / 2));
    const recent = cutToShare(said.map(withSpeaker), room) ?? [];
    try {
      const question = [new SystemMessage(ROUTER_PROMPT), ...recent];
      const { trace, signal } = context;
      const { router: asked } = models;
      const answer = await context.whileWaiting(() =>
        inChatSpan(trace, asked, question, () => router.invoke(question, { signal })),
      );
      context.tokens.spend(countTokens(question, answer), 'router');
      return { allowedToolTypes: chosenTypes(answer.tool_calls?.[0]?.args, types) };
    } catch (error) {
      if (context.signal.aborted) throw error;
      const failure = modelError(error);
      // An error that an admin has to fix is reported; any other is no reason to restrict the tools. A refusal may be of
      // a forced choice alone, which some models don't take while they reason.
      if (!failure.retryable && !isRefused(failure)) throw failure;
      return { allowedToolTypes: null };
    }
  };
}

type RouterModel = BaseChatModel & Required<Pick<BaseChatModel, 'bindTools'>>;

function canRoute(model: BaseChatModel | null): model is RouterModel {
  return model?.bindTools !== undefined;
}

function listToolTypes(tools: readonly ToolDefinition[]): readonly string[] {
  return [
    ...new Set(
      tools.filter(({ unavailableReason: held }) => held === undefined).map((tool) => tool.toolType),
    ),
  ];
}

/**
 * The types that the router chose. An unreadable choice restricts nothing: the gate decides what a call may
 * do, not the router.
 */
function chosenTypes(args: unknown, types: readonly string[]): readonly string[] | null {
  const choice = choiceSchema.safeParse(args);
  if (!choice.success) return null;
  const known = types.filter((type) => choice.data.tool_types.includes(type));
  return known.length === 0 && choice.data.tool_types.length > 0 ? null : known;
}

function chooseTool(types: readonly string[]) {
  return {
    type: 'function',
    function: {
      name: 'choose_tool_types',
      description: 'The types of tools that this request may use.',
      parameters: {
        type: 'object',
        properties: { tool_types: { type: 'array', items: { type: 'string', enum: types } } },
        required: ['tool_types'],
        additionalProperties: false,
      },
    },
  };
}
