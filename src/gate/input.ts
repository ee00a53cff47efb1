import type { CallInput, CallRecord, ElicitationAnswer } from './types.ts';

/**
 * The call after a person's answer to what its server asks before it begins. It may be sent again once nothing is left
 * to ask; whoever refuses one thing is not asked for the rest.
 */
export function withAnswer(call: CallRecord, input: CallInput, answer: ElicitationAnswer): CallRecord {
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
  return { ...told, state: call.decision ? 'approved' : 'allowed', need: null };
}

/** The call without what was said for its server alone: it is not the call any more that it was said for. */
export function withoutInput({ input: _said, ...call }: CallRecord): CallRecord {
  return call;
}

/** How a form that stands open ends when nobody's answer is waited for any more; what was answered stays. */
export function closedForm(
  { need, elicitationAnswer }: CallRecord,
  closed: NonNullable<ElicitationAnswer['closed']>,
): ElicitationAnswer | null {
  if (need?.kind === 'form_elicitation') {
    return { action: 'cancel', content: null, closed, elicitationId: need.elicitationId };
  }
  // A form's answer is for the server alone, so what it held goes; that it was given stays.
  return elicitationAnswer && { ...elicitationAnswer, content: null };
}
