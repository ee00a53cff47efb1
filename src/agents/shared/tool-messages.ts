import { ToolMessage } from '@langchain/core/messages';
import type { CallRecord, Content, Kept, Outcome } from '../../gate/types.ts';
import {
  actorLabel,
  approverInstructions,
  finalState,
  hasEarlierDoubt,
  repeatsStructured,
  resultOwner,
} from '../../gate/types.ts';
import { imageMarks } from './images.ts';
import { readMark } from './read-mark.ts';
import { keptMark } from './read-result.ts';
import { ownerMark } from './result-owner.ts';
import { pinnedMark, rulingMark } from './rulings.ts';
import { onOneLine } from './speakers.ts';
import { nearestNames } from './tool-names.ts';

/** The longest result in the conversation, in characters: about 8,000 tokens. */
const MAX_RESULT = 32_000;

/** The ToolMessage of a call, made from its record; there is one per call. */
export function toToolMessage(call: CallRecord): ToolMessage {
  const failed = call.state !== 'succeeded';
  return new ToolMessage({
    // Derived, so that a node that runs again after a crash replaces its message instead of adding one.
    id: `result:${call.threadId}:${call.callId}`,
    tool_call_id: call.callId,
    name: call.tool.modelName,
    status: failed ? 'error' : 'success',
    content: clip(describe(call)) + moved(call),
    additional_kwargs: {
      ...keptMark(call),
      ...imageMarks(call),
      ...ownerMark(resultOwner(call)),
      ...readMark(call),
      ...rulingMark(call),
      ...pinnedMark(call),
    },
  });
}

/** The same of a call whose tool doesn't exist, with the names that are nearest. */
export function unknownToolMessage(call: CallRecord, names: readonly string[]): ToolMessage {
  const message = toToolMessage(call);
  const nearest = nearestNames(call.tool.modelName, names);
  if (nearest.length > 0) message.content = `${message.text}\nThe nearest names: ${nearest.join(', ')}.`;
  return message;
}

/** The ToolMessage of a call that never reached the gate. */
export function notRunMessage(threadId: string, callId: string, reason: string): ToolMessage {
  return new ToolMessage({
    id: `result:${threadId}:${callId}`,
    tool_call_id: callId,
    status: 'error',
    content: reason,
  });
}

function describe(call: CallRecord): string {
  const by = call.decision ? onOneLine(actorLabel(call.decision)) : 'somebody';
  const edited = changed(call, by);
  switch (call.state) {
    case 'rejected':
      if (call.decision?.instruction?.kind === 'override') {
        const wanted = approverInstructions(call).map(
          (one) => `${onOneLine(one.by)} wants this instead: ${one.text}`,
        );
        return `Not run: ${wanted.join('\n')}\nPropose what it needs; it is asked for anew.${before(call)}`;
      }
      if (!call.decision?.feedback) {
        return `Rejected by ${by}, who gave no reason. It did not run. Do not propose it again by yourself: acknowledge it, and go on only with what else was asked for.${before(call)}`;
      }
      return `${call.decision.isSentBack ? `Sent back by ${by} with feedback` : `Rejected by ${by}`}: ${call.decision.feedback}${before(call)}`;
    case 'denied':
      return `Not run: the policy does not allow this${call.verdict.reason ? ` (${call.verdict.reason})` : ''}.`;
    case 'ignored':
      return `Ignored by ${by}: it was not run, and nothing more is to be done about it.${before(call)}`;
    case 'expired':
      return 'Not run: nobody answered in time. This is not a refusal; it may be asked for again.';
    case 'cancelled':
      if (call.withdrawnBecause !== undefined) return `Not run, because ${call.withdrawnBecause}.`;
      return `Not run: ${by} withdrew it.`;
    case 'superseded':
      return 'Not run: a newer request took its place.';
    default:
      return (
        edited +
        (call.outcome ? outcomeText(call.outcome) : `Not run (${finalState(call) ?? call.state}).`) +
        besides(call) +
        (wasRefusedAtOnce(call) ? TELL_PERSON : '')
      );
  }
}

/** For the model alone: people are told the reason without it. */
export const TELL_PERSON = '\nTell the person so.';

/** Whether the call ended before anybody was asked or anything was sent, for a reason that isn't the model's mistake. */
function wasRefusedAtOnce({ state, intentAt, decision, misfit, tool }: CallRecord): boolean {
  return state === 'failed' && intentAt === null && decision === null && !misfit && tool.server !== '';
}

/** Says that the call ran with other arguments than proposed, and who changed them. */
function changed(call: CallRecord, by: string): string {
  if (call.decision?.type === 'edit') {
    return `${by} changed the arguments before approving; it ran with ${JSON.stringify(call.arguments)}.\n`;
  }
  if (call.decision === null || !call.edits) return '';
  const names = [
    ...new Set(call.edits.map((edit) => onOneLine(actorLabel({ actor: edit.by, for: edit.for })))),
  ];
  return `${names.join(' and ')} changed the arguments, and ${by} approved that; it ran with ${JSON.stringify(call.arguments)}.\n`;
}

/** Says which step of its plan the call became, where somebody has changed the order. */
function moved({ movedFrom, ordinal, requester }: CallRecord): string {
  if (movedFrom === undefined || ordinal === undefined || movedFrom === ordinal) return '';
  return `\nIn the order that ${onOneLine(requester.name)} gave the plan, this is step ${ordinal + 1}, not ${movedFrom + 1}.`;
}

/** The approvers' instructions to do something as well, with their names. */
function besides(call: CallRecord): string {
  return approverInstructions(call)
    .map(({ by, text }) => `\n${onOneLine(by)} approved this and adds: ${text}`)
    .join('');
}

/** What remains open after a call that wasn't sent again. */
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
  if (outcome.status === 'failed') {
    const kept = outcome.content.filter((piece) => piece.type === 'text' && piece.kept !== undefined);
    const end = outcome.stoppedBy ? `Stopped by ${onOneLine(outcome.stoppedBy.name)}` : 'Failed';
    return [`${end}: ${outcome.message}`, ...kept.map(contentText)].join('\n');
  }
  const structured = outcome.structured && !repeatsStructured(texts(outcome.content), outcome.structured);
  const parts = [text, structured ? JSON.stringify(outcome.structured) : ''].filter((part) => part !== '');
  return parts.length > 0 ? parts.join('\n') : 'Done; the tool returned nothing.';
}

function texts(content: readonly Content[]): string[] {
  return content.flatMap((part) => (part.type === 'text' ? [part.text] : []));
}

function contentText(content: Content): string {
  switch (content.type) {
    case 'text':
      return content.kept ? beginning(content.text, content.kept) : content.text;
    case 'image':
    case 'audio':
      return `[${content.type}, ${content.mimeType}, ${content.kept?.size ?? Buffer.byteLength(content.data, 'base64')} bytes]`;
    case 'resource_link':
      return `[${content.title ?? content.name}](${content.uri})`;
    case 'resource':
      return content.text ?? `[resource ${content.uri}]`;
  }
}

function beginning(text: string, { name, size, outline = '' }: Kept): string {
  return (
    `${text}\n[This is the beginning, ${text.length} of ${size} characters. The whole is ${outline}. ` +
    `To read on: read_result with result "${name}" and from ${text.length}, or find.]`
  );
}

function clip(text: string): string {
  if (text.length <= MAX_RESULT) return text;
  return `${text.slice(0, MAX_RESULT)}\n[cut: ${text.length - MAX_RESULT} more characters are not shown]`;
}
