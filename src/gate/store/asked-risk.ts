import type { CallRecord } from '../call/record.ts';
import type { GatePorts } from '../ports.ts';
import { findRisk } from '../risk/rules.ts';
import type { ReadSession } from './session-risk.ts';

/**
 * A call as people are asked about it, with what its session had read and written by now, where that is anything: a read
 * of one kind, or whatever made a rule ask.
 */
export async function withRiskShown(
  _ports: GatePorts,
  read: ReadSession | null,
  call: CallRecord,
): Promise<CallRecord> {
  if (read === null || call.kind === 'question') return call;
  const { private: ofPrivate, untrusted, write, highest } = read.session;
  const tool = read.toolRisk(call.tool);
  const rule = findRisk(read.session, tool);
  if (rule === null && ofPrivate === null && untrusted === null) return call;
  const session = { private: ofPrivate, untrusted, write, highest };
  return { ...call, risk: { rule, session, writes: tool.writes, taints: [] } };
}
