import type { ChatCompletionRequest, FixtureResponse } from '@copilotkit/aimock';
import { contentOf } from '../helpers/model-content.ts';

/** How the questions begin that are asked beside runs. */
const SORTS = 'You sort the mails of a person.';
const LEARNS = 'An assistant drafts things for a person';
const SORTED_AS = /To be sorted as (\w+)\./;
const READ = /\{"message":\{"id":"([^"]+)".*?"from":"[^"]*?([\w.-]+@[\w.-]+)/s;
/** What the result of a reply says that was sent, or that is known to have been. */
const SENT = /\bSent to\b|\bhappened\b/;
/** How often it's drafted at most. */
export const MOST_DRAFTS = 5;

/** What the reply to somebody says, by how often it was drafted before. */
export function draftOf(sender: string, round: number): string {
  return `To ${sender}: yes${', anew'.repeat(round)}.`;
}

/**
 * The answer of the model that sorts mails by what stands in them, drafts a reply to each until one is sent, and then says that
 * it's done; null where it's asked as anything else. By rule, as all that this model says.
 */
export function answerOnMail({ messages, tools = [] }: ChatCompletionRequest): FixtureResponse | null {
  const [system = '', question = ''] = messages.map(contentOf);
  if (system.startsWith(SORTS)) {
    const verdict = SORTED_AS.exec(question)?.[1] ?? 'respond';
    return { content: JSON.stringify({ verdict, reason: 'As it says.' }) };
  }
  if (system.startsWith(LEARNS)) return { content: '{"operations":[]}' };
  if (!tools.some((tool) => tool.function.name === 'send_email')) return null;
  const since = messages.slice(messages.findLastIndex(({ role }) => role === 'user') + 1);
  const [, id = '', sender = ''] =
    READ.exec(messages.map(contentOf).findLast((text) => READ.test(text)) ?? '') ?? [];
  const drafts = since
    .flatMap((message) => message.tool_calls ?? [])
    .filter((call) => call.function.name === 'send_email');
  const last = since.find(
    ({ role, tool_call_id: callId }) => role === 'tool' && callId === drafts.at(-1)?.id,
  );
  const call = (name: string, args: object): FixtureResponse => ({
    toolCalls: [{ id: `call_${messages.length}`, name, arguments: JSON.stringify(args) }],
  });
  const isOver = drafts.length === MOST_DRAFTS || (last !== undefined && SENT.test(contentOf(last)));
  if (isOver) return call('Done', {});
  return call('send_email', { message_id: id, to: [sender], body: draftOf(sender, drafts.length) });
}
