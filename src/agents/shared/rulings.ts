import { isDeepStrictEqual } from 'node:util';
import { type BaseMessage, isHumanMessage, isToolMessage } from '@langchain/core/messages';
import { z } from 'zod';
import type { CallRecord, ToolSnapshot } from '../../gate/types.ts';
import { actorLabel, isUnexplained, proposalDigest } from '../../gate/types.ts';
import { isJsonObject, type Json, type JsonObject } from '../../lib/json.ts';
import { onOneLine } from './speakers.ts';

/**
 * What people said about a call, as kept with its message: `rejected` without a word, `corrected` with words against
 * it, `said` something else. The digest is the {@link likenessDigest} of the call that they decided.
 */
const rulingSchema = z.object({
  ruling: z.object({
    kind: z.enum(['rejected', 'corrected', 'said']),
    digest: z.string(),
    /** The words of a correction say what is to be different; absent: why it was rejected. */
    isSentBack: z.literal(true).optional(),
  }),
});
type Marked = z.infer<typeof rulingSchema>;
type Ruling = Marked['ruling'];

/** What must not be forgotten of a call however long the conversation gets, as kept with its message: who approved it, if anybody. */
const pinnedSchema = z.object({ pinned: z.object({ by: z.string().nullable() }) });
type Pinned = z.infer<typeof pinnedSchema>['pinned'];

/** The mark of a message that is kept in the record of a long conversation: somebody approved its call, or it waits, or is in doubt. */
export function pinnedMark({ decision, outcome }: Pick<CallRecord, 'decision' | 'outcome'>): {
  readonly pinned?: Pinned;
} {
  const isApproved = decision?.type === 'approve' || decision?.type === 'edit';
  if (isApproved) return { pinned: { by: onOneLine(actorLabel(decision)) } };
  return outcome?.status === 'in_doubt' ? PINNED : {};
}

/** The mark of a call that nobody has decided. */
export const PINNED = { pinned: { by: null } } as const;

export function readPinned(message: BaseMessage): Pinned | null {
  return pinnedSchema.safeParse(message.additional_kwargs).data?.pinned ?? null;
}

/** The mark of a call's message; nothing where nobody said anything about it. */
export function rulingMark(call: CallRecord): Partial<Marked> {
  const kind = rulingKind(call);
  if (kind === null) return {};
  const sentBack = call.decision?.isSentBack ? ({ isSentBack: true } as const) : {};
  return { ruling: { kind, digest: likenessDigest(call.tool, call.arguments), ...sentBack } };
}

/**
 * A digest that two calls share if they do the same: they differ only in blanks around a text of one line, in the order of keys,
 * or in members that have the schema's default in the one and are missing from the other.
 */
export function likenessDigest(tool: ToolSnapshot, args: JsonObject): string {
  return proposalDigest(tool, plainMembers(args, tool.inputSchema));
}

function plainMembers(members: JsonObject, schema: Json | undefined): JsonObject {
  const properties = isJsonObject(schema) && isJsonObject(schema.properties) ? schema.properties : {};
  return Object.fromEntries(
    Object.entries(members).flatMap(([name, value]): [string, Json][] => {
      const own = Object.hasOwn(properties, name) ? properties[name] : undefined;
      const plain = toPlain(value, own);
      const usual = isJsonObject(own) && own.default !== undefined ? toPlain(own.default, own) : undefined;
      return isDeepStrictEqual(plain, usual) ? [] : [[name, plain]];
    }),
  );
}

function toPlain(value: Json, schema: Json | undefined): Json {
  // Capitals tell paths and ids apart, and indentation code.
  if (typeof value === 'string') return value.includes('\n') ? value : value.trim();
  if (Array.isArray(value)) {
    const items = isJsonObject(schema) ? schema.items : undefined;
    return value.map((item) => toPlain(item, items));
  }
  return isJsonObject(value) ? plainMembers(value, schema) : value;
}

function rulingKind(call: CallRecord): Ruling['kind'] | null {
  if (isUnexplained(call)) return 'rejected';
  if (call.state === 'rejected') return 'corrected';
  const isAnswer = call.kind === 'question' && call.state === 'succeeded';
  return isAnswer || call.decision?.instruction ? 'said' : null;
}

export function readRuling(message: BaseMessage): Ruling | null {
  return rulingSchema.safeParse(message.additional_kwargs).data?.ruling ?? null;
}

/** The {@link likenessDigest}s of the calls that were rejected in this run without a word, if nobody has said anything since. */
export function rejectedInRun(messages: readonly BaseMessage[]): ReadonlySet<string> {
  const last = messages.findLastIndex((message) => {
    const kind = readRuling(message)?.kind;
    return isHumanMessage(message) || kind === 'corrected' || kind === 'said';
  });
  const after = messages.slice(last + 1);
  // Calls of one message are decided together, in any order.
  const next = after.findIndex((message) => !isToolMessage(message));
  const since = next < 0 ? [] : after.slice(next);
  return new Set(
    since.flatMap((message) => {
      const ruling = readRuling(message);
      return ruling?.kind === 'rejected' ? [ruling.digest] : [];
    }),
  );
}

/**
 * The {@link likenessDigest}s of the calls that were rejected in this run, with a reason or without, if nobody has said since
 * what is wanted. What was only sent back is none of them, and doesn't take back what was rejected beside it.
 */
export function rejectedForGood(messages: readonly BaseMessage[]): ReadonlySet<string> {
  const wished = messages.findLastIndex((message) => {
    const ruling = readRuling(message);
    return isHumanMessage(message) || ruling?.isSentBack || ruling?.kind === 'said';
  });
  const before = messages.findLastIndex((message, index) => index <= wished && !isToolMessage(message));
  return new Set(
    messages.slice(before + 1).flatMap((message) => {
      const ruling = readRuling(message);
      const isRejected = ruling && !ruling.isSentBack && ruling.kind !== 'said';
      return isRejected ? [ruling.digest] : [];
    }),
  );
}

/**
 * The call that a new one comes after: the latest of the same tool in this run, if it was rejected with words and is
 * the only such call beside others of its message. Null where more than one could be meant.
 *
 * @param proposed the tools of the calls proposed together, by their names for models.
 */
export function correctedCall(
  messages: readonly BaseMessage[],
  modelName: string,
  proposed: readonly string[],
): string | null {
  if (proposed.filter((name) => name === modelName).length !== 1) return null;
  const inRun = messages.slice(messages.findLastIndex((message) => isHumanMessage(message)) + 1);
  const results = inRun.filter((message) => isToolMessage(message) && message.name === modelName);
  const latest = results.at(-1);
  if (!latest || !isToolMessage(latest) || readRuling(latest)?.kind !== 'corrected') return null;
  const at = inRun.indexOf(latest);
  const begin = inRun.findLastIndex((message, index) => index < at && !isToolMessage(message));
  const beside = results.filter((message) => inRun.indexOf(message) > begin);
  return beside.length === 1 ? latest.tool_call_id : null;
}
