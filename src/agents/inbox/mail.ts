import {
  type AIMessage,
  type BaseMessage,
  isAIMessage,
  isHumanMessage,
  isToolMessage,
} from '@langchain/core/messages';
import type { ToolCall } from '@langchain/core/messages/tool';
import { z } from 'zod';
import { NAMES } from './tools.ts';

/** The id of the message that asks for a mail, by its call's: none that a model wrote has it. */
export function askingMessageId(callId: string): string {
  return `${callId}_asks`;
}

const readSchema = z.object({ message_id: z.string() });

/** A mail that the conversation was given. */
interface GivenMail {
  readonly messageId: string;
  /** Whether it could be read. */
  readonly isRead: boolean;
  /** What its server answered; empty until it's read. */
  readonly text: string;
}

function isOurs({ id, tool_calls: calls = [] }: AIMessage): boolean {
  return calls.some((call) => call.name === NAMES.readMail && id === askingMessageId(call.id ?? ''));
}

/** The latest mail that the conversation was given; null where there is none. */
export function latestMail(messages: readonly BaseMessage[]): GivenMail | null {
  const [call] = messages.filter((message) => isAIMessage(message)).findLast(isOurs)?.tool_calls ?? [];
  const args = readSchema.safeParse(call?.args);
  if (!call || !args.success) return null;
  const result = findResult(messages, call.id);
  const isRead = result?.status === 'success';
  return { messageId: args.data.message_id, isRead, text: isRead ? result.text : '' };
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
