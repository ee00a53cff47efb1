import type { Env, OpenIdClient, SlackSettings } from '../config/env.ts';
import type { FileConfig } from '../config/file.ts';
import type { PeopleDirectory, Policy } from '../gate/types.ts';
import {
  type ApiKeys,
  type Authorization,
  createAuthorization,
  createDecideUrl,
  createOpenId,
  createSignIn,
  type WebPorts,
} from '../http/index.ts';
import { type Clock, randomSecret } from '../lib/clock.ts';
import type { Logger } from '../lib/logger.ts';
import { createGuardedFetch } from '../lib/net/guarded-fetch.ts';
import type { OwnAddress } from '../lib/net/own-address.ts';
import type { ServerStatus } from '../mcp/ports.ts';
import { type DashboardLinks, type DecisionPages, slackIdentity } from '../slack/index.ts';
import type { Store } from '../storage/store.ts';
import { createAccountCheck } from './dashboard/account-check.ts';
import {
  approvedByLink,
  nobodyCanApprove,
  nobodyLetsProgramsIn,
  ruleName,
  uncheckedConnectLinks,
} from './texts/start.ts';

interface WebDecisionPorts {
  readonly env: Pick<Env, 'publicUrl'>;
  /** Null where people can't sign in with Slack. */
  readonly openId: OpenIdClient | null;
  readonly apiUrl: string | null;
  readonly store: Store;
  readonly clock: Clock;
  readonly address: OwnAddress;
  readonly pages: DecisionPages;
  readonly onChange: WebPorts['onChange'];
  readonly keys: Pick<ApiKeys, 'hashInForce'>;
  readonly people: Pick<PeopleDirectory, 'standing'>;
}

/**
 * The client that people sign in on the web with; null where they can't. Slack redirects them to an address
 * configured in its app, so a real Slack needs PUBLIC_URL in addition to the client's id and secret; the
 * emulator redirects to wherever this program listens.
 */
export function webSignInClient(
  { publicUrl }: Pick<Env, 'publicUrl'>,
  { openId }: Pick<SlackSettings, 'openId'>,
  { isEmulated }: { readonly isEmulated: boolean },
): OpenIdClient | null {
  return publicUrl !== null || isEmulated ? openId : null;
}

/**
 * Whether people can sign in to decide what a rule wants decided on the web: with Slack, or by a link where there is an
 * address that they reach it at.
 */
export function canDecideOnWeb({ publicUrl }: Pick<Env, 'publicUrl'>, openId: OpenIdClient | null): boolean {
  return openId !== null || publicUrl !== null;
}

/** Composes sign-in and decision pages. */
export function createWebDecisions(ports: WebDecisionPorts) {
  const { env, openId, apiUrl, store, clock, address, pages, onChange, keys, people } = ports;
  const isAccountOpen = createAccountCheck(people, clock);
  const signIn = createSignIn({
    store,
    clock,
    secrets: randomSecret,
    openId: openId && createOpenId({ ...openId, apiUrl, teamId: pages.teamId }, clock),
    publicUrl: address.url,
    // While Slack doesn't say, people stay signed in: the gate asks again before they decide, and admins have their own check.
    isOpen: async (user) => isAccountOpen((await pages.actor(user)).id).catch(() => true),
    keyHash: keys.hashInForce,
  });
  return {
    signIn,
    isLinkEnough: openId === null && canDecideOnWeb(env, openId),
    publicUrl: address.url,
    samePerson: slackIdentity.samePerson,
    actor: pages.actor,
    sheet: pages.sheet,
    sheets: pages.sheets,
    plan: pages.plan,
    headlines: pages.headlines,
    place: pages.place,
    onChange,
    decideUrl: canDecideOnWeb(env, openId) ? createDecideUrl(address.url) : null,
    // Where nobody has said what people reach, it's the address that this program listens at.
    dashboardLinks: { offer: signIn.offerLink, isLocal: !canDecideOnWeb(env, openId) },
  } satisfies WebPorts & {
    readonly decideUrl: ((callKey: string) => string) | null;
    readonly dashboardLinks: DashboardLinks;
  };
}
export type WebDecisions = ReturnType<typeof createWebDecisions>;

interface PersonalProgramPorts {
  readonly file: Pick<FileConfig, 'personal_programs'>;
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Logger;
  readonly address: OwnAddress;
  readonly people: Pick<PeopleDirectory, 'standing'>;
  readonly pages: Pick<DecisionPages, 'actor'>;
}

/** How long the description of a client may take, in milliseconds, and how long it may be, in bytes. */
const DESCRIPTION = { timeoutMs: 5_000, maxBytes: 64 * 1024 };

/** Composes how people let programs of their own in; null unless the operator lets them. */
export function createPersonalPrograms(ports: PersonalProgramPorts): Authorization | null {
  const { file, address, people, pages } = ports;
  const settings = file.personal_programs;
  if (settings === undefined) return null;
  return createAuthorization({
    ...ports,
    settings,
    publicUrl: address.url,
    async isMember(person, options) {
      const standing = await people.standing(await pages.actor(person), '', options);
      return standing === 'member' || standing === 'guest';
    },
    fetch: createGuardedFetch({ reach: 'public', ...DESCRIPTION }),
  });
}

/** Warns that rules require approval on the web page, where nobody can sign in, or only by a link from Slack. */
export function warnOfMissingSignIn(
  { rules }: Pick<Policy, 'rules'>,
  { publicUrl, slack }: Pick<Env, 'publicUrl' | 'slack'>,
  log: { warn(line: string): void },
): void {
  const names = rules.flatMap(({ name, action, decide_on: place }, index) =>
    action === 'ask' && place === 'web' ? [ruleName(name, index)] : [],
  );
  const missing = missingForSignIn({ publicUrl, slack });
  if (names.length === 0 || slack === null || missing.length === 0) return;
  log.warn(publicUrl === null ? nobodyCanApprove(names) : approvedByLink(names, missing));
}

/** Warns that people may connect programs of their own, but can't sign in for it. */
export function warnOfUnreachablePrograms(
  { personal_programs: settings }: Pick<FileConfig, 'personal_programs'>,
  env: Pick<Env, 'publicUrl' | 'slack'>,
  log: { warn(line: string): void },
): void {
  const missing = missingForSignIn(env);
  if (settings === undefined || env.slack === null || missing.length === 0) return;
  log.warn(nobodyLetsProgramsIn(missing));
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
  log.warn(uncheckedConnectLinks(names, missing));
}

/** The settings missing for sign-in with Slack on our pages. */
function missingForSignIn({ publicUrl, slack }: Pick<Env, 'publicUrl' | 'slack'>): readonly string[] {
  return [
    ...(publicUrl === null ? ['PUBLIC_URL'] : []),
    ...(slack?.openId === null ? ['SLACK_CLIENT_ID', 'SLACK_CLIENT_SECRET'] : []),
  ];
}
