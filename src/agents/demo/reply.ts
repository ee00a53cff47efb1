import { AIMessage, type BaseMessage } from '@langchain/core/messages';
import type { Moment } from '../../lib/text/spoken-times.ts';
import { answerFree, answerList } from './answers.ts';
import { cancelCall, completed, createCalls, isComplete, listCall } from './calendar.ts';
import { change } from './change.ts';
import { correctedCall } from './corrections.ts';
import { askDocuments, isOfDocuments } from './documents/answer.ts';
import { quoted, readEvent, readEvents } from './events.ts';
import { replyToMail } from './inbox/index.ts';
import { type Intent, parseDraft, parseIntent, withoutPlan } from './intent.ts';
import { isStatement, noteStatement, tellRemembered } from './memory.ts';
import { changeParameter, parseParameterChange } from './parameter-change.ts';
import { asPlan } from './plan.ts';
import { ask, readAnswers } from './questions.ts';
import { parseRegimen } from './regimen.ts';
import { simulate } from './simulation.ts';
import { summarise } from './summary.ts';
import { findMember, replyInTeam, withTaskAlone } from './team/index.ts';
import { ABILITY, EXAMPLES, NOTICE, QUESTION, TALK } from './texts.ts';
import type { DemoInput, DemoReply } from './turn.ts';
import {
  type DemoCall,
  type DemoTool,
  type EndedCall,
  isCallTo,
  readTurn,
  type Turn,
  toolNamed,
} from './turn.ts';
import { localDateTime } from './when.ts';

const ASKS_WHAT_IS_KNOWN = /\bwhat (?:do you|have you) (?:know|remember|learn(?:ed|t)?) (?:about|of) me\b/i;
const CHANGES = ['create_event', 'update_event', 'delete_event'];

/**
 * The demo model's next reply. It knows the README's walk-through, and says of everything else that it is a
 * script. Pure: the same messages give the same reply.
 */
export function demoReply(input: DemoInput): DemoReply {
  const toMail = replyToMail(input);
  if (toMail !== null) return toMail;
  const { before, turn: whole } = readTurn(input.messages);
  const member = findMember(input.messages);
  const turn = member === null ? whole : withTaskAlone(whole);
  const next = replyInTeam(turn, member, input) ?? nextStep(turn, before, input);
  const reply = asPlan(next, turn.message, input);
  // What an agent of a team says is for the composer.
  if (!('text' in reply) || input.hasBanner || member !== null) return reply;
  const answeredBefore = before.some((it) => AIMessage.isInstance(it) && (it.tool_calls ?? []).length === 0);
  return answeredBefore ? reply : { text: `${NOTICE}\n\n${reply.text}` };
}

function nextStep(turn: Turn, before: readonly BaseMessage[], input: DemoInput): DemoReply {
  const corrections = isNewRequest(turn, input) ? [] : correct(turn.latest, null, input);
  if (corrections.length > 0) return { toolCalls: corrections };
  const simulated = turn.earlier.length === 0 ? followSimulation(turn, input) : null;
  if (simulated) return simulated;
  const all = [...turn.earlier, ...turn.calls];
  if (turn.calls.some((call) => !isPreparation(call))) return { text: summarise(all) };
  const failed = turn.calls.find((call) => call.status !== 'done');
  if (failed) return { text: summarise(all) };
  const next = answerTo(turn, before, input);
  if (!('text' in next) || turn.earlier.length === 0) return next;
  return { text: `${summarise(turn.earlier)}\n\n${next.text}` };
}

/** What is asked of a simulation; null where nothing is, or there are no tools for that. */
function followSimulation(turn: Turn, input: DemoInput): DemoReply | null {
  const text = withoutPlan(turn.message);
  const regimen = parseRegimen(text);
  const change = parseParameterChange(text);
  if ((regimen ?? change) && isTakenBack(turn, input)) return TAKEN_BACK;
  if (regimen) return simulate(regimen, turn, input);
  return change && changeParameter(change, turn, input);
}

/** Whether an approver wants something else altogether, and not the same call corrected. */
function isNewRequest(turn: Turn, moment: Moment): boolean {
  if (turn.earlier.length === 0 || turn.calls.length > 0) return false;
  const { kind } = parseIntent(turn.message, moment);
  return kind !== 'other' && kind !== 'move';
}

function answerTo(turn: Turn, before: readonly BaseMessage[], input: DemoInput): DemoReply {
  if (ASKS_WHAT_IS_KNOWN.test(turn.message)) return { text: tellRemembered(input.messages) };
  const intent = parseIntent(turn.message, input);
  if (intent.kind === 'take_back') return takeBack(input);
  if (intent.kind === 'other' || intent.kind === 'no_tool') {
    if (isStatement(turn.message)) return { text: noteStatement(input.messages) };
    const asked = toolNamed(input.tools, 'search_documents') ? intent.question : null;
    const corrected = intent.kind === 'other' ? followUp(turn, before, input) : null;
    if (corrected || asked === null) return corrected ?? carryOut(intent, turn, input);
    const otherwise = intent.kind === 'no_tool' ? carryOut(intent, turn, input) : null;
    return askDocuments(asked, turn, { tools: input.tools, ability: ability(input.tools), otherwise });
  }
  return carryOut(toDocuments(intent, input.tools) ?? intent, turn, input);
}

/** What is asked of files, as asked of documents, where there are tools for these alone. */
function toDocuments(intent: Intent, tools: readonly DemoTool[]): Intent | null {
  const isOffered = (...names: readonly string[]) => names.some((name) => toolNamed(tools, name));
  if (intent.kind === 'read_file' && !isOffered('read_text_file', 'read_file') && isOffered('read_document'))
    return { kind: 'read_document', name: intent.path };
  if (intent.kind === 'list_files' && !isOffered('list_directory') && isOffered('list_documents'))
    return { kind: 'list_documents' };
  return null;
}

function carryOut(intent: Intent, turn: Turn, input: DemoInput): DemoReply {
  switch (intent.kind) {
    case 'create':
      return isTakenBack(turn, input) ? TAKEN_BACK : create(intent.drafts, turn, input);
    case 'list':
    case 'free':
      return list(intent, turn, input);
    case 'move':
    case 'cancel':
      if (isTakenBack(turn, input)) return TAKEN_BACK;
      return change(intent, turn, input) ?? { text: helpText(input.tools) };
    case 'write_file':
      return callOrHelp('write_file', { path: intent.path, content: intent.content }, input.tools);
    case 'search_documents':
    case 'read_document':
    case 'list_documents':
    case 'share_document':
      return askDocuments(intent, turn, { tools: input.tools, ability: ability(input.tools) });
    case 'read_file': {
      const name = toolNamed(input.tools, 'read_text_file') ? 'read_text_file' : 'read_file';
      return callOrHelp(name, { path: intent.path }, input.tools);
    }
    case 'list_files':
      return callOrHelp('list_directory', { path: '.' }, input.tools);
    case 'small_talk':
      return { text: smallTalk(intent.about, input.tools) };
    case 'no_tool':
      return { text: TALK.noTool(intent.subject, ability(input.tools)) };
    case 'command':
      return { text: TALK.byCommand(intent.command, intent.of) };
    case 'no_such_time':
      return { text: TALK.noSuchTime(intent.time) };
    case 'take_back':
    case 'other':
      return { text: helpText(input.tools) };
  }
}

const TAKEN_BACK: DemoReply = { text: TALK.takenBack };

/** Whether a question was answered by not wanting it any more. */
function isTakenBack(turn: Turn, moment: DemoInput): boolean {
  return readAnswers(turn).some((answer) => parseIntent(answer, moment).kind === 'take_back');
}

function create(
  drafts: Extract<Intent, { kind: 'create' }>['drafts'],
  turn: Turn,
  input: DemoInput,
): DemoReply {
  const tool = toolNamed(input.tools, 'create_event');
  if (!tool) return { text: helpText(input.tools) };
  const answers = readAnswers(turn).map((answer) => parseDraft(answer, input));
  const filled = drafts.map((draft) => (isComplete(draft) ? draft : answers.reduce(completed, draft)));
  const complete = filled.filter(isComplete);
  if (complete.length === filled.length) return { toolCalls: createCalls(complete, tool, input) };
  const open = filled.find((draft) => !isComplete(draft));
  const about = open?.title ? quoted(open.title) : QUESTION.theEvent;
  if (open?.title === null && open.time === null) {
    return ask(QUESTION.titleAndTime, null, turn, input);
  }
  if (open?.title === null) {
    return ask(QUESTION.title, QUESTION.titleFor(open.time), turn, input);
  }
  return ask(QUESTION.time(about), QUESTION.timeFor, turn, input);
}

function list(intent: Extract<Intent, { kind: 'list' | 'free' }>, turn: Turn, input: DemoInput): DemoReply {
  const [found] = turn.calls;
  if (!found) {
    const tool = toolNamed(input.tools, 'list_events');
    return tool ? { toolCalls: [listCall(intent.period, tool, input)] } : { text: helpText(input.tools) };
  }
  const events = readEvents(found);
  if (events === null) return { text: found.text };
  return { text: intent.kind === 'free' ? answerFree(intent, events) : answerList(intent, events) };
}

/** "cancel that": proposes to delete what this thread created last, or to move back what it moved last. */
function takeBack({ messages, tools }: DemoInput): DemoReply {
  const last = lastChange(messages);
  const call = last && takeBackCall(last, tools);
  if (call) return { toolCalls: [call] };
  return { text: TALK.nothingToTakeBack };
}

function takeBackCall({ change, calls }: LastChange, tools: readonly DemoTool[]): DemoCall | null {
  if (isCallTo(change, 'create_event')) {
    const created = readEvent(change);
    const tool = toolNamed(tools, 'delete_event');
    return created && tool && cancelCall(created, tool);
  }
  const tool = isCallTo(change, 'update_event') ? toolNamed(tools, 'update_event') : null;
  const listed = calls.find((call) => isCallTo(call, 'list_events'));
  const was = listed && readEvents(listed)?.find(({ id }) => id === change.arguments.event_id);
  if (!tool || !was) return null;
  const start = localDateTime(was.start.slice(0, 10), was.start.slice(11, 16));
  return { name: tool.name, arguments: { ...change.arguments, start } };
}

interface LastChange {
  readonly change: EndedCall;
  /** All calls of its turn. */
  readonly calls: readonly EndedCall[];
}

/** The last call of this thread that changed the calendar. */
function lastChange(messages: readonly BaseMessage[]): LastChange | null {
  for (let rest = messages; rest.length > 0; ) {
    const { before, turn } = readTurn(rest);
    const calls = [...turn.earlier, ...turn.calls];
    const change = calls.findLast(
      (call) => call.status === 'done' && CHANGES.some((name) => isCallTo(call, name)),
    );
    if (change) return { change, calls };
    rest = before;
  }
  return null;
}

/**
 * Handles a correction such as "make it 10am", sent as a message after a call was rejected in the previous
 * turn.
 */
function followUp(turn: Turn, before: readonly BaseMessage[], input: DemoInput): DemoReply | null {
  if (turn.calls.length > 0 || turn.earlier.length > 0) return null;
  const previous = readTurn(before).turn;
  const corrections = correct(previous.calls, turn.message, input);
  return corrections.length > 0 ? { toolCalls: corrections } : null;
}

function correct(calls: readonly EndedCall[], wish: string | null, moment: Moment): DemoCall[] {
  return calls.flatMap((call) => {
    const corrected = call.rejection && correctedCall(call, wish ?? call.rejection.feedback, moment);
    return corrected ? [corrected] : [];
  });
}

function isPreparation(call: EndedCall): boolean {
  return isCallTo(call, 'list_events') || isCallTo(call, 'ask_user') || isOfDocuments(call);
}

function callOrHelp(name: string, args: DemoCall['arguments'], tools: readonly DemoTool[]): DemoReply {
  const tool = toolNamed(tools, name);
  return tool ? { toolCalls: [{ name: tool.name, arguments: args }] } : { text: helpText(tools) };
}

/** Example prompts for the demo model with these tools, best first. */
export function demoExamples(tools: readonly DemoTool[]): readonly string[] {
  const calendar = toolNamed(tools, 'create_event') ? EXAMPLES.calendar : [];
  const files = toolNamed(tools, 'write_file') ? EXAMPLES.files : [];
  const simulations = toolNamed(tools, 'run_simulation') ? EXAMPLES.simulations : [];
  const documents = toolNamed(tools, 'search_documents') ? EXAMPLES.documents : [];
  return [...calendar, ...documents, ...simulations, ...files];
}

function smallTalk(
  about: Extract<Intent, { kind: 'small_talk' }>['about'],
  tools: readonly DemoTool[],
): string {
  if (about === 'thanks') return TALK.thanks;
  if (about === 'greeting') return TALK.hello(ability(tools));
  return TALK.foreign(ability(tools));
}

function helpText(tools: readonly DemoTool[]): string {
  return TALK.unknown(ability(tools));
}

function ability(tools: readonly DemoTool[]): string {
  const examples = demoExamples(tools);
  const able = examples.length > 0 ? [ABILITY.can, ...examples.map(ABILITY.example)] : [ABILITY.none];
  return [...able, '', ABILITY.realModel].join('\n');
}
