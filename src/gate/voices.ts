import { isSamePerson } from './actor.ts';
import { refusalOf, type Word, wordOn } from './approvers.ts';
import { delegations } from './delegation-records.ts';
import { everyOf } from './pages.ts';
import type { People } from './people.ts';
import type { GatePorts } from './ports.ts';
import type { Actor, CallRecord, Vote } from './types.ts';

type VoicePorts = Pick<GatePorts, 'store' | 'people' | 'clock'>;

/** What somebody may say of a call, and in whose place if it is not in their own. */
export type Voice =
  | { readonly may: true; readonly step: number; readonly for?: Actor }
  | { readonly may: false; readonly why: string };

/**
 * Whether this person may decide the call at this moment: by their own word, or in the place of somebody whose
 * word counts, is away and named them, or handed them the call.
 * @throws `StandingUnknownError` when it cannot be found out now.
 */
export function voiceOn(ports: VoicePorts, call: CallRecord, actor: Actor): Promise<Voice> {
  return voiceAmong(ports.people, () => delegatorsOf(ports, actor.id, ports.clock()), call, actor);
}

/**
 * As {@link voiceOn}, with those who are away and named this person. Nobody speaks twice: who may decide
 * by themselves does only that, a word in somebody's place is theirs, and it goes no further. Nobody
 * decides in somebody's place what they asked for themselves.
 */
export async function voiceAmong(
  people: People | undefined,
  delegators: () => Promise<readonly Actor[]>,
  call: CallRecord,
  actor: Actor,
): Promise<Voice> {
  const handOvers = call.handOvers ?? [];
  const given = handOvers.find(({ from }) => from.id === actor.id);
  if (given) {
    const why = `You handed this to ${given.to.name}, who decides in your place. Take it back first.`;
    return { may: false, why };
  }
  const own = await wordOn(people, call, actor);
  const hasSpoken = (call.votes ?? []).some((vote) => isSamePerson(vote.actor, actor));
  if (own.may || hasSpoken || call.kind !== 'tool' || isSamePerson(actor, call.requester)) return own;
  const handed = handOvers.filter(({ to }) => to.id === actor.id).map(({ from }) => from);
  const away = (await delegators()).filter(({ id }) => handOvers.every(({ from }) => from.id !== id));
  for (const absent of [...handed, ...away]) {
    const word = await wordOn(people, call, absent);
    if (word.may) return inPlaceOf(people, call, actor, absent, word);
  }
  return own;
}

async function inPlaceOf(
  people: People | undefined,
  call: CallRecord,
  actor: Actor,
  absent: Actor,
  { step }: Extract<Word, { may: true }>,
): Promise<Voice> {
  const standing = (await people?.standing(actor, call.threadId, { fresh: true })) ?? 'member';
  const why = refusalOf(standing);
  return why === null ? { may: true, step, for: absent } : { may: false, why };
}

/** Who was away at that moment and had named this person, and has not taken it back since. */
export async function delegatorsOf(
  { store }: Pick<GatePorts, 'store'>,
  actorId: string,
  at: number,
): Promise<readonly Actor[]> {
  const found = new Map<string, Actor>();
  const range = { prefix: [actorId], from: [actorId, at] };
  for await (const { value } of everyOf(store, delegations, 'byDelegate', range)) {
    if (value.begins <= at && at < value.until) found.set(value.from.id, value.from);
  }
  return [...found.values()];
}

/**
 * Those of an approved call whose word would not count any more, and why; none where no rule names approvers and
 * nobody spoke for anybody. A word in somebody's place stands as long as they did not take back that it might be given.
 */
export async function fallen(
  ports: VoicePorts,
  call: CallRecord,
): Promise<readonly { readonly vote: Vote; readonly why: string }[]> {
  const votes = (call.votes ?? []).filter(({ type }) => type !== 'reject');
  if (call.verdict.approval === undefined && votes.every((vote) => vote.for === undefined)) return [];
  const found = await Promise.all(
    votes.map(async (vote) => {
      // As it was when this vote was cast: those before it, and not itself.
      const before = { ...call, votes: votes.slice(0, votes.indexOf(vote)) };
      const voice = await voiceOf(ports, before, vote);
      return voice.may ? [] : [{ vote, why: voice.why }];
    }),
  );
  return found.flat();
}

function voiceOf(ports: VoicePorts, call: CallRecord, { actor, at, ...vote }: Vote): Promise<Voice> {
  if (vote.for === undefined) return wordOn(ports.people, call, actor);
  return voiceAmong(ports.people, () => delegatorsOf(ports, actor.id, at), call, actor);
}
