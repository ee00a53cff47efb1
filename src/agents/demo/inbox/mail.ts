import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from '@langchain/core/messages';
import { z } from 'zod';
import { isJsonObject, type JsonObject } from '../../../lib/json.ts';
import { readRemembered, readWriter } from '../../shared/speakers.ts';
import { jsonParts } from '../events.ts';

const mailSchema = z.object({
  message: z.object({
    id: z.string(),
    from: z.string(),
    to: z.string().default(''),
    cc: z.string().default(''),
    subject: z.string(),
    text: z.string(),
    attachments: z.array(z.object({ id: z.string(), name: z.string(), kind: z.string() })).default([]),
    warnings: z.array(z.string()).default([]),
  }),
});
/** The mail that is to be answered. */
export type Mail = z.output<typeof mailSchema>['message'];

/** Who answers, and how they want it done. */
export interface Owner {
  readonly name: string;
  /** What was learned of their replies, and of their meetings: a line for each. */
  readonly replies: readonly string[];
  readonly meetings: readonly string[];
}

const linesSchema = z.array(z.string()).catch([]);
const recalledSchema = z
  .object({
    response_preferences: linesSchema.default([]),
    cal_preferences: linesSchema.default([]),
  })
  .catch({ response_preferences: [], cal_preferences: [] });

/** The latest mail that the conversation was given; null where there is none. */
export function findMail(messages: readonly BaseMessage[]): Mail | null {
  const reads = messages.flatMap((message) =>
    AIMessage.isInstance(message)
      ? (message.tool_calls ?? []).filter(({ name }) => name === 'read_mail')
      : [],
  );
  const id = reads.at(-1)?.id;
  const result = messages.find((message) => ToolMessage.isInstance(message) && message.tool_call_id === id);
  for (const part of jsonParts(result?.text ?? '')) {
    const read = mailSchema.safeParse(part);
    if (read.success) return read.data.message;
  }
  return null;
}

/** The latest draft that answers a mail; null where there is none. */
export function findDraft(messages: readonly BaseMessage[], mailId: string): JsonObject | null {
  const drafts = messages.flatMap((message) =>
    AIMessage.isInstance(message)
      ? (message.tool_calls ?? []).filter(
          ({ name, args }) => name === 'send_email' && args.message_id === mailId,
        )
      : [],
  );
  const args = drafts.at(-1)?.args;
  return isJsonObject(args) ? args : null;
}

/** The person for whom the mail is answered. */
export function findOwner(messages: readonly BaseMessage[]): Owner {
  const said = messages.findLast((message) => HumanMessage.isInstance(message))?.text ?? '';
  const remembered = readRemembered(said);
  const recalled = recalledSchema.parse(isJsonObject(remembered) ? remembered : {});
  const { response_preferences: replies, cal_preferences: meetings } = recalled;
  return { name: readWriter(said) ?? '', replies, meetings };
}

/** Those whom a header names. */
export function readPeople(header: string): readonly { readonly name: string; readonly address: string }[] {
  return header.split(/,(?=(?:[^"]*"[^"]*")*[^"]*$)/).flatMap((one) => {
    const address = /[^\s<>,;"]+@[^\s<>,;"]+/.exec(one.replace(/^[^<]*<(?=[^<>]*>)/, ''))?.[0];
    const name = /^\s*"?([^"<]*?)"?\s*</.exec(one)?.[1] ?? '';
    return address === undefined ? [] : [{ name: name.trim(), address: address.toLowerCase() }];
  });
}

/** The first question of a text, as it stands there. */
export function firstQuestion(text: string): string | null {
  return /[^.!?\n]+\?/.exec(text)?.[0].trim() ?? null;
}
