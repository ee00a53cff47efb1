import { z } from 'zod';
import { canonicalJson, sha256Hex } from '../lib/canonical-json.ts';
import type { JsonObject } from '../lib/json.ts';
import { collection } from '../storage/store.ts';

/** Conversations of programs, as they name them; the id is {@link sessionKey}. */
export const sessions = collection({
  name: 'program_sessions',
  schema: z.object({
    /** The program's id at the gate. */
    program: z.string(),
    /** As the program names it. */
    session: z.string(),
    /** The agent's name and kind, as it says; null where it doesn't. */
    agentName: z.string().nullable(),
    agentType: z.string().nullable(),
    createdAt: z.number(),
  }),
  indexes: { byCreation: (session) => [session.createdAt], byProgram: (it) => [it.program, it.createdAt] },
});

/** The id of a session's record: each program has its own. */
export function sessionKey(program: string, session: string): string {
  return `${program}/${session}`;
}

/**
 * The calls that programs have made through the gate and not heard the end of: the same call again is about the same
 * record. The id is {@link heldKey}.
 */
export const heldCalls = collection({
  name: 'program_calls',
  schema: z.object({
    callKey: z.string(),
    program: z.string(),
    at: z.number(),
    /** {@link askedAs} of the call; absent in records of earlier versions. */
    asked: z.string().optional(),
    /** Since when the program is away; null while it waits, or has been told that it will be answered later. */
    leftAt: z.number().nullable(),
  }),
  indexes: {
    byLeaving: (held) => (held.leftAt === null ? null : [held.leftAt]),
    byCall: (held) => [held.callKey],
    byTime: (held) => [held.at],
    byProgram: (held) => [held.program],
    byAsked: (held) => (held.asked === undefined ? null : [held.asked]),
  },
});
export type HeldCall = z.infer<typeof heldCalls.schema>;

/** Identifies a call by who makes it, of which tool, with which arguments. */
export function heldKey(
  program: string,
  { server, name }: { server: string; name: string },
  args: JsonObject,
): string {
  return sha256Hex(canonicalJson({ program, server, name, arguments: args }));
}

/** Identifies a call by who makes it and as the program made it: with the tool's name for models, which may be of no tool now. */
export function askedAs(program: string, modelName: string, args: JsonObject): string {
  return sha256Hex(canonicalJson({ program, modelName, arguments: args }));
}
