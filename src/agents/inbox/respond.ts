import type { BaseMessage } from '@langchain/core/messages';
import { Command, END } from '@langchain/langgraph';
import type { CallState } from '../../gate/types.ts';
import { responseFormatter } from '../nodes/response-formatter.ts';
import type { State, Update } from '../nodes/state.ts';
import { taskExecutor } from '../nodes/task-executor.ts';
import type { AgentInbox, AgentPorts } from '../ports.ts';
import type { Contexts } from '../runtime/run-contexts.ts';
import { lastAssistantMessage } from '../shared/tool-calls.ts';
import { INBOX } from '../texts.ts';
import type { SearchTools } from '../tool-search/search.ts';
import { callsOfRun, findResult, latestMail } from './mail.ts';
import { MANNER, MUST_CALL } from './prompts.ts';
import { reviewCalls } from './review-calls.ts';
import { findRecipients, sumUp } from './sum-up.ts';
import { NAMES, presentTools } from './tools.ts';

type Config = { configurable?: Record<string, unknown> };

/** The model's step: what it does about the mail. Ends the run where the mail couldn't be read, or is dealt with. */
export function respond(
  ports: AgentPorts,
  { marked, left }: Pick<AgentInbox, 'marked' | 'left'>,
  contexts: Contexts,
  search: SearchTools,
) {
  const execute = taskExecutor(ports, contexts, {
    search,
    manner: MANNER,
    planning: null,
    builtIn: [],
    ask: NAMES.ask,
    mustCall: MUST_CALL,
    present: presentTools,
    review: reviewCalls,
    // Its words may claim what wasn't done, or leave out what was.
    close: async (words, threadId, messages) => {
      const sent = await sumUp(ports.gate, threadId, messages);
      return `${words}\n\n${[...(sent.length > 0 ? sent : [INBOX.nothingSent]), INBOX.staysUnread].join(' ')}`;
    },
  });
  return async (state: State, config: Config): Promise<Command<unknown, Update>> => {
    const { threadId } = contexts.of(config);
    const { messages } = state;
    const mail = latestMail(messages);
    if (!mail?.isRead) {
      await left(threadId);
      return end(INBOX.notRead);
    }
    const done = findDone(messages);
    if (done === null) {
      // Nobody was there to decide, so the mail must not end as dealt with, nor be drafted again and again.
      if (!(await hasExpired(ports.gate, threadId, messages))) return execute(state, config);
      const stay = await left(threadId);
      const sent = await sumUp(ports.gate, threadId, messages);
      const said = sent.length > 0 ? sent : [INBOX.nothingSent];
      return end([...said, INBOX.tooLate, ...describeEarlier({ marked: 0, stay })].join(' '));
    }
    const [record] = await ports.gate.getCalls(threadId, [done]);
    const repliedTo = await findRecipients(ports.gate, threadId, messages);
    const isMarked = record?.state === 'succeeded';
    const earlier = isMarked
      ? await marked(threadId, mail.messageId, { repliedTo })
      : { marked: 0, stay: await left(threadId) };
    const sent = await sumUp(ports.gate, threadId, messages);
    const said = sent.length > 0 ? sent : [INBOX.nothingSent];
    return end([...said, markedText(record?.state), ...describeEarlier(earlier)].join(' '));
  };
}

function end(finalResponse: string): Command<unknown, Update> {
  return new Command({ update: { finalResponse }, goto: END });
}

/** The id of the call by which the model ended its work, once it has its result; null where it has work left. */
function findDone(messages: readonly BaseMessage[]): string | null {
  const [done, ...others] = lastAssistantMessage(messages)?.tool_calls ?? [];
  const isOver = done?.name === NAMES.done && others.length === 0 && callsOfRun(messages).includes(done);
  return isOver && done.id !== undefined && findResult(messages, done.id) ? done.id : null;
}

/** Whether nobody decided one of the last calls in time. */
async function hasExpired(
  { getCalls }: Pick<AgentPorts['gate'], 'getCalls'>,
  threadId: string,
  messages: readonly BaseMessage[],
): Promise<boolean> {
  const last = lastAssistantMessage(messages)?.tool_calls ?? [];
  const ids = callsOfRun(messages).flatMap((call) => (call.id && last.includes(call) ? [call.id] : []));
  return (await getCalls(threadId, ids)).some((call) => call?.state === 'expired');
}

function describeEarlier({
  marked,
  stay,
}: {
  readonly marked: number;
  readonly stay: number;
}): readonly string[] {
  return [
    ...(marked > 0 ? [INBOX.earlierMarked(marked)] : []),
    ...(stay > 0 ? [INBOX.earlierStay(stay)] : []),
  ];
}

function markedText(state: CallState | undefined): string {
  if (state === 'succeeded') return INBOX.marked;
  return state === 'in_doubt' ? INBOX.markedUnclear : INBOX.notMarked;
}

/** The end where the model says nothing: what was sent by then, and that the mail isn't marked as read. */
export function closeRun(
  { gate }: Pick<AgentPorts, 'gate'>,
  { left }: Pick<AgentInbox, 'left'>,
  contexts: Contexts,
) {
  return async (state: State, config: Config): Promise<Update> => {
    const { finalResponse } = responseFormatter(state);
    const stay = await left(contexts.of(config).threadId);
    if (state.ending === 'withdrawn') return { finalResponse };
    const sent = await sumUp(gate, contexts.of(config).threadId, state.messages);
    const why = state.ending === 'misfit' && finalResponse ? [finalResponse] : [];
    const said = sent.length > 0 ? sent : why.length > 0 ? [] : [INBOX.nothingSent];
    const rest = [INBOX.staysUnread, ...describeEarlier({ marked: 0, stay })];
    return { finalResponse: [...why, [...said, ...rest].join(' ')].join('\n\n') };
  };
}
