import {
  absent,
  collection,
  put,
  type Ref,
  ref,
  type Store,
  type Stored,
  unchanged,
} from '../../storage/store.ts';
import { recordKey } from '../call/digest.ts';
import { evaluateAgain } from '../call/evaluate-call.ts';
import type { CallRecord, Program } from '../call/record.ts';
import type { Verdict } from '../policy/verdict.ts';
import type { ExtraWrites, GatePorts } from '../ports.ts';
import type { RiskView } from '../risk/rules.ts';
import { newSession, noteCall, type SessionRisk, sessionRiskSchema } from '../risk/session.ts';

/** What sessions have read and written; the id is {@link sessionKey}. */
export const sessionRisks = collection({
  name: 'session_risks',
  schema: sessionRiskSchema,
  // Those of threads go with their threads.
  indexes: { ofPrograms: ({ program, at }) => (program === null ? null : [at]) },
});

/** Where a call comes from, as far as its session goes. */
interface Origin {
  readonly threadId: string;
  readonly program?: Program | undefined;
}

/** A session as it was read, with what the calls at hand add to it. */
export interface ReadSession extends RiskView {
  readonly key: string;
  readonly stored: Stored<SessionRisk> | null;
  /** The session without the calls at hand. */
  readonly before: SessionRisk;
}

/** Our own agents, where permissions differ by agent. */
export const OWN_AGENT = 'assistant';

/**
 * The key of the session that a call belongs to: the conversation of its program, as that names it, whose calls have a
 * thread each; else its thread, or the one that the thread answers a message beside.
 */
async function sessionKey({ risk }: Pick<GatePorts, 'risk'>, { threadId, program }: Origin): Promise<string> {
  if (program) return programKey(program);
  return threadKey((await risk?.findConversation(threadId)) ?? threadId);
}

/** As that, without asking which conversation a thread answers a message beside. */
export function recordedKey({ threadId, program }: Origin): string {
  return program ? programKey(program) : threadKey(threadId);
}

function programKey({ id, session }: Program): string {
  return JSON.stringify(['program', id, session]);
}

function threadKey(threadId: string): string {
  return JSON.stringify(['thread', threadId]);
}

/** Reads the session of a call; null, without asking the store, where the operator has no permissions file. */
export async function readSession(
  ports: Pick<GatePorts, 'risk' | 'store' | 'recent'>,
  origin: Origin,
): Promise<ReadSession | null> {
  const { risk } = ports;
  if (risk === null) return null;
  const key = await sessionKey(ports, origin);
  const stored = ports.recent.get(sessionRisks, key) ?? (await ports.store.get(sessionRisks, key));
  const agent = origin.program?.id ?? OWN_AGENT;
  const before = stored?.value ?? newSession(origin.program?.id ?? null);
  return {
    key,
    stored,
    before,
    session: before,
    toolRisk: (tool) => risk.findToolRisk(tool, agent),
  };
}

/** The session once this call may run. */
export function withCall<Session extends RiskView>(session: Session, call: CallRecord, now: number): Session {
  const { server, name } = call.tool;
  const source = { callKey: recordKey(call), tool: `${server}.${name}`, at: now };
  return { ...session, session: noteCall(session.session, session.toolRisk(call.tool), source) };
}

/**
 * What goes into the commit that lets calls through. It expects the session as it was read, so that of two commits at once
 * the later one is made anew, by what the earlier one has added.
 */
export function sessionWrites(read: ReadSession | null): Pick<ExtraWrites, 'expect' | 'put'> {
  if (read === null) return { expect: [], put: [] };
  const { key, stored, before, session } = read;
  return {
    expect: [stored ? unchanged(sessionRisks, stored) : absent(sessionRisks, key)],
    put: session !== before ? [put(sessionRisks, key, session)] : [],
  };
}

/** The policy's verdict on a recorded call as it is now, in its session as that is now. */
export async function evaluateToday(
  ports: GatePorts,
  call: Pick<CallRecord, 'threadId' | 'tool' | 'arguments' | 'program'>,
): Promise<Verdict> {
  return evaluateAgain(ports, call, await readSession(ports, call));
}

/** What a session has read and written so far; null where nothing is known of it. */
export async function findSession(ports: GatePorts, origin: Origin): Promise<SessionRisk | null> {
  if (ports.risk === null) return null;
  return (await ports.store.get(sessionRisks, await sessionKey(ports, origin)))?.value ?? null;
}

/** The record of the session of a thread, for whoever removes the thread. */
export function threadSession(threadId: string): Ref {
  return ref(sessionRisks, threadKey(threadId));
}

/** At most `limit` records of sessions of programs that were last used before then, to the day. */
export async function findProgramSessions(
  store: Store,
  before: number,
  limit: number,
): Promise<readonly Ref[]> {
  const { items } = await store.query(sessionRisks, 'ofPrograms', { before: [before] }, limit);
  return items.map(({ id }) => ref(sessionRisks, id));
}
