import type { CallInput, ElicitationAnswer } from './need.ts';
import { mayServerResume, resetServerResumes } from './page-limits.ts';
import type { CallRecord } from './record.ts';

/**
 * The call after a person's answer to what its server asks before it begins. It may be sent again once no
 * question is open; after one refusal, the rest aren't asked.
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
  const answered = {
    ...call,
    input: { ...input, asked, answers },
    elicitationAnswer: { ...answer, content: null },
  };
  const next = asked[0]?.need;
  if (next) return { ...answered, need: next };
  return resumeCall(resetServerResumes(answered));
}

/** The call, ready to be sent again after it waited for a person. */
export function resumeCall(call: CallRecord): CallRecord {
  return { ...call, state: call.decision ? 'approved' : 'allowed', need: null };
}

/**
 * The server's id for the page that somebody must open before the call continues. Null where there is none,
 * where we sign the person in ourselves, and where the server's notice no longer resumes the call. Servers
 * that ask before they begin get an answer instead, and report no pages.
 */
export function awaitedPage(call: CallRecord): string | null {
  const { state, need } = call;
  if (need?.kind === 'oauth_url') return need.connect || !mayServerResume(call) ? null : need.elicitationId;
  return state === 'executing' ? (need?.page ?? null) : null;
}

/** A person's account at a server. */
export interface SignInAccount {
  readonly server: string;
  readonly personId: string;
}

/** The account that the call waits for a sign-in to; null where it waits for none. */
export function awaitedSignIn({ state, need, requester }: CallRecord): SignInAccount | null {
  if (state !== 'blocked' || need?.kind !== 'oauth_url' || !need.connect) return null;
  return { server: need.connect.server, personId: requester.id };
}

/**
 * The call without the questions and answers between people and its server, which were about the call before
 * an edit.
 */
export function clearServerInput({ input: _input, pages: _pages, ...call }: CallRecord): CallRecord {
  return call;
}

/** How an open form ends when no answer is awaited any more; an answer that was given stays. */
export function closeForm(
  { need, elicitationAnswer }: CallRecord,
  closed: NonNullable<ElicitationAnswer['closed']>,
): ElicitationAnswer | null {
  if (need?.kind === 'form_elicitation') {
    return { action: 'cancel', content: null, closed, elicitationId: need.elicitationId };
  }
  // A form's answer is for the server alone, so its content goes. That it was given stays.
  return elicitationAnswer && { ...elicitationAnswer, content: null };
}
