import { isDeepStrictEqual } from 'node:util';
import { ToolMessage } from '@langchain/core/messages';
import {
  type CallRecord,
  type Content,
  endOf,
  hasEarlierDoubt,
  nameOfVoice,
  type Outcome,
} from '../../gate/types.ts';
import type { JsonObject } from '../../json.ts';

/** The most that one result may put into the conversation, in characters: about 8,000 tokens. */
const MAX_RESULT = 32_000;

/** The one answer that a call gets in the conversation, from its record. */
export function toolMessageOf(call: CallRecord): ToolMessage {
  const failed = call.state !== 'succeeded';
  return new ToolMessage({
    // Derived, so that a node which runs again after a crash replaces its message instead of adding one.
    id: `result:${call.threadId}:${call.callId}`,
    tool_call_id: call.callId,
    name: call.tool.modelName,
    status: failed ? 'error' : 'success',
    content: clip(describe(call)),
  });
}

/** Answers a call that never came to the gate. */
export function notRunMessage(threadId: string, callId: string, reason: string): ToolMessage {
  return new ToolMessage({
    id: `result:${threadId}:${callId}`,
    tool_call_id: callId,
    status: 'error',
    content: reason,
  });
}

function describe(call: CallRecord): string {
  const by = call.decision ? nameOfVoice(call.decision) : 'somebody';
  const edited =
    call.decision?.type === 'edit'
      ? `${by} changed the arguments before approving; it ran with ${JSON.stringify(call.arguments)}.\n`
      : '';
  switch (call.state) {
    case 'rejected':
      if (call.decision?.instruction?.kind === 'override') {
        return `Not run: ${by} wants this instead: ${call.decision.instruction.text}\nPropose what it needs; it is asked for anew.${before(call)}`;
      }
      return `Rejected by ${by}: ${call.decision?.feedback ?? 'no reason given'}${before(call)}`;
    case 'denied':
      return `Not run: the policy does not allow this${call.verdict.reason ? ` (${call.verdict.reason})` : ''}.`;
    case 'ignored':
      return `Ignored by ${by}: it was not run, and nothing more is to be done about it.${before(call)}`;
    case 'expired':
      return 'Not run: nobody answered in time. This is not a refusal; it may be asked for again.';
    case 'cancelled':
      return `Not run: ${by} withdrew it.`;
    case 'superseded':
      return 'Not run: a newer request took its place.';
    default:
      return (
        edited +
        (call.outcome ? outcomeText(call.outcome) : `Not run (${endOf(call) ?? call.state}).`) +
        besides(call, by)
      );
  }
}

/** What its approver wants done besides. */
function besides({ decision }: CallRecord, by: string): string {
  return decision?.instruction ? `\n${by} approved this and adds: ${decision.instruction.text}` : '';
}

/** What a call that was not sent again leaves open. */
function before(call: CallRecord): string {
  return hasEarlierDoubt(call)
    ? '\nIt had been sent once before, and it is unclear whether that happened: say so.'
    : '';
}

function outcomeText(outcome: Outcome): string {
  if (outcome.status === 'in_doubt') {
    return `It is unclear whether this happened: ${outcome.message} Do not repeat it by yourself; say so.`;
  }
  const text = outcome.content.map(contentText).join('\n');
  if (outcome.status === 'failed') return `Failed: ${outcome.message}`;
  const structured = outcome.structured && !saysIt(outcome.content, outcome.structured);
  const parts = [text, structured ? JSON.stringify(outcome.structured) : ''].filter((part) => part !== '');
  return parts.length > 0 ? parts.join('\n') : 'Done; the tool returned nothing.';
}

/** Whether one of the texts is the structured content, as MCP asks of servers for older clients. */
function saysIt(content: readonly Content[], structured: JsonObject): boolean {
  return content.some((part) => part.type === 'text' && isDeepStrictEqual(parsed(part.text), structured));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function contentText(content: Content): string {
  switch (content.type) {
    case 'text':
      return content.text;
    case 'image':
    case 'audio':
      return `[${content.type}, ${content.mimeType}, ${Math.round((content.data.length * 3) / 4)} bytes]`;
    case 'resource_link':
      return `[${content.title ?? content.name}](${content.uri})`;
    case 'resource':
      return content.text ?? `[resource ${content.uri}]`;
  }
}

function clip(text: string): string {
  if (text.length <= MAX_RESULT) return text;
  return `${text.slice(0, MAX_RESULT)}\n[cut: ${text.length - MAX_RESULT} more characters are not shown]`;
}
