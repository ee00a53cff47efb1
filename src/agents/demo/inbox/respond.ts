import { correctedCall } from '../corrections.ts';
import { readAnswers } from '../questions.ts';
import {
  type DemoCall,
  type DemoInput,
  type DemoReply,
  type EndedCall,
  readTurn,
  type Turn,
} from '../turn.ts';
import { isForeign } from '../wording.ts';
import { draftReply } from './draft.ts';
import { findMail, findOwner, firstQuestion, type Mail, type Owner } from './mail.ts';
import { findFree, findMeeting, sayWhen, toLookUp, toMeeting } from './meeting.ts';
import { ASK, DRAFT, ENDED } from './texts.ts';

/** What the reply is made of. */
interface Work {
  readonly mail: Mail;
  readonly owner: Owner;
  readonly turn: Turn;
  readonly input: DemoInput;
}

const SENDS = ['send_email', 'schedule_meeting'];
/** The words with which the program has a mail answered: nobody's wish. */
const STANDING = /^(?:answer the mail that came|a mail came)\b/i;
const COMPLAINS =
  /\b(?:complain\w*|annoyed|angry|unacceptable|disappointed|refund|third time|still (?:not|waiting)|where is my)\b/i;
const ONLY_OWNER =
  /\b(?:do you (?:want|prefer|like|think)|would you (?:like|prefer|rather)|shall (?:I|we)|should (?:I|we)|which (?:one|of)|how (?:long|many|much) should|are you (?:coming|free|available)|is it (?:all right|ok)|can you (?:come|pay|approve|sign))\b/i;
const SHORTER = /\b(?:shorter|briefer|too long|keep it short)\b/i;
const FRIENDLIER = /\b(?:friendlier|warmer|less formal)\b/i;
const FORMAL = /\b(?:more formal(?:ly)?|more polite(?:ly)?)\b/i;
const SAY =
  /^(?:please |no,? |and )*(?:say|tell (?:him|her|them)|write|answer|reply|let (?:him|her|them) know)(?: that)?[ :,]+(.+)$/is;
const ALSO = /^(?:please |and )*(?:add|mention|also say)(?: that)?[ :,]+(.+)$/is;

/** The reply as the agent that answers mails; null where the model isn't asked as that. */
export function replyToMail(input: DemoInput): DemoReply | null {
  const isAgent = ['send_email', 'Done'].every((name) => input.tools.some((tool) => tool.name === name));
  const mail = isAgent ? findMail(input.messages) : null;
  if (mail === null) return null;
  const { turn } = readTurn(input.messages);
  return nextStep({ mail, owner: findOwner(input.messages), turn, input });
}

function nextStep(work: Work): DemoReply {
  const { turn } = work;
  const sent = turn.calls.filter(({ name }) => SENDS.includes(name));
  const redrafted = turn.latest.flatMap((call) => redraft(call, work));
  if (redrafted.length > 0) return { toolCalls: redrafted };
  const failed = sent.find(({ status }) => status === 'not_done');
  if (failed !== undefined) return { text: ENDED.notSent(failed.text) };
  if (sent.length > 0) return answerUnclear(work) ?? { toolCalls: [{ name: 'Done', arguments: {} }] };
  const wish = STANDING.test(turn.message.trim()) ? null : turn.message;
  if (wish !== null) return { toolCalls: [send(work, [asSentence(wish)])] };
  return draft(work);
}

/** A first answer, or what has to be looked up or asked before it. */
function draft(work: Work): DemoReply {
  const { mail, turn } = work;
  const [said] = readAnswers(turn, 'Question');
  if (said !== undefined) return { toolCalls: [send(work, [asSentence(said)])] };
  const [warning] = mail.warnings;
  if (warning !== undefined) return ask(ASK.suspicious(warning));
  if (isForeign(mail.text)) return ask(ASK.foreign);
  const meeting = answerMeeting(work);
  if (meeting !== null) return meeting;
  const unread = mail.attachments.find(({ id, kind }) => kind.startsWith('text/') && !isRead(id, turn));
  if (unread !== undefined && hasTool(work, 'read_attachment')) {
    const args = { message_id: mail.id, attachment_id: unread.id };
    return { toolCalls: [{ name: 'read_attachment', arguments: args }] };
  }
  const question = firstQuestion(mail.text);
  if (COMPLAINS.test(`${mail.subject}\n${mail.text}`)) {
    const order = /\border \w*\d\w*\b/i.exec(`${mail.subject}\n${mail.text}`)?.[0].toLowerCase();
    return { toolCalls: [send(work, [DRAFT.complaint(order ?? DRAFT.theOrder)])] };
  }
  if (question !== null && ONLY_OWNER.test(mail.text)) return ask(ASK.decide(question));
  const files = mail.attachments.filter(({ id }) => isRead(id, turn)).map(({ name }) => name);
  const opening = files.length > 0 ? DRAFT.read(files.join(', ')) : DRAFT.thanks;
  return { toolCalls: [send(work, [opening, ...(question === null ? [] : [DRAFT.willAnswer(question)])])] };
}

/** The meeting and the reply that says so, after a look at the calendar; null where no meeting is asked for, or can be made. */
function answerMeeting(work: Work): DemoReply | null {
  const { mail, owner, turn, input } = work;
  const meeting = findMeeting(mail, owner, input);
  if (meeting === null || !hasTool(work, 'check_calendar') || !hasTool(work, 'schedule_meeting')) return null;
  const look = turn.calls.find(({ name, status }) => name === 'check_calendar' && status === 'done');
  if (look === undefined)
    return { toolCalls: [{ name: 'check_calendar', arguments: toLookUp(meeting, input) }] };
  const slot = findFree(meeting, look, input);
  if (slot === null) return { toolCalls: [send(work, [DRAFT.noTime])] };
  return {
    toolCalls: [
      { name: 'schedule_meeting', arguments: toMeeting(meeting, slot, { mail, moment: input }) },
      send(work, [DRAFT.meeting(sayWhen(slot))]),
    ],
  };
}

/** A draft anew, as somebody who was asked about it wants it. */
function redraft(call: EndedCall, work: Work): readonly DemoCall[] {
  if (call.rejection === null || !SENDS.includes(call.name)) return [];
  const { feedback } = call.rejection;
  if (call.name === 'schedule_meeting') return [correctedCall(call, feedback, work.input) ?? []].flat();
  const body = reword(String(call.arguments.body ?? ''), feedback);
  return body === null ? [] : [{ name: call.name, arguments: { ...call.arguments, body } }];
}

/** The text of a draft as somebody wants it; null where the wish isn't understood. */
function reword(body: string, wish: string): string | null {
  const [greeting = '', ...rest] = body.split('\n\n');
  const [signOff = '', text] = [rest.at(-1), rest.slice(0, -1).join('\n\n')];
  const withText = (words: string) => [greeting, words, signOff].join('\n\n');
  const also = ALSO.exec(wish.trim())?.[1];
  if (also !== undefined) return withText(`${text} ${asSentence(also)}`);
  const instead = SAY.exec(wish.trim())?.[1];
  if (instead !== undefined) return withText(asSentence(instead));
  if (SHORTER.test(wish)) return withText(/^[^.!?]+[.!?]/.exec(text)?.[0] ?? text);
  if (FORMAL.test(wish)) return reframe(body, DRAFT.formalHello, DRAFT.formalBest);
  if (FRIENDLIER.test(wish)) return reframe(body, DRAFT.hello, DRAFT.friendlyBest);
  return null;
}

/** The same with another greeting and sign-off. */
function reframe(body: string, hello: string, best: string): string {
  return body.replace(/^(?:Hi|Hello|Hey|Dear)\b/, hello).replace(/\n\n[^\n]*,(?=\n[^\n]*$)/, `\n\n${best}`);
}

/** Asks for the words of a reply that was sent back with a wish that isn't understood. */
function answerUnclear(work: Work): DemoReply | null {
  const { turn } = work;
  const sentBack = turn.calls.findLast(({ name }) => name === 'send_email')?.rejection;
  if (!sentBack) return null;
  const said = readAnswers(turn, 'Question');
  const asked = turn.latest.some(({ name }) => name === 'Question');
  const last = said.at(-1);
  if (asked && last !== undefined) return { toolCalls: [send(work, [asSentence(last)])] };
  return ask(ASK.notUnderstood(sentBack.feedback));
}

function send({ mail, owner }: Work, sentences: readonly string[]): DemoCall {
  return { name: 'send_email', arguments: draftReply(mail, owner, sentences) };
}

function ask(question: string): DemoReply {
  return { toolCalls: [{ name: 'Question', arguments: { question, context: ASK.onlyYou } }] };
}

function hasTool({ input }: Work, name: string): boolean {
  return input.tools.some((tool) => tool.name === name);
}

function isRead(attachment: string, { calls }: Turn): boolean {
  return calls.some(
    ({ name, arguments: args }) => name === 'read_attachment' && args.attachment_id === attachment,
  );
}

/** What somebody wants said, as a sentence: “say that …” without these words. */
function asSentence(words: string): string {
  const said = (SAY.exec(words.trim())?.[1] ?? words).trim();
  const whole = said.charAt(0).toUpperCase() + said.slice(1);
  return /[.!?…]$/.test(whole) ? whole : `${whole}.`;
}
