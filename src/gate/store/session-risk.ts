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
import { GET_PROMPT } from '../policy/own-servers.ts';
import type { Verdict } from '../policy/verdict.ts';
import type { ExtraWrites, GatePorts, RiskPorts } from '../ports.ts';
import type { RiskView } from '../risk/rules.ts';
import { newSession, noteCall, type SessionRisk, sessionRiskSchema } from '../risk/session.ts';
import { commitChange } from './commit.ts';

/** What sessions have read and written; the id is that of {@link findOwner}. */
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

/**
 * The key of the session that a call belongs to, and its agent: the conversation of its program, as that names it, whose
 * calls have a thread each; else its thread, or the one that the thread answers a message beside.
 */
export async function findOwner(
  risk: Pick<RiskPorts, 'findConversation'>,
  { threadId, program }: Origin,
): Promise<{ readonly key: string; readonly agent: string }> {
  if (program) return { key: programKey(program), agent: program.id };
  const conversation = await risk.findConversation(threadId);
  return { key: threadKey(conversation.threadId), agent: conversation.agent };
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
  const { key, agent } = await findOwner(risk, origin);
  const stored = ports.recent.get(sessionRisks, key) ?? (await ports.store.get(sessionRisks, key));
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

/**
 * Records that another session of its program is given what a call returned, as if it had made that call itself. It comes
 * before the result is handed out. A call that was never sent has returned nothing that anybody else wrote.
 */
export async function noteGiven(ports: GatePorts, call: CallRecord, session: string): Promise<void> {
  const { program, threadId, intentAt } = call;
  if (!program || program.session === session || intentAt === null) return;
  for (;;) {
    const read = await readSession(ports, { threadId, program: { ...program, session } });
    if (read === null) return;
    const now = withCall(read, call, ports.clock());
    if (now.session === read.before) return;
    if (await commitChange(ports, { ...sessionWrites(now), event: null, notes: [] })) return;
  }
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
  const { key } = await findOwner(ports.risk, origin);
  return (await ports.store.get(sessionRisks, key))?.value ?? null;
}

/** A server's prompt that begins a thread: a person chose it, and the server wrote its text. */
interface UsedPrompt {
  readonly threadId: string;
  /** The message with its text. */
  readonly itemId: string;
  readonly server: string;
  /** The agent of the thread, by the name of its graph. */
  readonly agent: string;
}

/** What goes into the commit that begins a thread with a prompt, which counts as read by it. It writes nothing. */
export function beginWithPrompt(
  { risk, clock }: Pick<GatePorts, 'risk' | 'clock'>,
  { threadId, itemId, server, agent }: UsedPrompt,
): Pick<ExtraWrites, 'expect' | 'put'> {
  if (risk === null) return { expect: [], put: [] };
  const tool = { ...risk.findToolRisk({ server, name: GET_PROMPT }, agent), writes: false };
  const before = newSession(null);
  const source = { callKey: itemId, tool: `${server}.${GET_PROMPT}`, isPrompt: true as const, at: clock() };
  const session = noteCall(before, tool, source);
  if (session === before) return { expect: [], put: [] };
  const key = threadKey(threadId);
  return { expect: [absent(sessionRisks, key)], put: [put(sessionRisks, key, session)] };
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
