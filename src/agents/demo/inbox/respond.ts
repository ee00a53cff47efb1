import type { JsonObject } from '../../../lib/json.ts';
import { toLine } from '../../../lib/text/model-answer.ts';
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
import { asSentence, draftReply, redraftReply } from './draft.ts';
import { findDraft, findMail, findOwner, firstQuestion, type Mail, type Owner } from './mail.ts';
import { findFree, findMeeting, isFollowed, sayWhen, toLookUp, toMeeting } from './meeting.ts';
import { ASK, DRAFT, ENDED } from './texts.ts';
import { readWishes } from './wishes.ts';

/** What the reply is made of. */
interface Work {
  readonly mail: Mail;
  readonly owner: Owner;
  readonly turn: Turn;
  readonly input: DemoInput;
}

/** A call, and what of somebody's words isn't followed in it. */
interface Drafted {
  readonly call: DemoCall;
  readonly unfollowed: readonly string[];
}

const SENDS = ['send_email', 'schedule_meeting'];
/** The words with which the program has a mail answered, and those of somebody who only wants that to go on: nobody's wish. */
const STANDING =
  /^(?:answer the mail that came\b.*|a mail came\b.*|(?:please |now |ok,? )*(?:try|draft|answer|reply|write|go on|continue)(?: (?:it|the|this|that|a|an|mail|answer|reply|draft|again|anew|once|more|now|please|to|him|her|them))*[.!]?)$/is;
const COMPLAINS =
  /\b(?:complain\w*|annoyed|angry|unacceptable|disappointed|refund|third time|still (?:not|waiting)|where is my)\b/i;
const ONLY_OWNER =
  /\b(?:do you (?:want|prefer|like|think)|would you (?:like|prefer|rather)|shall (?:I|we)|should (?:I|we)|which (?:one|of)|how (?:long|many|much) should|are you (?:coming|free|available)|is it (?:all right|ok)|can you (?:come|pay|approve|sign))\b/i;
/** The most of somebody's words that is repeated beside a draft, in characters. */
const LONGEST_REPEATED = 80;

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
  const redrafted = turn.latest.flatMap((call) => redraft(call, work) ?? []);
  if (redrafted.length > 0) return propose(redrafted);
  const failed = sent.find(({ status }) => status === 'not_done');
  if (failed !== undefined) return { text: ENDED.notSent(failed.text) };
  if (sent.length > 0) return answerUnclear(work) ?? { toolCalls: [{ name: 'Done', arguments: {} }] };
  const wish = turn.message.trim();
  const isAnswered = readAnswers(turn, 'Question').length > 0;
  return isAnswered || STANDING.test(wish) ? draft(work) : carryOut(wish, work);
}

/** What somebody wrote about the mail: the draft of before with it, or else a first one. */
function carryOut(wish: string, work: Work): DemoReply {
  const { mail, input } = work;
  const args = findDraft(input.messages, mail.id) ?? draftReply(mail, work.owner, firstWords(mail)).args;
  const reply = rewordReply(args, wish, input);
  return reply === null ? askInstead(ASK.notUnderstood(wish)) : propose([reply]);
}

/** A first answer, or what has to be looked up or asked before it. */
function draft(work: Work): DemoReply {
  const { mail, turn } = work;
  const [said] = readAnswers(turn, 'Question');
  if (said !== undefined) return propose([sayAnswered(said, work)]);
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
    return propose([send(work, [DRAFT.complaint(order ?? DRAFT.theOrder)])]);
  }
  if (question !== null && ONLY_OWNER.test(mail.text)) return ask(ASK.decide(question));
  const files = mail.attachments.filter(({ id }) => isRead(id, turn)).map(({ name }) => name);
  return propose([send(work, firstWords(mail, files))]);
}

/** What is said where nothing is known of the matter. `files`: those of the mail that were read. */
function firstWords({ text }: Mail, files: readonly string[] = []): readonly string[] {
  const question = firstQuestion(text);
  const opening = files.length > 0 ? DRAFT.read(files.join(', ')) : DRAFT.thanks;
  return [opening, ...(question === null ? [] : [DRAFT.willAnswer(question)])];
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
  if (slot === null) return propose([send(work, [DRAFT.noTime])]);
  const args = toMeeting(meeting, slot, { mail, moment: input });
  const unfollowed = owner.meetings.filter((line) => !isFollowed(line));
  return propose([
    { call: { name: 'schedule_meeting', arguments: args }, unfollowed },
    send(work, [DRAFT.meeting(sayWhen(slot))]),
  ]);
}

/** A draft anew, as somebody who was asked about it wants it; null where nobody does, or the script can't. */
function redraft({ rejection, ...call }: EndedCall, { input }: Work): Drafted | null {
  if (rejection === null || !SENDS.includes(call.name)) return null;
  const { feedback } = rejection;
  if (call.name === 'send_email') return rewordReply(call.arguments, feedback, input);
  const moved = correctedCall({ ...call, rejection }, feedback, input);
  return moved && { call: moved, unfollowed: [] };
}

/** A reply as somebody wants it; null where nothing of that is understood. */
function rewordReply(args: JsonObject, wish: string, input: DemoInput): Drafted | null {
  const { args: reworded, unfollowed } = redraftReply(args, wish, input);
  return reworded.body === args.body
    ? null
    : { call: { name: 'send_email', arguments: reworded }, unfollowed };
}

/** The reply in the words of whoever was asked: what they want said, or else all that they wrote. */
function sayAnswered(answer: string, work: Work): Drafted {
  const verbatim = send(work, [asSentence(answer)]);
  const saysWhat = readWishes(answer).some(({ wish }) => wish?.do === 'say');
  return (saysWhat ? rewordReply(verbatim.call.arguments, answer, work.input) : null) ?? verbatim;
}

/** Asks about a draft that was sent back with a wish that isn't understood; null where there is none. */
function answerUnclear(work: Work): DemoReply | null {
  const { turn, input } = work;
  const last = SENDS.flatMap((send) => turn.calls.findLast(({ name }) => name === send) ?? []);
  const sentBack = last.find(({ rejection }) => rejection !== null);
  if (!sentBack?.rejection) return null;
  const isReply = sentBack.name === 'send_email';
  const asked = turn.latest.some(({ name }) => name === 'Question');
  const said = readAnswers(turn, 'Question').at(-1);
  if (!asked || said === undefined) {
    const { feedback } = sentBack.rejection;
    return askInstead(isReply ? ASK.notUnderstood(feedback) : ASK.whenInstead(feedback));
  }
  if (isReply) return propose([sayAnswered(said, work)]);
  const moved = correctedCall(sentBack, said, input);
  return moved === null ? { text: ENDED.notMoved } : { toolCalls: [moved] };
}

function send({ mail, owner }: Work, sentences: readonly string[]): Drafted {
  const { args, unfollowed } = draftReply(mail, owner, sentences);
  return { call: { name: 'send_email', arguments: args }, unfollowed };
}

/** Puts drafts before people, and says what the script left out of them. */
function propose(drafts: readonly Drafted[]): DemoReply {
  const [first, ...others] = new Set(drafts.flatMap(({ unfollowed }) => unfollowed));
  const toolCalls = drafts.map(({ call }) => call);
  if (first === undefined) return { toolCalls };
  return { toolCalls, said: DRAFT.unfollowed(toLine(first, LONGEST_REPEATED), others.length) };
}

/** Asks what only the person can know. */
function ask(question: string): DemoReply {
  return { toolCalls: [{ name: 'Question', arguments: { question, context: ASK.onlyYou } }] };
}

/** Asks in place of what the script can't do, which a question of its own says. */
function askInstead(question: string): DemoReply {
  return { toolCalls: [{ name: 'Question', arguments: { question } }] };
}

function hasTool({ input }: Work, name: string): boolean {
  return input.tools.some((tool) => tool.name === name);
}

function isRead(attachment: string, { calls }: Turn): boolean {
  return calls.some(
    ({ name, arguments: args }) => name === 'read_attachment' && args.attachment_id === attachment,
  );
}
