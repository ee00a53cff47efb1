import type { CallInput, ElicitationAnswer } from './need.ts';
import { mayServerResume, resetServerResumes } from './page-limits.ts';
import type { CallRecord } from './record.ts';

/**
 * The call after a person's answer to what its server asks before it begins. It may be sent again once nothing is left
 * to ask; whoever refuses one thing is not asked for the rest.
 */
export function applyAnswer(call: CallRecord, input: CallInput, answer: ElicitationAnswer): CallRecord {
  const [now, ...later] = input.asked;
  const isRefused = answer.action !== 'accept';
  const refused: ElicitationAnswer = { action: 'cancel', content: null };
  const answers: CallInput['answers'] = {
    ...input.answers,
    ...(now ? { [now.key]: answer } : {}),
    ...(isRefused ? Object.fromEntries(later.map(({ key }) => [key, refused])) : {}),
  };
  const asked = isRefused ? [] : later;
  const told = {
    ...call,
    input: { ...input, asked, answers },
    elicitationAnswer: { ...answer, content: null },
  };
  const next = asked[0]?.need;
  if (next) return { ...told, need: next };
  return resumeCall(resetServerResumes(told));
}

/** A call that waited for a person, now that it may be sent again. */
export function resumeCall(call: CallRecord): CallRecord {
  return { ...call, state: call.decision ? 'approved' : 'allowed', need: null };
}

/**
 * The server's own name for the page that somebody is to open before the call goes on; null where there is none, where
 * we sign them in ourselves, and where the server's word alone is not enough any more. Servers that ask before they
 * begin get an answer, and say nothing of pages.
 */
export function awaitedPage(call: CallRecord): string | null {
  const { state, need } = call;
  if (need?.kind === 'oauth_url') return need.connect || !mayServerResume(call) ? null : need.elicitationId;
  return state === 'executing' ? (need?.page ?? null) : null;
}

/** The server that the call waits for a sign-in to, and the id of whose it has to be; null where it waits for none. */
export function awaitedSignIn({ state, need, requester }: CallRecord): readonly [string, string] | null {
  if (state !== 'blocked' || need?.kind !== 'oauth_url' || !need.connect) return null;
  return [need.connect.server, requester.id];
}

/** The call without what passed between people and its server: it is not the call any more that it was about. */
export function clearServerInput({ input: _said, pages: _asked, ...call }: CallRecord): CallRecord {
  return call;
}

/** How a form that stands open ends when nobody's answer is waited for any more; what was answered stays. */
export function closeForm(
  { need, elicitationAnswer }: CallRecord,
  closed: NonNullable<ElicitationAnswer['closed']>,
): ElicitationAnswer | null {
  if (need?.kind === 'form_elicitation') {
    return { action: 'cancel', content: null, closed, elicitationId: need.elicitationId };
  }
  // A form's answer is for the server alone, so what it held goes; that it was given stays.
  return elicitationAnswer && { ...elicitationAnswer, content: null };
}
