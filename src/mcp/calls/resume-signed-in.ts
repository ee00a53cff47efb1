import { awaitedSignIn, type Gate } from '../../gate/index.ts';
import type { CallRecord, GateListener } from '../../gate/types.ts';
import type { Logger } from '../../lib/logger.ts';
import { createPeriodic } from '../../lib/periodic.ts';
import type { OAuth } from '../../oauth/index.ts';

/** Interval of the sweep for sign-ins made in other processes, in milliseconds. */
const SWEEP_MS = 15_000;

/** Resumes the calls that wait for a sign-in, once their person has signed in. See docs/decisions/0022. */
export function createSignInResumer({
  gate,
  oauth,
  log,
}: {
  readonly gate: () => Pick<Gate, 'elicitation'>;
  readonly oauth: () => Pick<OAuth, 'hasSignedIn' | 'resume'>;
  readonly log: Pick<Logger, 'error' | 'warn'>;
}) {
  /** Resumes the calls that wait for this server and person, or all of them. */
  const resume = (...of: readonly [server: string, personId: string] | readonly []): Promise<void> =>
    gate().elicitation.signedIn(oauth().hasSignedIn, ...of);

  const sweep = createPeriodic({
    name: 'sign-in sweep',
    everyMs: SWEEP_MS,
    async run() {
      // A failure here must not hold up the calls of sign-ins that completed.
      await oauth().resume().catch(warn);
      await resume();
    },
    log,
  });

  function warn(error: unknown): void {
    log.warn({ err: error }, 'failed to resume calls that wait for a sign-in');
  }

  /**
   * Covers a sign-in made just before its call started to wait. If this fails, the sweep picks the call up.
   */
  async function resumeIfSignedIn(call: CallRecord): Promise<void> {
    const signIn = awaitedSignIn(call);
    if (signIn) await resume(...signIn).catch(warn);
  }

  const listener: GateListener = {
    notify(event) {
      if (event.type === 'needs_person') void resumeIfSignedIn(event.call);
    },
  };
  return { resume, resumeIfSignedIn, sweep, listener };
}
export type SignInResumer = ReturnType<typeof createSignInResumer>;
