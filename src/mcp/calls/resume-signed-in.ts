import { awaitedSignIn, type Gate } from '../../gate/index.ts';
import type { CallRecord, GateListener } from '../../gate/types.ts';
import type { Logger } from '../../lib/logger.ts';
import { createPeriodic } from '../../lib/periodic.ts';
import type { OAuth } from '../../oauth/index.ts';

/** How often sign-ins are looked for that no other process told of, in milliseconds. */
const SWEEP_MS = 15_000;

/** Lets calls go on that wait for a sign-in, once their person has made it. */
export function createSignInResumer({
  gate,
  oauth,
  log,
}: {
  readonly gate: () => Pick<Gate, 'elicitation'>;
  readonly oauth: () => Pick<OAuth, 'hasSignedIn' | 'resume'>;
  readonly log: Pick<Logger, 'error' | 'warn'>;
}) {
  /** Lets the calls go on that wait for this server and person, or all. */
  const resume = (...of: readonly [server: string, personId: string] | readonly []): Promise<void> =>
    gate().elicitation.signedIn(oauth().hasSignedIn, ...of);

  const sweep = createPeriodic({
    name: 'sign-in sweep',
    everyMs: SWEEP_MS,
    async run() {
      // Sign-ins that were cut short must not hold up the calls of those that were not.
      await oauth().resume().catch(warn);
      await resume();
    },
    log,
  });

  function warn(error: unknown): void {
    log.warn({ err: error }, 'failed to resume calls that wait for a sign-in');
  }

  /** A sign-in can be made while its call is on the way to wait for it. The sweep makes up for what fails here. */
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
