import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { Typed } from '../types.ts';

/** Marks the type of what was deflated with {@link DICTIONARY}. */
const PACKED = 'd1:';

/** Shorter bytes stay as they are: what is saved isn't worth the time. */
const PACKED_FROM = 64;

/**
 * What checkpoints and their writes are made of, the most frequent last: what is short itself can only be deflated by
 * what is known before. It's a part of the format: a change needs a marker of its own.
 */
const DICTIONARY = Buffer.from(
  [
    '[{"id":"","value":{"callIds":[""]}}]{"lc":2,"type":"undefined","id":["undefined"]}{"decided":true}',
    '{"lc":1,"type":"constructor","id":["langchain_core","messages","ToolMessage","HumanMessage","AIMessage"],"kwargs":{"id":"',
    '"tool_calls":[{"name":"","args":{},"type":"tool_call"}],"invalid_tool_calls":[],"status":"success"',
    '"additional_kwargs":{"speaker":{"id":"slack:","name":""}},"response_metadata":{}}}',
    '"__pregel_tasks":[],"branch:to:policy_router":"branch:to:response_formatter":"branch:to:use_tools":',
    '{"misfits":{},"retries":{},"ending":"ignored","withdrawn","misfit",',
    '"versions_seen":{"__input__":{},"__start__":{"__start__":1.},"__interrupt__":{"__start__":2.',
    '"policy_router":{"branch:to:policy_router":"use_tools":{"branch:to:use_tools":',
    '"human_confirmation":{"branch:to:human_confirmation":"task_executor":{"branch:to:task_executor":2.',
    '{"v":4,"id":"1f1","ts":"2026-11-T:.Z","channel_values":{"allowedToolTypes":null,"awaiting":["call_',
    '"],"ending":null,"counts":{},"givenUp":[],"finalResponse":null,"branch:to:human_confirmation":"task_executor"},',
    '"channel_versions":{"__start__":2.,"allowedToolTypes":2.,"awaiting":3.,"ending":2.,"counts":2.,"givenUp":2.,',
    '"finalResponse":2.,"messages":3.,"branch:to:task_executor":3.,"branch:to:human_confirmation":3.},',
  ].join(''),
);

/** A value as Redis gets it, its type and its bytes; deflated where that is shorter. */
export function packed({ type, bytes }: Typed): readonly [type: string, bytes: Buffer] {
  const given = toBuffer(bytes);
  if (given.length < PACKED_FROM) return [type, given];
  const deflated = deflateRawSync(given, { dictionary: DICTIONARY });
  return deflated.length < given.length ? [`${PACKED}${type}`, deflated] : [type, given];
}

/** The value that was packed, or one that never was. It shares no memory with the rest of Redis's reply. */
export function unpacked({ type, bytes }: Typed): Typed {
  if (!type.startsWith(PACKED)) return { type, bytes: new Uint8Array(bytes) };
  const inflated = inflateRawSync(bytes, { dictionary: DICTIONARY });
  return { type: type.slice(PACKED.length), bytes: new Uint8Array(inflated) };
}

/** The same memory as a Buffer, which is what the client sends. */
export function toBuffer({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}
