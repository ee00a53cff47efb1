import { actorLabel, approverInstructions, type CallRecord, PROGRAMS_RULE } from '../gate/types.ts';
import { NOT_RUN, nobodyDecided } from './texts.ts';

/** Why a call didn't run and won't, in sentences for a program; null for one that ran, or still may. */
export function whyNotRun(call: CallRecord): string | null {
  const by = call.decision ? actorLabel(call.decision) : call.requester.name;
  const words = call.decision?.feedback || null;
  switch (call.state) {
    case 'denied':
      // The reason is whole sentences there, and the policy has no part in it.
      return call.verdict.rule === PROGRAMS_RULE && call.verdict.reason !== null
        ? call.verdict.reason
        : NOT_RUN.denied(call.verdict.reason);
    case 'rejected': {
      const [wanted] = approverInstructions(call);
      if (call.decision?.instruction?.kind === 'override' && wanted) {
        return NOT_RUN.instead(wanted.by, wanted.text);
      }
      if (call.decision?.isSentBack && words !== null) return NOT_RUN.sentBack(by, words);
      return NOT_RUN.rejected(by, words);
    }
    case 'ignored':
      return NOT_RUN.ignored(by, words);
    case 'expired': {
      const since = call.timing?.askedSince ?? call.proposedAt;
      const until = call.timing?.decideBy ?? call.endedAt ?? since;
      return nobodyDecided(Math.round((until - since) / 1000));
    }
    case 'cancelled':
      return NOT_RUN.withdrawn(by);
    case 'superseded':
      return NOT_RUN.superseded;
    case 'allowed':
    case 'pending':
    case 'approved':
    case 'executing':
    case 'blocked':
    case 'succeeded':
    case 'failed':
    case 'in_doubt':
      return null;
  }
}
