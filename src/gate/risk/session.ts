import { z } from 'zod';
import { type ReadKind, readKindSchema } from '../policy/session-condition.ts';
import { accessLevelSchema, isBelow, type ToolRisk } from './permissions.ts';

/** A call, or a prompt, that changed what is known of its session. */
export const riskSourceSchema = z.object({
  /** The key of the call; of a prompt, the id of the message with its text. */
  callKey: z.string(),
  /** `server.tool` */
  tool: z.string(),
  /** No call, but a server's prompt that a person used. */
  isPrompt: z.literal(true).optional(),
  /** When it was let through, in milliseconds since the epoch. */
  at: z.number(),
});
export type RiskSource = z.infer<typeof riskSourceSchema>;

/** What a session has read and written so far, and which call was the first to. */
export const sessionFlagsSchema = z.object({
  private: riskSourceSchema.nullable(),
  untrusted: riskSourceSchema.nullable(),
  write: riskSourceSchema.nullable(),
  /** The highest access level of private data that was read; null before the first. */
  highest: riskSourceSchema.extend({ acl: accessLevelSchema }).nullable(),
});
export type SessionFlags = z.infer<typeof sessionFlagsSchema>;

/** The record of a session that has called a tool of any risk. */
export const sessionRiskSchema = sessionFlagsSchema.extend({
  /** The latest calls whose results may hold text of strangers, oldest first, at most {@link MOST_READS}. */
  reads: z.array(riskSourceSchema),
  /** The program whose conversation it is; null: a thread of ours. */
  program: z.string().nullable(),
  /** When it last called such a tool, to the day, in milliseconds since the epoch. */
  at: z.number(),
});
export type SessionRisk = z.infer<typeof sessionRiskSchema>;

/** How many results of strangers’ text a session’s arguments are compared with. */
const MOST_READS = 20;

/** How exactly it is recorded when a session was last used, in milliseconds. */
const USED_WITHIN_MS = 86_400_000;

/** A session that has called nothing. */
export function newSession(program: string | null): SessionRisk {
  return { private: null, untrusted: null, write: null, highest: null, reads: [], program, at: 0 };
}

/** The session after a call was let through; the same object where that changes nothing. */
export function noteCall(session: SessionRisk, tool: ToolRisk, source: RiskSource): SessionRisk {
  const isRead = session.reads.some(({ callKey }) => callKey === source.callKey);
  const isHighest = tool.readsPrivate && (session.highest === null || isBelow(session.highest.acl, tool.acl));
  const isNew =
    (tool.readsPrivate && session.private === null) ||
    (tool.readsUntrusted && !isRead) ||
    (tool.writes && session.write === null) ||
    isHighest;
  const isUsed = tool.readsPrivate || tool.readsUntrusted || tool.writes;
  if (!isNew && (!isUsed || source.at - session.at < USED_WITHIN_MS)) return session;
  return {
    ...session,
    private: session.private ?? (tool.readsPrivate ? source : null),
    untrusted: session.untrusted ?? (tool.readsUntrusted ? source : null),
    write: session.write ?? (tool.writes ? source : null),
    highest: isHighest ? { ...source, acl: tool.acl } : session.highest,
    reads: tool.readsUntrusted && !isRead ? [...session.reads, source].slice(-MOST_READS) : session.reads,
    at: source.at,
  };
}

/** What a session has read, for conditions of the policy: before a time, in milliseconds since the epoch, or by now. */
export function readKinds(
  session: SessionFlags,
  before: number = Number.POSITIVE_INFINITY,
): ReadonlySet<ReadKind> {
  return new Set(
    readKindSchema.options.filter((kind) => {
      const source = session[kind];
      return source !== null && source.at < before;
    }),
  );
}
