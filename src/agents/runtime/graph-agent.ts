import type { BaseCallbackHandler } from '@langchain/core/callbacks/base';
import type { BaseMessage } from '@langchain/core/messages';
import { Command, isGraphBubbleUp, isInterrupted, type StateSnapshot } from '@langchain/langgraph';
import { z } from 'zod';
import type { Actor } from '../../gate/types.ts';
import { AppError } from '../../lib/errors.ts';
import type { Agent, AgentState, RunInput, Side } from '../../runs/ports.ts';
import type { Earlier } from '../context/fit-conversation.ts';
import type { AgentPorts } from '../ports.ts';
import { readIds } from '../shared/fold-conversation.ts';
import { laterSteps } from '../shared/later-steps.ts';
import { readPlanMark } from '../shared/plan-mark.ts';
import { listRead } from '../shared/read-mark.ts';
import { correctedCall, PINNED } from '../shared/rulings.ts';
import { personMessage } from '../shared/speakers.ts';
import { isAnsweredHere, lastAssistantMessage, openToolCalls, proposedCall } from '../shared/tool-calls.ts';
import { THINKING, tooManySteps } from '../texts.ts';
import { closingMessages } from './closing-messages.ts';
import { findPendingInterrupt, type PendingInterrupt, pendingInterruptSchema } from './interrupt.ts';
import { type Contexts, createContexts } from './run-contexts.ts';
import { shareUntracedRunTree } from './run-trees.ts';

/** The state that every graph has. */
interface BaseState {
  readonly messages: BaseMessage[];
  readonly earlier?: Earlier | null;
}

interface ThreadConfig {
  readonly configurable: Readonly<Record<string, unknown>> & { readonly thread_id: string };
}

/** A command that goes to no node by name. */
type Resume<S> = Command<unknown, Partial<S>, never>;

/** The part of a compiled graph that an agent needs. */
interface CheckpointedGraph<S extends BaseState> {
  invoke(
    input: Partial<S> | Resume<S> | null,
    options: ThreadConfig & {
      readonly durability: 'sync';
      readonly recursionLimit: number;
      readonly callbacks?: BaseCallbackHandler[];
    },
  ): Promise<S>;
  getState(config: ThreadConfig): Promise<StateSnapshot>;
  updateState(config: ThreadConfig, values: Partial<S>, asNode: string): Promise<unknown>;
}

/** The most that is kept of what the model wrote beside its calls, in characters; cards show less. */
const SAID_LENGTH = 400;

interface GraphAgentOptions<S extends BaseState> {
  /** The state that a new message resets, so that nothing of the previous run is left. */
  readonly fresh: Partial<S>;
  /** The last run's answer; null while there is none. */
  readonly finalResponse: (state: Partial<S>) => string | null;
  /** The node after which the graph always ends; an abandoned run is closed as if this node had run. */
  readonly lastNode: string;
}

/** For the model: a call of the conversation that this one is beside. */
const WAITS_BESIDE =
  'Not run yet: it waits for people, and goes on by itself once they have decided. Do not propose it again.';
/** Likewise: one whose run failed or was stopped. */
const RUN_ENDED = 'Not run. The run ended before.';

/** A conversation, and what of it isn't sent to the model as it is. */
type Conversation = Pick<BaseState, 'messages' | 'earlier'>;

const NOTHING_SAID: Conversation = { messages: [], earlier: null };

const recursionErrorSchema = z.object({ lc_error_code: z.literal('GRAPH_RECURSION_LIMIT') });

/**
 * Turns any graph into an agent, if it proposes calls in its last assistant message and interrupts with
 * {@link InterruptValue} where people must decide.
 *
 * @param build makes the graph; its nodes find their run in `contexts`.
 */
export function createGraphAgent<S extends BaseState>(
  build: (contexts: Contexts) => CheckpointedGraph<S>,
  ports: GraphPorts,
  options: GraphAgentOptions<S>,
): Agent {
  if (!ports.tracer) shareUntracedRunTree();
  return new GraphAgent(build, ports, options);
}

type GraphPorts = Pick<AgentPorts, 'tools' | 'gate' | 'checkpoints' | 'limits' | 'tracer'>;

class GraphAgent<S extends BaseState> implements Agent {
  readonly #contexts = createContexts();
  readonly #graph: CheckpointedGraph<S>;
  readonly #ports: GraphPorts;
  readonly #options: GraphAgentOptions<S>;

  constructor(
    build: (contexts: Contexts) => CheckpointedGraph<S>,
    ports: GraphPorts,
    options: GraphAgentOptions<S>,
  ) {
    this.#graph = build(this.#contexts);
    this.#ports = ports;
    this.#options = options;
  }

  run: Agent['run'] = (input, context) =>
    this.#contexts.during(context, async () => {
      if (input.kind === 'message') context.emit({ type: 'status', text: THINKING });
      try {
        const result = await this.#graph.invoke(await this.#graphInput(input, context.requester), {
          configurable: {
            ...this.#leased(context.threadId, context.fence),
            __pregel_strict_resume: true,
          },
          ...(this.#ports.tracer && { callbacks: [this.#ports.tracer] }),
          durability: 'sync',
          recursionLimit: this.#ports.limits.maxSteps,
          // No signal here: LangGraph would return at once and leave nodes running, with calls in flight. The
          // nodes check the signal themselves, and the run ends when they have.
        });
        if (isInterrupted(result)) {
          const paused = pendingInterruptSchema.safeParse(result.__interrupt__[0]);
          return paused.success ? await this.#toAgentState(result, paused.data, context) : null;
        }
        return await this.#toAgentState(result, null, context);
      } catch (error) {
        if (isGraphBubbleUp(error)) return null;
        if (!recursionErrorSchema.safeParse(error).success) throw error;
        const userMessage = tooManySteps(this.#ports.limits.maxSteps);
        throw new AppError({ code: 'too_many_steps', userMessage, cause: error });
      }
    });

  inspect: Agent['inspect'] = async (threadId, requester, fence) => {
    const { snapshot, values } = await this.#readState(this.#leased(threadId, fence));
    const pending = findPendingInterrupt(snapshot);
    const state = await this.#toAgentState(values, pending, { threadId, requester });
    // Not `next`: it omits nodes that have run but whose step isn't closed.
    return { ...state, unfinished: snapshot.tasks.length > 0 && pending === null };
  };

  abandon: Agent['abandon'] = async (threadId, reason, fence) => {
    const { snapshot, values } = await this.#readState({ thread_id: threadId });
    if (snapshot.tasks.length === 0) return;
    const messages = await closingMessages(
      this.#ports.gate,
      threadId,
      values.messages ?? [],
      `Not run. ${reason}`,
    );
    await this.#graph.updateState(
      { configurable: { thread_id: threadId, fence: fence.token } },
      { ...this.#options.fresh, messages },
      this.#options.lastNode,
    );
  };

  join: Agent['join'] = async (threadId, side, fence) => {
    const messages = await this.#saidIn(side);
    if (messages.length === 0) return;
    await this.#graph.updateState(
      { configurable: { thread_id: threadId, fence: fence.token } },
      { ...this.#options.fresh, messages },
      this.#options.lastNode,
    );
  };

  /** What was said in a thread since the message that it answers beside another. */
  async #saidIn({ threadId, itemId }: Side): Promise<BaseMessage[]> {
    const { messages } = await this.#closed(threadId, RUN_ENDED);
    const first = messages.findIndex(({ id }) => id === itemId);
    return first === -1 ? [] : messages.slice(first);
  }

  /** A thread's conversation, in which each call has its answer: `reason` for those that have no outcome. */
  async #closed(threadId: string, reason: string): Promise<Conversation> {
    const { messages = [], earlier = null } = (await this.#readState({ thread_id: threadId })).values;
    const closing = await closingMessages(this.#ports.gate, threadId, messages, reason);
    // What waits must be known however long it waits.
    for (const message of closing) if (message.text === WAITS_BESIDE) message.additional_kwargs = PINNED;
    return { messages: [...messages, ...closing], earlier };
  }

  claim: Agent['claim'] = (threadId, fence) => this.#ports.checkpoints.claim(threadId, fence.token);

  /** What the saver is told of whoever has the thread's lease. */
  #leased(threadId: string, { token }: { readonly token: number }): ThreadConfig['configurable'] {
    return { thread_id: threadId, fence: token, held: this.#ports.checkpoints.areCarried ?? false };
  }

  async #readState(
    configurable: ThreadConfig['configurable'],
  ): Promise<{ snapshot: StateSnapshot; values: Partial<S> }> {
    const snapshot = await this.#graph.getState({ configurable });
    const values: Partial<S> = snapshot.values;
    return { snapshot, values };
  }

  async #toAgentState(
    values: Partial<S>,
    pending: PendingInterrupt | null,
    { threadId, requester }: { readonly threadId: string; readonly requester: Actor | null },
  ): Promise<AgentState> {
    const messages = values.messages ?? [];
    const plans = laterSteps(messages);
    const offer = pending && (await this.#ports.tools.offer(requester ?? undefined, { threadId }));
    const tools = offer?.tools ?? [];
    const answer = pending && lastAssistantMessage(messages);
    const proposed = answer?.tool_calls ?? [];
    const plan = answer ? readPlanMark(answer) : null;
    const names = proposed.map(({ name }) => name);
    const callIds = pending && 'callIds' in pending.value ? pending.value.callIds : null;
    return {
      interrupt: pending &&
        callIds && {
          interruptId: pending.id,
          calls: callIds.flatMap((callId) => {
            const call = proposed.find(({ id }) => id === callId);
            if (!call) return [];
            const follows = correctedCall(messages, call.name, names);
            return [
              {
                ...proposedCall({ ...call, id: callId }, tools),
                ...(follows !== null && { follows }),
                ...(plan && {
                  after: idsBefore(proposed, callId),
                  needs: plan.needs[callId],
                  said: plan.why[callId],
                }),
              },
            ];
          }),
          answer: openToolCalls(messages)
            .map((call) => proposedCall(call, tools))
            .filter((call) => !isAnsweredHere(call)),
          said: answer ? beginning(answer.text) : null,
          plan: plan && {
            title: plan.title,
            later: plan.later.map(({ title, why, ...step }) => {
              const { tool, arguments: known } = proposedCall(
                { id: '', name: step.tool, args: step.arguments },
                tools,
              );
              return { title, why, arguments: known, ...(tool && { tool }) };
            }),
          },
          // The newest plan is the one at hand.
          continues: plans.filter(({ of }) => !callIds.some((id) => of.includes(id))),
        },
      team: pending && 'plan' in pending.value ? { interruptId: pending.id, plan: pending.value.plan } : null,
      unfinished: false,
      response: this.#options.finalResponse(values),
      read: listRead(messages),
      plans,
      knows: (itemId) => readIds(messages).has(itemId),
    };
  }

  async #graphInput(input: RunInput, requester: Actor): Promise<Partial<S> | Resume<S> | null> {
    switch (input.kind) {
      case 'message': {
        const { besides } = input;
        const before = besides ? await this.#closed(besides.threadId, WAITS_BESIDE) : NOTHING_SAID;
        const ended = await Promise.all((besides?.ended ?? []).map((side) => this.#saidIn(side)));
        const said = personMessage({ ...input, speaker: requester });
        const messages = [...before.messages, ...ended.flat(), said];
        return { ...this.#options.fresh, messages, ...(besides && { earlier: before.earlier }) };
      }
      case 'resume':
        return new Command<unknown, Partial<S>, never>({
          resume: { [input.interruptId]: { decided: true } },
        });
      case 'continue':
        return null;
    }
  }
}

/** The ids of the calls before this one. */
function idsBefore(calls: readonly { readonly id?: string }[], callId: string): readonly string[] {
  const at = calls.findIndex(({ id }) => id === callId);
  return calls.slice(0, at).flatMap(({ id }) => id ?? []);
}

/** The beginning of a model's text, as far as anybody is shown it beside its calls; null where there is none. */
function beginning(text: string): string | null {
  const said = text.trim().slice(0, SAID_LENGTH).toWellFormed();
  return said === '' ? null : said;
}
