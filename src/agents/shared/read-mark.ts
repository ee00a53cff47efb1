import { type BaseMessage, isHumanMessage, isToolMessage } from '@langchain/core/messages';
import { z } from 'zod';
import type { CallRecord } from '../../gate/types.ts';
import type { ReadFrom } from '../../runs/ports.ts';
import { findReadNoun, isReadingTool } from './describe-step.ts';

/** Which server was read from, and what, as kept with the result's message; absent for what people were asked about. */
const readSchema = z.object({ readFrom: z.string(), readOneOf: z.string().nullish() });

/** The mark of a result that was read without asking anybody. */
export function readMark({ tool, requestId, grant, state }: CallRecord): Partial<z.infer<typeof readSchema>> {
  const isRead = requestId === null && grant === undefined && state === 'succeeded' && isReadingTool(tool);
  return isRead && tool.server !== '' ? { readFrom: tool.server, readOneOf: findReadNoun(tool) } : {};
}

/** What was read since the last message of a person, by server and kind, in order. */
export function listRead(messages: readonly BaseMessage[]): readonly ReadFrom[] {
  const since = messages.slice(messages.findLastIndex((message) => isHumanMessage(message)) + 1);
  const reads = since.flatMap((message) => {
    const { readFrom, readOneOf = null } = readSchema.safeParse(message.additional_kwargs).data ?? {};
    if (!isToolMessage(message) || readFrom === undefined) return [];
    return [{ server: readFrom, what: readOneOf, callId: message.tool_call_id }];
  });
  return [...Map.groupBy(reads, ({ server, what }) => JSON.stringify([server, what])).values()].flatMap(
    (of) => {
      const [first] = of;
      if (first === undefined) return [];
      const { server, what } = first;
      return [{ server, what, calls: of.length, callIds: of.map(({ callId }) => callId) }];
    },
  );
}
