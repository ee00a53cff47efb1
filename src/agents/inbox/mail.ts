import {
  type AIMessage,
  type BaseMessage,
  isAIMessage,
  isHumanMessage,
  isToolMessage,
} from '@langchain/core/messages';
import type { ToolCall } from '@langchain/core/messages/tool';
import { z } from 'zod';
import type { ThreadMail } from '../ports.ts';
import { NAMES } from './tools.ts';

/** The id of the message that asks for a mail, by its call's: none that a model wrote has it. */
export function askingMessageId(callId: string): string {
  return `${callId}_asks`;
}

const MARK = 'conversationOfMail';

/** For the `additional_kwargs` of that message: the conversation that the mail is in, as the program has it and nobody's text says. */
export function conversationMark({ conversationId }: Pick<ThreadMail, 'conversationId'>) {
  return { [MARK]: conversationId };
}

const conversationSchema = z.object({ [MARK]: z.string().min(1) });
const readSchema = z.object({ message_id: z.string() });

/** A mail that the conversation was given. */
export interface GivenMail {
  readonly messageId: string;
  /** Whether it could be read. */
  readonly isRead: boolean;
  /** The conversation that it's in, by its id at its server; null where that isn't known. */
  readonly conversationId: string | null;
}

function isOurs({ id, tool_calls: calls = [] }: AIMessage): boolean {
  return calls.some((call) => call.name === NAMES.readMail && id === askingMessageId(call.id ?? ''));
}

/** The latest mail that the conversation was given; null where there is none. */
export function latestMail(messages: readonly BaseMessage[]): GivenMail | null {
  const asking = messages.filter((message) => isAIMessage(message)).findLast(isOurs);
  const [call] = asking?.tool_calls ?? [];
  const args = readSchema.safeParse(call?.args);
  if (!call || !args.success) return null;
  const conversationId = conversationSchema.safeParse(asking?.additional_kwargs).data?.[MARK] ?? null;
  const isRead = findResult(messages, call.id)?.status === 'success';
  return { messageId: args.data.message_id, conversationId, isRead };
}

/** The calls since a person last wrote. */
export function callsOfRun(messages: readonly BaseMessage[]): readonly ToolCall[] {
  return listCalls(messages.slice(messages.findLastIndex((message) => isHumanMessage(message)) + 1));
}

/** The result of a call; null while there is none. */
export function findResult(messages: readonly BaseMessage[], callId: string | undefined) {
  return (
    messages.filter((message) => isToolMessage(message)).findLast((one) => one.tool_call_id === callId) ??
    null
  );
}

function listCalls(messages: readonly BaseMessage[]): readonly ToolCall[] {
  return messages.flatMap((message) => (isAIMessage(message) ? (message.tool_calls ?? []) : []));
}
