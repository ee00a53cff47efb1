import { decisionWords } from '../call/decision.ts';
import type { Content, Outcome } from '../call/outcome.ts';
import type { CallRecord } from '../call/record.ts';
import type { GatePorts, RiskPorts } from '../ports.ts';
import type { Taint } from '../risk/call-risk.ts';
import { findRisk } from '../risk/rules.ts';
import { findTaints, readResultText, type UntrustedText } from '../risk/taint.ts';
import { calls } from './collections.ts';
import type { ReadSession } from './session-risk.ts';

/** How many of a thread's latest calls are read for what people said about them. */
const MOST_SAID = 50;

/** How much of a result that is stored beside its record is read, in characters. */
const MOST_KEPT = 50_000;

/**
 * A call as people are asked about it, with what its session had read and written by now, where it had read anything or a
 * rule asks; and which of its arguments hold text of strangers.
 */
export async function withRiskShown(
  ports: GatePorts,
  read: ReadSession | null,
  call: CallRecord,
): Promise<CallRecord> {
  const { risk } = ports;
  if (read === null || risk === null || call.kind === 'question') return call;
  const { private: ofPrivate, untrusted, write, highest } = read.session;
  const tool = read.toolRisk(call.tool);
  const rule = findRisk(read.session, tool);
  if (rule === null && ofPrivate === null && untrusted === null) return call;
  const session = { private: ofPrivate, untrusted, write, highest };
  const taints = await readTaints(ports, risk, read, call);
  return { ...call, risk: { rule, session, writes: tool.writes, taints: [...taints] } };
}

async function readTaints(
  ports: GatePorts,
  risk: RiskPorts,
  { session }: ReadSession,
  call: CallRecord,
): Promise<readonly Taint[]> {
  if (session.reads.length === 0) return [];
  const keys = session.reads.map(({ callKey }) => callKey);
  const [results, typed, said] = await Promise.all([
    ports.store.getMany(calls, keys),
    risk.typedIn(call.threadId),
    wordsAbout(ports, call.threadId),
  ]);
  const texts = await Promise.all(
    session.reads.map(async (source, index): Promise<UntrustedText> => {
      if (source.isPrompt) return { source, text: await risk.promptText(source.callKey) };
      const result = results[index]?.value;
      return { source, text: result ? await resultText(risk, result) : '' };
    }),
  );
  return findTaints(call.arguments, texts, [...typed, ...said]);
}

/** What people said in a thread with their decisions, and answered to questions. */
async function wordsAbout({ store }: GatePorts, threadId: string): Promise<readonly string[]> {
  const range = { prefix: [threadId], descending: true };
  const { items } = await store.query(calls, 'byThread', range, MOST_SAID);
  return items.flatMap(({ value }) => decisionWords(value).map(({ text }) => text));
}

/** The text that a call returned, as far as it is compared. */
async function resultText({ readKept }: RiskPorts, { threadId, outcome }: CallRecord): Promise<string> {
  if (outcome === null || outcome.status === 'in_doubt') return '';
  const pieces = await Promise.all(
    outcome.content.map(async (piece) => {
      const kept = piece.type === 'text' ? piece.kept : undefined;
      const whole = kept && (await readKept(threadId, kept, 0, MOST_KEPT));
      return readResultText(whole ?? contentText(piece));
    }),
  );
  return [...pieces, ...otherText(outcome)].join('\n');
}

function contentText(piece: Content): string {
  switch (piece.type) {
    case 'text':
      return piece.text;
    case 'resource':
      return `${piece.uri}\n${piece.text ?? ''}`;
    case 'resource_link':
      return [piece.uri, piece.name, piece.title ?? ''].join('\n');
    case 'image':
    case 'audio':
      return '';
  }
}

function otherText(outcome: Exclude<Outcome, { status: 'in_doubt' }>): readonly string[] {
  if (outcome.status === 'failed') return [outcome.message];
  return outcome.structured === null ? [] : [readResultText(JSON.stringify(outcome.structured))];
}
