import type { Runs, Surface } from '../runs/index.ts';
import type { RetentionRule } from '../storage/retention.ts';
import type { KeptResults } from '../tools/index.ts';
import type { Connections } from './compose-connections.ts';
import type { WebDecisions } from './compose-web-decisions.ts';

/** How long an event of Slack is known, in milliseconds: it is delivered again for minutes, or for hours. */
const KNOWN_EVENTS_MS = 24 * 60 * 60 * 1_000;
/** How long a link to sign in is known after it was made, in milliseconds: whoever uses it late is told why. */
const KNOWN_SIGN_INS_MS = 24 * 60 * 60 * 1_000;
/** How long what a server listed for a person is known, in milliseconds: for whoever comes back later it is listed anew. */
const KNOWN_LISTS_MS = 30 * 24 * 60 * 60 * 1_000;

export interface Kept {
  /** How long threads are kept, in milliseconds; null: for ever. */
  readonly keepForMs: number | null;
  readonly surfaces: readonly Surface[];
  readonly keptResults: KeptResults;
  readonly runs: Runs;
  readonly connections: Connections;
  readonly web: WebDecisions | null;
}

/** Everything that is kept for a time only. */
export function retentionRules({
  keepForMs,
  surfaces,
  keptResults,
  runs,
  connections,
  web,
}: Kept): readonly RetentionRule[] {
  return [
    ...surfaces.flatMap(({ retention = [] }) => retention),
    { name: 'large results', keepForMs, forget: keptResults.forget },
    { name: 'received events', keepForMs: KNOWN_EVENTS_MS, forget: runs.forgetEvents },
    { name: 'sign-ins to servers', keepForMs: KNOWN_SIGN_INS_MS, forget: connections.oauth.forget },
    { name: 'lists of tools', keepForMs: KNOWN_LISTS_MS, forget: connections.signingIn.toolLists.forget },
    ...(web === null ? [] : [{ name: 'sign-ins', keepForMs: 0, forget: web.signIn.forget }]),
  ];
}
