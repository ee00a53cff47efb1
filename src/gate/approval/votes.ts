import { isSamePerson } from '../call/actor.ts';
import type { DecisionType, Vote } from '../call/decision.ts';
import type { CallRecord } from '../call/record.ts';
import { visibleSince } from './deadline.ts';
import { approvalTally, approvalTerms } from './tally.ts';

/** The call with one more word on it: decided if that was the last that it needed. */
export function castVote(call: CallRecord, cast: Vote): CallRecord {
  const vote = { ...cast, askedSince: visibleSince(call, cast.type) };
  const votes = [...(call.votes ?? []).filter((one) => !isReplaced(one, vote)), vote];
  const said = { ...call, votes };
  const { step, rejected } = approvalTally(said);
  const terms = approvalTerms(call);
  const { actor, at, feedback } = vote;
  const place = { ...(vote.for ? { for: vote.for } : {}), ...(vote.via ? { via: vote.via } : {}) };
  const isAlone = call.verdict.approval === undefined && vote.for === undefined;
  // Where one person's word is enough, the decision says it all.
  const kept = isAlone ? call : said;
  if (vote.type === 'reject') {
    if (rejected.length < terms.rejections) return said;
    return {
      ...kept,
      state: 'rejected',
      decision: { type: 'reject', actor, at, feedback, ...place },
      endedAt: at,
    };
  }
  if (step < terms.steps.length) return said;
  const type: DecisionType = votes.some((one) => one.type === 'edit') ? 'edit' : 'approve';
  const text = votes.flatMap(({ instruction }) => instruction ?? []).join('\n');
  const instruction = text === '' ? {} : { instruction: { text, kind: null } };
  const remembered = vote.remembered ? { remembered: vote.remembered } : {};
  const decision = { type, actor, at, feedback, ...place, ...instruction, ...remembered };
  return { ...kept, state: 'approved', decision };
}

/** Whoever rejected the call as it was before has a word on it as it is now, and that is the one that counts. */
function isReplaced(one: Vote, vote: Vote): boolean {
  if (!one.earlier) return false;
  return isSamePerson(one.actor, vote.actor) || isSamePerson(one.for ?? one.actor, vote.for ?? vote.actor);
}

/** What stays of the words on a call when it becomes another: one approver's changes must not undo a rejection. */
export function carryOverRejections({ votes = [] }: CallRecord): readonly Vote[] {
  return votes.filter(({ type }) => type === 'reject').map((vote) => ({ ...vote, earlier: true as const }));
}
