import { LRUCache } from 'lru-cache';
import type { Store } from '../../storage/store.ts';
import type { CallRecord } from '../call/record.ts';
import type { RiskPorts } from '../ports.ts';
import type { RiskView } from '../risk/rules.ts';
import { newSession, type SessionFlags, type SessionRisk } from '../risk/session.ts';
import { findOwner, sessionRisks, withCall } from './session-risk.ts';

/** How many sessions a look into the past remembers. */
const KNOWN_SESSIONS = 10_000;

/** A session of the past, and the calls that were let through in it later than the latest that was looked at. */
interface PastSession {
  session: SessionRisk;
  let: { readonly call: CallRecord; readonly at: number }[];
}

/**
 * What sessions had read and written when each of their calls was proposed, as other permissions see it. Calls are asked for
 * oldest first; of a session that had begun before the first, what is recorded of it counts.
 */
export function createPastSessions(
  store: Store,
  risk: Pick<RiskPorts, 'findToolRisk' | 'findConversation'>,
): (call: CallRecord) => Promise<RiskView> {
  const known = new LRUCache<string, PastSession>({ max: KNOWN_SESSIONS });

  return async (call) => {
    const { key, agent } = await findOwner(risk, call);
    const past = known.get(key) ?? { session: await findBeginning(store, key, call), let: [] };
    known.set(key, past);
    const toolRisk: RiskView['toolRisk'] = (tool) => risk.findToolRisk(tool, agent);
    const isBefore = ({ at }: { readonly at: number }) => at <= call.proposedAt;
    const done = past.let.filter(isBefore).toSorted((one, other) => one.at - other.at);
    past.let = past.let.filter((one) => !isBefore(one));
    for (const one of done) {
      past.session = withCall({ session: past.session, toolRisk }, one.call, one.at).session;
    }
    const at = letThroughAt(call);
    if (at !== null) past.let.push({ call, at });
    return { session: past.session, toolRisk };
  };
}

/** The session as it was before its first call that is looked at. */
async function findBeginning(store: Store, key: string, first: CallRecord): Promise<SessionRisk> {
  const none = newSession(first.program?.id ?? null);
  const recorded: SessionFlags | null =
    first.risk?.session ?? (await store.get(sessionRisks, key))?.value ?? null;
  if (recorded === null) return none;
  const before = <Source extends { readonly at: number }>(source: Source | null): Source | null =>
    source !== null && source.at < first.proposedAt ? source : null;
  return {
    ...none,
    private: before(recorded.private),
    untrusted: before(recorded.untrusted),
    write: before(recorded.write),
    highest: before(recorded.highest),
  };
}

/** When a call was let through, in milliseconds since the epoch; null if it never was. */
function letThroughAt({ decision, verdict, state, misfit, intentAt, proposedAt }: CallRecord): number | null {
  if (decision?.type === 'approve' || decision?.type === 'edit') return decision.at;
  if (verdict.action === 'allow' && state !== 'denied' && misfit !== true) return proposedAt;
  return intentAt;
}
