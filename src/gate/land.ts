import type { Expectation, Put } from '../storage/store.ts';
import { type AuditNote, appended } from './audit.ts';
import type { GateEvent, GatePorts } from './ports.ts';

export interface Landable {
  readonly expect: readonly Expectation[];
  readonly put: readonly Put[];
  /** What is told; null when nobody is. */
  readonly event: GateEvent | null;
  /** What the audit keeps of it. */
  readonly notes: readonly AuditNote[];
}

/**
 * Commits a change of the gate together with what tells of it and what the audit keeps of it; false when an
 * expectation did not hold, also that nobody else has added to the thread's audit meanwhile.
 */
export async function land(ports: GatePorts, { expect, put, event, notes }: Landable): Promise<boolean> {
  const audit = await appended(ports, notes);
  const { committed } = await ports.store.commit({
    expect: [...expect, ...audit.expect],
    put: [...put, ...(event ? ports.announce(event) : []), ...audit.put],
  });
  if (committed && event) ports.notify(event);
  return committed;
}
