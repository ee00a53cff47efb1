import type { JsonObject } from '../json.ts';
import { isSamePerson } from './actor.ts';
import { mayTell, tallyOf, termsOf, whoDecides } from './approvers.ts';
import { argumentProblems } from './arguments.ts';
import { asksForMore } from './asked-again.ts';
import { isTooLate } from './call-timing.ts';
import { confirmationProblems } from './confirmation.ts';
import { alreadyDecided } from './decision-words.ts';
import type { DecisionInput } from './decisions.ts';
import { callDigest } from './digest.ts';
import { settled } from './doubt.ts';
import { takenBack } from './endings.ts';
import { stricter } from './policy-strictness.ts';
import type { GatePorts } from './ports.ts';
import { type RefusalCode, RefusalError } from './refusal.ts';
import {
  type Actor,
  type CallRecord,
  type DecisionType,
  isDoubtWord,
  type Verdict,
  type Vote,
} from './types.ts';
import { voiceOn } from './voices.ts';

const MORE_NOW = 'The policy asks for more than when people were asked.';

type Refuse = (code: RefusalCode, message: string, details?: readonly string[]) => never;

/** The call after one person's word on it; rejects with RefusalError when the word does not apply. */
export async function applyDecision(
  ports: GatePorts,
  call: CallRecord,
  input: DecisionInput,
  actor: Actor,
): Promise<CallRecord> {
  const refuse: Refuse = (code, message, details = []) => {
    throw new RefusalError(code, message, call, details);
  };
  const now = ports.clock();
  const { type } = input;
  if (isDoubtWord(type)) {
    if (!(await mayTell(ports.people, call, actor))) {
      const { name } = call.requester;
      const who = call.verdict.approval === undefined ? name : `${name}, or who could have approved it,`;
      refuse('not_allowed', `Only ${who} may decide this. Nothing was changed.`);
    }
    return settled({ call, digest: input.digest, word: type, actor, now });
  }
  const isOver = call.state !== 'pending';
  const word = await voiceOn(ports, call, actor);
  // Whoever asked may always take it back.
  if (!word.may && !(type === 'withdraw' && actor.id === call.requester.id)) {
    const hasSaid = call.votes?.some((vote) => isSamePerson(vote.actor, actor)) === true;
    const isDecided = isOver && call.decision !== null;
    const why = isDecided ? alreadyDecided(call, actor) : `${word.why} Nothing was changed.`;
    const isLate = isDecided && call.verdict.approval !== undefined;
    refuse(hasSaid || isLate ? 'already_decided' : 'not_allowed', why);
  }
  if (isOver) refuse('already_decided', alreadyDecided(call, actor));
  if (isTooLate(call, now)) {
    refuse('expired', 'This was open until its deadline, which has passed. Nothing was done; ask again.');
  }
  if (input.digest !== null && input.digest !== call.digest) {
    refuse(
      'changed',
      'This is not what was shown to you any more. Nothing was done; look at the card again.',
    );
  }
  if (type === 'withdraw') return takenBack(call, 'cancelled', actor, now);
  if ((call.kind === 'question') !== (type === 'answer') && type !== 'ignore') {
    refuse('not_applicable', 'An action is approved or rejected, a question is answered. Nothing was done.');
  }
  const feedback = input.feedback?.trim() || null;
  const place = word.may && word.for ? { for: word.for } : {};
  const decision = { type, actor, at: now, feedback, ...place };
  const step = word.may ? word.step : 0;
  const said = { actor, at: now, step, feedback, ...place };
  switch (type) {
    case 'approve': {
      const verdict = permitted(ports, call, call.arguments, refuse);
      const problems = Object.values(confirmationProblems({ ...call, verdict }, input.typed));
      if (problems.length > 0) {
        refuse('confirmation_required', `${problems.join(' ')} Nothing was done.`, problems);
      }
      const instruction = input.instruction?.trim();
      const wanted = instruction ? { instruction } : {};
      const vote = { type, ...said, ...wanted };
      if (!asksForMore(call.verdict, verdict)) return counted({ ...call, verdict }, vote);
      // Whatever was said before was said to less; this word may not be the first that is wanted now.
      const anew: CallRecord = { ...call, verdict, votes: [], askedAgain: MORE_NOW };
      const voice = await voiceOn(ports, anew, actor);
      return voice.may ? counted(anew, { ...vote, step: voice.step }) : anew;
    }
    case 'ignore':
      if (termsOf(call).rejections > 1) {
        refuse('not_applicable', 'It takes several people to end this: reject it instead. Nothing was done.');
      }
      return { ...call, state: 'ignored', decision, endedAt: now };
    case 'reject':
      if (feedback === null) {
        return refuse('feedback_required', 'A rejection needs a reason, so that the agent can do better.');
      }
      return counted(call, { type, ...said });
    case 'answer':
      if (feedback === null) return refuse('feedback_required', 'The answer is empty. Nothing was sent.');
      return {
        ...call,
        state: 'succeeded',
        decision,
        endedAt: now,
        outcome: { status: 'succeeded', content: [{ type: 'text', text: feedback }], structured: null },
      };
    case 'edit': {
      const args = input.arguments ?? refuse('invalid_arguments', 'An edit needs the new arguments.');
      return edited(ports, call, args, { type, ...said }, refuse);
    }
  }
}

/** The call with new arguments: whatever was said of the old ones counts no more. */
async function edited(
  ports: GatePorts,
  call: CallRecord,
  args: JsonObject,
  vote: Vote,
  refuse: Refuse,
): Promise<CallRecord> {
  const problems = argumentProblems(ports, call.tool.inputSchema, args);
  if (problems.length > 0) {
    refuse(
      'invalid_arguments',
      `The changes do not fit: ${problems.join('; ')}. Nothing was done.`,
      problems,
    );
  }
  const verdict = permitted(ports, call, args, refuse);
  const digest = callDigest({
    server: call.tool.server,
    tool: call.tool.name,
    definitionHash: call.tool.definitionHash,
    arguments: args,
  });
  // What was typed for the old value does not stand for the new one, nor does a form that holds it.
  const mustType = (verdict.confirmByTyping ?? []).length > 0;
  if (digest === call.digest && mustType) {
    refuse('confirmation_required', 'Nothing was changed. To approve it, type what the policy wants typed.');
  }
  // A form that was sent as it stood: nothing was changed by hand, and nothing shall say so.
  if (digest === call.digest) return counted({ ...call, verdict }, { ...vote, type: 'approve' });
  const { votes: _said, ...unsaid } = call;
  const changed: CallRecord = { ...unsaid, arguments: args, digest, verdict };
  if (mustType) {
    return {
      ...changed,
      votes: [],
      askedAgain: `${vote.actor.name} changed it, and it is not approved yet.`,
    };
  }
  // The changes may need other people's approval than the call did.
  const { for: _absent, ...own } = vote;
  const word = await voiceOn(ports, changed, vote.actor);
  return word.may
    ? counted(changed, { ...own, step: word.step, ...(word.for ? { for: word.for } : {}) })
    : {
        ...changed,
        votes: [],
        askedAgain: `${vote.actor.name} changed it; ${await whoDecides(ports.people, changed)} must approve it now.`,
      };
}

/** The call with one more word on it: decided if that was the last that it needed. */
function counted(call: CallRecord, vote: Vote): CallRecord {
  const votes = [...(call.votes ?? []), vote];
  const said = { ...call, votes };
  const { step, rejected } = tallyOf(said);
  const terms = termsOf(call);
  const { actor, at, feedback } = vote;
  const place = vote.for ? { for: vote.for } : {};
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
  return { ...kept, state: 'approved', decision: { type, actor, at, feedback, ...place, ...instruction } };
}

/**
 * The policy's word on a call that is about to be approved. It may have become stricter since people were
 * asked, and with other arguments another rule may apply; it never becomes laxer.
 */
function permitted(ports: GatePorts, call: CallRecord, args: JsonObject, refuse: Refuse): Verdict {
  const now = ports.evaluate({ server: call.tool.server, tool: call.tool.name, arguments: args });
  if (now.action === 'deny') {
    refuse('denied_by_policy', `The policy does not allow this (${now.rule}). Nothing was done.`);
  }
  return stricter(call.verdict, now);
}
