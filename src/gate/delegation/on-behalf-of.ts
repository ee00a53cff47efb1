import { scanIndex } from '../../storage/scan.ts';
import { type OwnEligibility, ownEligibility } from '../approval/eligibility.ts';
import type { PeopleDirectory } from '../approval/people.ts';
import { barredReason } from '../approval/separation-of-duties.ts';
import { approvalTally } from '../approval/tally.ts';
import { standingRefusal } from '../approval/texts.ts';
import type { Actor } from '../call/actor.ts';
import type { Vote } from '../call/decision.ts';
import type { CallRecord } from '../call/record.ts';
import type { GatePorts } from '../ports.ts';
import { delegations } from './delegations.ts';

type AuthorityPorts = Pick<GatePorts, 'store' | 'people' | 'clock'>;

/** Whether an actor may decide this call, and on whose behalf. */
export type Authority =
  | { readonly may: true; readonly step: number; readonly for?: Actor }
  | { readonly may: false; readonly why: string };

/**
 * Whether this person may decide the call at this moment: by their own word, or in the place of somebody whose
 * word counts, is away and named them, or handed them the call.
 * @throws `StandingUnknownError` when it cannot be found out now.
 */
export function resolveAuthority(
  ports: AuthorityPorts,
  call: CallRecord,
  actor: Actor,
  word: 'approval' | 'other' = 'approval',
): Promise<Authority> {
  return resolveAuthorityAmong(
    ports.people,
    () => findDelegators(ports, actor.id, ports.clock()),
    call,
    actor,
    word,
  );
}

/** Whether this person may take the call back: whoever asked, and who stands in for them. */
export async function mayWithdraw(ports: AuthorityPorts, call: CallRecord, actor: Actor): Promise<boolean> {
  const { requester } = call;
  if (actor.id === requester.id) return true;
  if (call.kind !== 'tool') return false;
  const named = principalsFor(call, actor, await findDelegators(ports, actor.id, ports.clock()));
  if (!named.some(({ id }) => id === requester.id)) return false;
  const standing = await ports.people.standing(actor, call.threadId, { fresh: true });
  return standingRefusal(standing) === null;
}

/**
 * As {@link resolveAuthority}, with those who are away and named this person. Nobody speaks twice: who may decide
 * by themselves does only that, a word in somebody's place is theirs, and it goes no further. Nobody
 * decides in somebody's place what they asked for themselves, or may not approve for themselves.
 */
export async function resolveAuthorityAmong(
  people: PeopleDirectory,
  delegators: () => Promise<readonly Actor[]>,
  call: CallRecord,
  actor: Actor,
  kind: 'approval' | 'other' = 'approval',
): Promise<Authority> {
  const handOvers = call.handOvers ?? [];
  const given = handOvers.find(({ from }) => from.id === actor.id);
  if (given) {
    const why = `You handed this to ${given.to.name}, who decides in your place. Take it back first.`;
    return { may: false, why };
  }
  const own = await ownEligibility(people, call, actor, kind);
  const hasSpoken = (call.votes ?? []).some((vote) => !vote.earlier && people.samePerson(vote.actor, actor));
  if (own.may || hasSpoken || call.kind !== 'tool' || people.samePerson(actor, call.requester)) return own;
  const bar =
    kind === 'approval' ? barredReason(people, call, { step: approvalTally(call).step, actor }) : null;
  if (bar !== null) return { may: false, why: bar };
  for (const absent of principalsFor(call, actor, await delegators())) {
    const word = await ownEligibility(people, call, absent, kind);
    if (word.may) return onBehalfOf(people, call, actor, absent, word);
  }
  return own;
}

/** In whose place somebody may speak of this call: of those who handed it to them, or are away and gave it to nobody. */
function principalsFor(
  { handOvers = [] }: CallRecord,
  actor: Actor,
  delegators: readonly Actor[],
): readonly Actor[] {
  const handed = handOvers.filter(({ to }) => to.id === actor.id).map(({ from }) => from);
  const away = delegators.filter(({ id }) => handOvers.every(({ from }) => from.id !== id));
  return [...handed, ...away];
}

async function onBehalfOf(
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

/** Who was away at that moment and had named this person, and has not taken it back since. */
export async function findDelegators(
  { store }: Pick<GatePorts, 'store'>,
  actorId: string,
  at: number,
): Promise<readonly Actor[]> {
  const found = new Map<string, Actor>();
  const range = { prefix: [actorId], from: [actorId, at] };
  for await (const { value } of scanIndex(store, delegations, 'byDelegate', range)) {
    if (value.begins <= at && at < value.until) found.set(value.from.id, value.from);
  }
  return [...found.values()];
}

/**
 * Those of an approved call whose word would not count any more, and why; none where no rule names approvers and
 * nobody spoke for anybody. A word in somebody's place stands as long as they did not take back that it might be given.
 */
export async function findLapsedVotes(
  ports: AuthorityPorts,
  call: CallRecord,
): Promise<readonly { readonly vote: Vote; readonly why: string }[]> {
  const votes = (call.votes ?? []).filter(({ type }) => type !== 'reject');
  if (call.verdict.approval === undefined && votes.every((vote) => vote.for === undefined)) return [];
  const found = await Promise.all(
    votes.map(async (vote) => {
      // As it was when this vote was cast: those before it, and not itself.
      const before = { ...call, votes: votes.slice(0, votes.indexOf(vote)) };
      const voice = await voteAuthority(ports, before, vote);
      return voice.may ? [] : [{ vote, why: voice.why }];
    }),
  );
  return found.flat();
}

/** A word in somebody's place is theirs alone: that somebody else named the same person does not uphold it. */
async function voteAuthority(
  ports: AuthorityPorts,
  call: CallRecord,
  { actor, at, for: absent }: Vote,
): Promise<Authority> {
  if (absent === undefined) return ownEligibility(ports.people, call, actor);
  const named = principalsFor(call, actor, await findDelegators(ports, actor.id, at));
  if (!named.some(({ id }) => id === absent.id)) {
    return { may: false, why: `${absent.name} is not spoken for by ${actor.name} any more.` };
  }
  const word = await ownEligibility(ports.people, call, absent);
  return word.may ? onBehalfOf(ports.people, call, actor, absent, word) : word;
}
