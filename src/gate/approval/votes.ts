import type { Actor } from '../call/actor.ts';
import type { DecisionType, Vote } from '../call/decision.ts';
import type { CallRecord } from '../call/record.ts';
import { visibleSince } from './deadline.ts';
import type { PersonIdentity } from './people.ts';
import { approvalTally, approvalTerms } from './tally.ts';

/** The call after one more vote: decided if that was the last one it needed. */
export function castVote(identity: PersonIdentity, call: CallRecord, cast: Vote): CallRecord {
  const vote = { ...cast, askedSince: visibleSince(call, cast.type) };
  const votes = [...(call.votes ?? []).filter((one) => !isReplaced(identity, one, vote)), vote];
  const voted = { ...call, votes };
  const { step, rejected } = approvalTally(voted);
  const terms = approvalTerms(call);
  const { actor, at, feedback, isSentBack, for: absent, via, remembered } = vote;
  const isAlone = call.verdict.approval === undefined && vote.for === undefined;
  // Where one person decides, the decision alone says everything.
  const kept = isAlone ? call : voted;
  if (vote.type === 'reject') {
    if (rejected.length < terms.rejections) return voted;
    const instead =
      vote.instead && feedback !== null ? { text: feedback, kind: 'override' as const } : undefined;
    return {
      ...kept,
      state: 'rejected',
      decision: { type: 'reject', actor, at, feedback, isSentBack, instruction: instead, for: absent, via },
      endedAt: at,
    };
  }
  if (step < terms.steps.length) return voted;
  const type: DecisionType = votes.some((one) => one.type === 'edit') ? 'edit' : 'approve';
  const noted = votes.filter((one) => one.type !== 'reject' && one.instruction !== undefined);
  const text = noted.map((one) => one.instruction).join('\n');
  const isBesides = noted.every(({ besides }) => besides);
  const instruction = text === '' ? undefined : { text, kind: isBesides ? ('enhance' as const) : null };
  const decision = { type, actor, at, feedback, for: absent, via, instruction, remembered };
  return { ...kept, state: 'approved', decision };
}

/**
 * A person's vote on a call, which bars them from another; undefined where they have none. Everybody has at
 * most one, in whatever step and on whosever behalf.
 */
export function findVote(
  identity: PersonIdentity,
  { votes = [] }: CallRecord,
  actor: Pick<Actor, 'id'>,
): Vote | undefined {
  return votes.find(
    (vote) =>
      !vote.earlier &&
      (identity.samePerson(vote.actor, actor) || (vote.for && identity.samePerson(vote.for, actor))),
  );
}

/**
 * Whether a vote replaces an earlier one: a rejection from before an edit counts until the same person votes
 * again.
 */
function isReplaced(identity: PersonIdentity, one: Vote, vote: Vote): boolean {
  if (!one.earlier) return false;
  return (
    identity.samePerson(one.actor, vote.actor) ||
    identity.samePerson(one.for ?? one.actor, vote.for ?? vote.actor)
  );
}

/** The votes that survive an edit: one approver's edit must not undo another's rejection. */
export function carryOverRejections({ votes = [] }: CallRecord): readonly Vote[] {
  return votes.filter(({ type }) => type === 'reject').map((vote) => ({ ...vote, earlier: true as const }));
}
