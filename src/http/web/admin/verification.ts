import type { AnchoredHead } from '../../../gate/index.ts';
import { type AuditProblem, type AuditVerifier, readLastSeal, verifyStore } from '../../../gate/index.ts';
import type { Clock } from '../../../lib/clock.ts';
import { errorMessage } from '../../../lib/errors.ts';
import type { Store } from '../../../storage/store.ts';
import type { Verification, VerificationState } from './ports.ts';

interface VerificationPorts {
  readonly store: Store;
  readonly clock: Clock;
  readonly verifier: AuditVerifier;
  /** The heads noted outside the store; null where none are. `tell`: what is wrong with them. */
  readonly notedHeads: ((tell: (problem: AuditProblem) => void) => AsyncIterable<AnchoredHead>) | null;
  readonly log: { warn(details: object, message: string): void };
}

/** Problems that are shown; the rest are counted. */
const SHOWN = 100;

/**
 * Verifies the audit of this process's store, one at a time, page by page, so that everything else goes on meanwhile. Nothing
 * is kept of it but the last result, in memory.
 */
export function createVerification({
  store,
  clock,
  verifier,
  notedHeads,
  log,
}: VerificationPorts): Verification {
  let state: VerificationState = { kind: 'none' };

  async function verify(since: number): Promise<VerificationState> {
    const problems: AuditProblem[] = [];
    let problemCount = 0;
    const tell = (problem: AuditProblem): void => {
      problemCount += 1;
      if (problems.length < SHOWN) problems.push(problem);
    };
    const onEntries = (entries: number): void => {
      state = { kind: 'running', since, entries };
    };
    const head = await readLastSeal(store);
    const counts = await verifyStore({ store, verifier, onEntries }, notedHeads?.(tell) ?? [], tell);
    const hasNotedHeads = notedHeads !== null;
    return { kind: 'done', at: clock(), ...counts, head, hasNotedHeads, problems, problemCount };
  }

  return {
    state: () => state,
    start() {
      if (state.kind === 'running') return;
      const since = clock();
      state = { kind: 'running', since, entries: 0 };
      verify(since).then(
        (done) => {
          state = done;
        },
        (err: unknown) => {
          state = { kind: 'failed', at: clock(), problem: errorMessage(err) };
          log.warn({ err }, 'verification of the audit failed');
        },
      );
    },
  };
}
