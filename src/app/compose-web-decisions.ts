import { randomBytes } from 'node:crypto';
import type { Env, OpenIdClient } from '../config/env.ts';
import type { Policy } from '../gate/types.ts';
import { CALLBACK_PATH, createOpenId, createSignIn, type WebPorts } from '../http/index.ts';
import type { Clock } from '../lib/clock.ts';
import type { ServerStatus } from '../mcp/ports.ts';
import { type Slack, slackIdentity } from '../slack/index.ts';
import type { Store } from '../storage/store.ts';

export interface WebDecisionPorts {
  readonly env: Env;
  readonly openId: OpenIdClient | null;
  readonly apiUrl: string | null;
  /** Whether the emulator replaces Slack, and sends browsers wherever this program listens. */
  readonly isStandIn: boolean;
  readonly store: Store;
  readonly clock: Clock;
  readonly slack: () => Slack['web'];
}

/** The web decision pages, with their sign-in; null where they aren't set up. */
export interface WebDecisions extends WebPorts {
  readonly decideUrl: (callKey: string) => string;
  /** The address that Slack redirects browsers to after sign-in. */
  readonly redirectUrl: () => string;
  /** Call this as soon as the address is known. */
  listensAt(url: string): void;
}

/**
 * Composes sign-in and decision pages. Slack redirects people to an address configured in its app, so a real
 * Slack needs PUBLIC_URL in addition to the client's id and secret.
 */
export function createWebDecisions(ports: WebDecisionPorts): WebDecisions | null {
  const { env, openId, apiUrl, isStandIn, store, clock, slack } = ports;
  if (openId === null || (env.publicUrl === null && !isStandIn)) return null;
  let ownUrl = `http://${env.server.host}:${env.server.port}`;
  const publicUrl = () => env.publicUrl ?? ownUrl;
  const redirectUrl = () => `${publicUrl()}${CALLBACK_PATH}`;
  return {
    signIn: createSignIn({
      store,
      clock,
      secrets: () => randomBytes(32).toString('base64url'),
      openId: createOpenId({ ...openId, apiUrl }, clock),
      teamId: () => slack().teamId(),
      redirectUrl,
    }),
    publicUrl,
    redirectUrl,
    samePerson: slackIdentity.samePerson,
    actor: (user) => slack().actor(user),
    sheet: (callKey) => slack().sheet(callKey),
    decideUrl: (callKey) => `${publicUrl()}/decide/${callKey}`,
    listensAt(url) {
      ownUrl = url;
    },
  };
}

/** Warns that rules require approval on the web page, where nobody can sign in. */
export function warnOfMissingSignIn(
  { rules }: Pick<Policy, 'rules'>,
  { publicUrl, slack }: Pick<Env, 'publicUrl' | 'slack'>,
  log: { warn(line: string): void },
): void {
  const names = rules.flatMap(({ name, action, decide_on: place }, index) =>
    action === 'ask' && place === 'web' ? [`"${name ?? `rule ${index + 1}`}"`] : [],
  );
  const missing = missingForSignIn({ publicUrl, slack });
  if (names.length === 0 || slack === null || missing.length === 0) return;
  log.warn(
    `Nobody can approve calls under ${names.join(', ')}: the policy wants that done on the web page (decide_on: web), and signing in there needs ${missing.join(', ')}.`,
  );
}

/**
 * Warns that connect links don't check who opens them: somebody who follows another person's link gives that
 * person their account.
 */
export function warnOfForwardedLinks(
  servers: readonly Pick<ServerStatus, 'name' | 'state'>[],
  env: Pick<Env, 'publicUrl' | 'slack'>,
  log: { warn(line: string): void },
): void {
  const names = servers.flatMap(({ name, state }) =>
    state === 'sign_in_required' || state === 'setup_required' ? [name] : [],
  );
  const missing = missingForSignIn(env);
  if (names.length === 0 || env.slack === null || missing.length === 0) return;
  log.warn(
    `Who opens a link to connect ${names.join(', ')} is not asked who they are: somebody who is sent another person's link, and goes on, gives that person their account. Asking needs ${missing.join(', ')}.`,
  );
}

/** The settings missing for sign-in with Slack on our pages. */
function missingForSignIn({ publicUrl, slack }: Pick<Env, 'publicUrl' | 'slack'>): readonly string[] {
  return [
    ...(publicUrl === null ? ['PUBLIC_URL'] : []),
    ...(slack?.openId === null ? ['SLACK_CLIENT_ID', 'SLACK_CLIENT_SECRET'] : []),
  ];
}
