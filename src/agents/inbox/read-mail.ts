import { AIMessage, isHumanMessage } from '@langchain/core/messages';
import { Command, END } from '@langchain/langgraph';
import { sha256Hex } from '../../lib/canonical-json.ts';
import { AppError } from '../../lib/errors.ts';
import type { State, Update } from '../nodes/state.ts';
import type { AgentInbox, AgentPorts } from '../ports.ts';
import type { Contexts } from '../runtime/run-contexts.ts';
import { proposedCall } from '../shared/tool-calls.ts';
import { INBOX } from '../texts.ts';
import { askingMessageId, conversationMark, latestMail } from './mail.ts';
import { NAMES } from './tools.ts';

/** How many hexadecimal digits of a digest set calls apart: 96 bits. */
const ID_DIGITS = 24;

/**
 * Reads the mail that the conversation is about, unless it was read there before. No model is asked: the mail comes as the
 * result of a call that is on record, and so as data.
 */
export function readMail(
  { tools, gate }: Pick<AgentPorts, 'tools' | 'gate'>,
  contexts: Contexts,
  inbox: Pick<AgentInbox, 'mailOf'>,
) {
  return async (
    { messages }: State,
    config: { configurable?: Record<string, unknown> },
  ): Promise<Command<unknown, Update>> => {
    const context = contexts.of(config);
    const { threadId, requester } = context;
    const mail = await context.whileWaiting(() => inbox.mailOf(threadId));
    if (!mail) return new Command({ update: { finalResponse: INBOX.noMail }, goto: END });
    if (mail.owner.id !== requester.id) {
      return new Command({ update: { finalResponse: INBOX.notYours(mail.owner.name) }, goto: END });
    }
    const given = latestMail(messages);
    if (given?.isRead && given.messageId === mail.messageId) return new Command({ goto: 'responder' });
    const offer = await context.whileWaiting(() => tools.offer(requester, { threadId }));
    const tool = offer.tools.find(({ modelName }) => modelName === NAMES.readMail);
    if (!tool) {
      const isDown = offer.down.includes(mail.server);
      const userMessage = INBOX.noServer(mail.server, isDown);
      throw new AppError({ code: 'mailbox_unavailable', userMessage, retryable: isDown });
    }
    const asked = messages.findLast((message) => isHumanMessage(message))?.id ?? '';
    const id = `mail_${sha256Hex(JSON.stringify([asked, mail.messageId])).slice(0, ID_DIGITS)}`;
    const call = { id, name: tool.modelName, args: { message_id: mail.messageId } };
    const asks =
      tool.unavailableReason === undefined &&
      (await gate.planApprovals(context)(proposedCall(call, offer.tools)));
    const message = new AIMessage({
      ...{ id: askingMessageId(id), content: '', tool_calls: [call] },
      additional_kwargs: conversationMark(mail),
    });
    return new Command({
      update: { messages: [message], awaiting: asks ? [id] : [] },
      goto: asks ? 'human_confirmation' : 'use_tools',
    });
  };
}
