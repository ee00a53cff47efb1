import { awaitedSignIn, type CallRecord, type HasSignedIn, type SignInAccount } from '../gate/types.ts';
import type { Logger } from '../lib/logger.ts';
import { createPeriodic } from '../lib/periodic.ts';

/** Interval of the sweep for sign-ins made in other processes, in milliseconds. */
const SWEEP_MS = 15_000;

/** Resumes the calls that wait for a sign-in: those of one account, or all. */
export type ResumeCalls = (hasSignedIn: HasSignedIn, account?: SignInAccount) => Promise<void>;

/** Resumes the calls that wait for a sign-in, once their person has signed in. See docs/decisions/0022. */
export function createCallResumer({
  resumeCalls,
  hasSignedIn,
  finishSignIns,
  log,
}: {
  readonly resumeCalls: ResumeCalls;
  readonly hasSignedIn: HasSignedIn;
  /** Resumes calls of completed sign-ins, in case a process ended before it could. */
  readonly finishSignIns: () => Promise<void>;
  readonly log: Pick<Logger, 'error' | 'warn'>;
}) {
  const warn = (error: unknown): void =>
    log.warn({ err: error }, 'failed to resume calls that wait for a sign-in');

  return {
    sweep: createPeriodic({
      name: 'sign-in sweep',
      everyMs: SWEEP_MS,
      async run() {
        // A failure here must not hold up the calls of sign-ins that completed.
        await finishSignIns().catch(warn);
        await resumeCalls(hasSignedIn);
      },
      log,
    }),
    /**
     * Covers a sign-in made just before its call started to wait. If this fails, the sweep picks the call up.
     */
    async resumeIfSignedIn(call: CallRecord): Promise<void> {
      const account = awaitedSignIn(call);
      if (account) await resumeCalls(hasSignedIn, account).catch(warn);
    },
  };
}
