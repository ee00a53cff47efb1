import { findProgramSessions } from '../gate/index.ts';
import type { Authorization } from '../http/index.ts';
import { mailRetention } from '../inbox/index.ts';
import type { ProgramSessions } from '../programs/index.ts';
import type { Limits, Runs, Surface } from '../runs/index.ts';
import { broughtRetention } from '../slack/index.ts';
import type { RetentionRule } from '../storage/retention.ts';
import type { Store } from '../storage/store.ts';
import type { KeptResults } from '../tools/index.ts';
import type { ResultShares } from '../tools/ports.ts';
import type { Connections } from './compose-connections.ts';
import type { WebDecisions } from './compose-web-decisions.ts';
import type { DocumentSide } from './demo-servers/documents/document-side.ts';

/** How long a Slack event's id is kept, in milliseconds: Slack redelivers for minutes, or for hours. */
const KNOWN_EVENTS_MS = 24 * 60 * 60 * 1_000;
/** How long a sign-in link is kept, in milliseconds: whoever uses it late learns why it no longer works. */
const KNOWN_SIGN_INS_MS = 24 * 60 * 60 * 1_000;
/** How long what people and keys used in a day is kept, in milliseconds: a month to look at. */
const KNOWN_USAGE_MS = 31 * 24 * 60 * 60 * 1_000;
/** How long a person's tool list is kept, in milliseconds; for whoever comes back later it is listed anew. */
const KNOWN_LISTS_MS = 30 * 24 * 60 * 60 * 1_000;

/** How long a token of a program is known after its time, in milliseconds, so that it counts as no guess. */
const KNOWN_TOKENS_MS = 24 * 60 * 60 * 1_000;

interface Kept {
  /** The rule of messages, requests and calls. */
  readonly records: RetentionRule;
  /** How long threads are kept, in milliseconds; null: for ever. */
  readonly keepForMs: number | null;
  readonly surfaces: readonly Surface[];
  readonly keptResults: KeptResults;
  readonly shares: ResultShares;
  readonly runs: Runs;
  readonly limits: Limits;
  readonly connections: Connections;
  readonly web: WebDecisions;
  readonly programs: Pick<ProgramSessions, 'forget'>;
  readonly store: Store;
  readonly authorization: Pick<Authorization, 'records'> | null;
  readonly documents: Pick<DocumentSide, 'opened'>;
}

/** The retention rules: everything that is kept for a limited time. */
export function retentionRules({
  records,
  keepForMs,
  surfaces,
  keptResults,
  shares,
  runs,
  limits,
  connections,
  web,
  authorization,
  programs,
  store,
  documents,
}: Kept): readonly RetentionRule[] {
  return [
    records,
    broughtRetention({ store, documents, keepForMs: records.keepForMs }),
    mailRetention({ store, keepForMs: records.keepForMs }),
    ...surfaces.flatMap(({ retention = [] }) => retention),
    { name: 'large results', keepForMs, forget: keptResults.forget },
    { name: 'shared results', keepForMs, forget: shares.forget },
    { name: 'conversations of programs', keepForMs, forget: programs.forget },
    {
      name: 'risk of sessions of programs',
      keepForMs: records.keepForMs,
      // When one was last used is known to the day.
      async forget(before, limit) {
        const refs = await findProgramSessions(store, before - 86_400_000, limit);
        if (refs.length > 0) await store.commit({ delete: refs });
        return refs.length;
      },
    },
    { name: 'received events', keepForMs: KNOWN_EVENTS_MS, forget: runs.forgetEvents },
    { name: 'usage', keepForMs: KNOWN_USAGE_MS, forget: limits.forget },
    { name: 'sign-ins to servers', keepForMs: KNOWN_SIGN_INS_MS, forget: connections.oauth.forget },
    { name: 'lists of tools', keepForMs: KNOWN_LISTS_MS, forget: connections.signingIn.toolLists.forget },
    { name: 'sign-ins', keepForMs: 0, forget: web.signIn.forget },
    ...(authorization === null
      ? []
      : [{ name: 'programs of people', keepForMs: KNOWN_TOKENS_MS, forget: authorization.records.forget }]),
  ];
}
