import { scanIndex } from '../../storage/scan.ts';
import { type OwnEligibility, ownEligibility } from '../approval/eligibility.ts';
import { type PeopleDirectory, standingRefusal } from '../approval/people.ts';
import { barredReason } from '../approval/separation-of-duties.ts';
import { approvalTally } from '../approval/tally.ts';
import type { Actor } from '../call/actor.ts';
import type { Vote } from '../call/decision.ts';
import type { CallRecord } from '../call/record.ts';
import type { GatePorts } from '../ports.ts';
import { delegationLapsed } from '../texts/notices.ts';
import { delegationNotProven, reassignedByYou } from '../texts/refusals.ts';
import { proveDelegation } from './notes.ts';
import { delegations } from './record.ts';

type AuthorityPorts = Pick<GatePorts, 'store' | 'people' | 'clock' | 'proofs'>;

/** Whether an actor may decide this call, and on whose behalf. */
export type Authority =
  | { readonly may: true; readonly step: number; readonly for?: Actor }
  | { readonly may: false; readonly why: string };

/**
 * Whether this person may decide the call now: in their own name, or on behalf of an eligible person who is
 * away and named them as delegate, or who reassigned the call to them. docs/decisions/0020 explains the
 * rules.
 *
 * @default approves true
 * @throws `StandingUnknownError` when the directory can't say now.
 *
 * @example
 * ```ts
 * // Ana is away and named Bob as her delegate; the rule's approvers are [user:ana].
 * await resolveAuthority(ports, call, bob); // { may: true, step: 0, for: ana }
 * ```
 */
export function resolveAuthority(
  ports: AuthorityPorts,
  call: CallRecord,
  actor: Actor,
  { approves }: { readonly approves?: boolean } = {},
): Promise<Authority> {
  const delegators = () => findDelegators(ports, actor.id, ports.clock());
  return resolveAuthorityAmong(ports.people, call, actor, { delegators, approves });
}

/** Whether this person may withdraw the call: the requester, or somebody on their behalf. */
export async function mayWithdraw(ports: AuthorityPorts, call: CallRecord, actor: Actor): Promise<boolean> {
  const { requester } = call;
  if (actor.id === requester.id) return true;
  if (call.kind !== 'tool') return false;
  const { away } = await findDelegators(ports, actor.id, ports.clock());
  const named = principalsFor(call, actor, away);
  if (!named.some(({ id }) => id === requester.id)) return false;
  const standing = await ports.people.standing(actor, call.threadId, { fresh: true });
  return standingRefusal(standing) === null;
}

/**
 * Like {@link resolveAuthority}, given the people who are away and named this person (`delegators`). Nobody votes twice:
 * whoever may decide in their own name does only that, and a vote on somebody's behalf is theirs and goes no
 * further. Nobody decides on somebody's behalf what they requested themselves, or may not approve for
 * themselves.
 */
export async function resolveAuthorityAmong(
  people: PeopleDirectory,
  call: CallRecord,
  actor: Actor,
  {
    delegators,
    approves = true,
  }: { readonly delegators: () => Promise<Delegators>; readonly approves?: boolean | undefined },
): Promise<Authority> {
  const handOvers = call.handOvers ?? [];
  const handOver = handOvers.find(({ from }) => from.id === actor.id);
  if (handOver) return { may: false, why: reassignedByYou(handOver.to.name) };
  const own = await ownEligibility(people, call, actor, { approves });
  const hasVoted = (call.votes ?? []).some((vote) => !vote.earlier && people.samePerson(vote.actor, actor));
  if (own.may || hasVoted || call.kind !== 'tool' || people.samePerson(actor, call.requester)) return own;
  const bar = approves ? barredReason(people, call, { step: approvalTally(call).step, actor }) : null;
  if (bar !== null) return { may: false, why: bar };
  // The absent person proves no open account by a click.
  const checkEligibility = (absent: Actor) => ownEligibility(people, call, absent, { approves, fresh: true });
  const { away, unproven } = await delegators();
  for (const absent of principalsFor(call, actor, away)) {
    const eligibility = await checkEligibility(absent);
    if (eligibility.may) return authorityForAbsent(people, call, actor, absent, eligibility);
  }
  for (const absent of principalsFor(call, actor, unproven)) {
    if ((await checkEligibility(absent)).may) return { may: false, why: delegationNotProven(absent.name) };
  }
  return own;
}

/**
 * The people on whose behalf somebody may decide: those who reassigned the call to them, or are away and
 * reassigned it to nobody.
 */
function principalsFor(
  { handOvers = [] }: CallRecord,
  actor: Actor,
  delegators: readonly Actor[],
): readonly Actor[] {
  const reassigned = handOvers.filter(({ to }) => to.id === actor.id).map(({ from }) => from);
  const away = delegators.filter(({ id }) => handOvers.every(({ from }) => from.id !== id));
  return [...reassigned, ...away];
}

async function authorityForAbsent(
  people: PeopleDirectory,
  call: CallRecord,
  actor: Actor,
  absent: Actor,
  { step }: Extract<OwnEligibility, { may: true }>,
): Promise<Authority> {
  const standing = await people.standing(actor, call.threadId, { fresh: true });
  const why = standingRefusal(standing);
  return why === null ? { may: true, step, for: absent } : { may: false, why };
}

/** The people who are away and named somebody. */
interface Delegators {
  readonly away: readonly Actor[];
  /** Those of whom only a record says so, which the audit doesn't prove; nobody decides on their behalf. */
  readonly unproven: readonly Actor[];
}

/**
 * The people who were away at that time and had named this delegate, and haven't ended the delegation since.
 */
export async function findDelegators(
  ports: Pick<GatePorts, 'store' | 'proofs'>,
  actorId: string,
  at: number,
): Promise<Delegators> {
  const away = new Map<string, Actor>();
  const unproven = new Map<string, Actor>();
  const range = { prefix: [actorId], from: [actorId, at] };
  for await (const stored of scanIndex(ports.store, delegations, 'byDelegate', range)) {
    const proven = await proveDelegation(ports, stored);
    const { from, to, begins, until, ended } = (proven ?? stored).value;
    // What was read last may say otherwise than what the index named.
    if (to.id !== actorId || ended !== null || begins > at || at >= until) continue;
    (proven ? away : unproven).set(from.id, from);
  }
  return { away: [...away.values()], unproven: [...unproven.values()] };
}

/**
 * The votes on an approved call that would no longer count, and why; none if no rule names approvers and
 * nobody acted on another's behalf. A vote on somebody's behalf stands unless they ended the delegation that
 * allowed it.
 */
export async function findLapsedVotes(
  ports: AuthorityPorts,
  call: CallRecord,
): Promise<readonly { readonly vote: Vote; readonly why: string }[]> {
  const votes = (call.votes ?? []).filter(({ type }) => type !== 'reject');
  if (call.verdict.approval === undefined && votes.every((vote) => vote.for === undefined)) return [];
  const found = await Promise.all(
    votes.map(async (vote) => {
      // The call when this vote was cast: with the votes before it.
      const before = { ...call, votes: votes.slice(0, votes.indexOf(vote)) };
      const authority = await voteAuthority(ports, before, vote);
      return authority.may ? [] : [{ vote, why: authority.why }];
    }),
  );
  return found.flat();
}

/**
 * A vote on somebody's behalf is theirs alone: another person's delegation to the same delegate doesn't
 * uphold it.
 */
async function voteAuthority(
  ports: AuthorityPorts,
  call: CallRecord,
  { actor, at, for: absent }: Vote,
): Promise<Authority> {
  if (absent === undefined) return ownEligibility(ports.people, call, actor);
  const { away } = await findDelegators(ports, actor.id, at);
  const named = principalsFor(call, actor, away);
  if (!named.some(({ id }) => id === absent.id)) {
    return { may: false, why: delegationLapsed(absent.name, actor.name) };
  }
  const eligibility = await ownEligibility(ports.people, call, absent, { fresh: true });
  return eligibility.may ? authorityForAbsent(ports.people, call, actor, absent, eligibility) : eligibility;
}
