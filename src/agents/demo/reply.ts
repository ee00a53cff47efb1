import { AIMessage, type BaseMessage } from '@langchain/core/messages';
import {
  cancelCall,
  choices,
  completed,
  createCalls,
  isComplete,
  listCall,
  matching,
  moveCall,
  searchCall,
} from './calendar.ts';
import { correctedCall } from './corrections.ts';
import { eventTable, quoted, readEvents } from './events.ts';
import { type Intent, parseDraft, parseIntent } from './intent.ts';
import { summarise } from './summary.ts';
import {
  type DemoCall,
  type DemoTool,
  type EndedCall,
  isCallTo,
  readTurn,
  type Turn,
  toolNamed,
} from './turn.ts';
import { type Moment, parseWhen } from './when.ts';

interface DemoInput extends Moment {
  readonly messages: readonly BaseMessage[];
  readonly tools: readonly DemoTool[];
}

/** Either an answer, or calls; calls never come with text. */
export type DemoReply = { readonly text: string } | { readonly toolCalls: readonly DemoCall[] };

const NOTICE = '_I am the demo model, a script that works without a key._';
const CALENDAR_EXAMPLES = [
  'create a meeting called Standup tomorrow at 9am',
  'create 2 events: Team Meeting at 10am and Lunch with Bob at 12pm',
  'what is on my calendar this week?',
  'move Standup to Friday',
  'delete Standup',
];
const FILE_EXAMPLES = ['write hello to notes.txt', 'read notes.txt', 'list files'];
/** The most questions in a row; then it says what it needs and ends the turn. */
const MAX_QUESTIONS = 2;

/**
 * The demo model's next reply. It knows the README's walk-through, and says of everything else that it is a
 * script. Pure: the same messages give the same reply.
 */
export function demoReply(input: DemoInput): DemoReply {
  const { before, turn } = readTurn(input.messages);
  const reply = nextStep(turn, before, input);
  if (!('text' in reply)) return reply;
  const answeredBefore = before.some((it) => AIMessage.isInstance(it) && (it.tool_calls ?? []).length === 0);
  return answeredBefore ? reply : { text: `${NOTICE}\n\n${reply.text}` };
}

function nextStep(turn: Turn, before: readonly BaseMessage[], input: DemoInput): DemoReply {
  const corrections = correct(turn.latest, null, input);
  if (corrections.length > 0) return { toolCalls: corrections };
  if (turn.calls.some((call) => !isPreparation(call))) return { text: summarise(turn.calls) };
  const failed = turn.calls.find((call) => call.status !== 'done');
  if (failed) return { text: summarise(turn.calls) };

  const intent = parseIntent(turn.message, input);
  if (intent.kind === 'other') return followUp(turn, before, input) ?? { text: helpText(input.tools) };
  return carryOut(intent, turn, input);
}

function carryOut(intent: Intent, turn: Turn, input: DemoInput): DemoReply {
  switch (intent.kind) {
    case 'create':
      return create(intent.drafts, turn, input);
    case 'list':
      return list(intent, turn, input);
    case 'move':
    case 'cancel':
      return change(intent, turn, input);
    case 'write_file':
      return callOrHelp('write_file', { path: intent.path, content: intent.content }, input.tools);
    case 'read_file': {
      const name = toolNamed(input.tools, 'read_text_file') ? 'read_text_file' : 'read_file';
      return callOrHelp(name, { path: intent.path }, input.tools);
    }
    case 'list_files':
      return callOrHelp('list_directory', { path: '.' }, input.tools);
    case 'other':
      return { text: helpText(input.tools) };
  }
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
  const about = open?.title ? quoted(open.title) : 'the event';
  if (open?.title === null && open.time === null) {
    return ask(
      'What is the event called, and when does it start?',
      `To create ${about} I need a title and a time.`,
      turn,
      input,
    );
  }
  if (open?.title === null) {
    return ask('What is the event called?', `It starts at ${open.time}; I need a title for it.`, turn, input);
  }
  return ask(
    `When does ${about} start?`,
    'I need a time. Without a day I take today, or tomorrow if that time has passed.',
    turn,
    input,
  );
}

function list({ period }: Extract<Intent, { kind: 'list' }>, turn: Turn, input: DemoInput): DemoReply {
  const [found] = turn.latest;
  if (!found) {
    const tool = toolNamed(input.tools, 'list_events');
    return tool ? { toolCalls: [listCall(period, tool, input)] } : { text: helpText(input.tools) };
  }
  const events = readEvents(found);
  if (events === null) return { text: found.text };
  if (events.length === 0) return { text: `There is nothing on your calendar ${period.words}.` };
  const count = events.length === 1 ? 'one event' : `${events.length} events`;
  return { text: `You have ${count} ${period.words}:\n\n${eventTable(events)}` };
}

function change(
  intent: Extract<Intent, { kind: 'move' | 'cancel' }>,
  turn: Turn,
  input: DemoInput,
): DemoReply {
  const tool = toolNamed(input.tools, intent.kind === 'move' ? 'update_event' : 'delete_event');
  const search = searchCall(input.tools, input);
  if (!tool || !search) return { text: helpText(input.tools) };
  const listed = turn.calls.find((call) => isCallTo(call, 'list_events'));
  if (!listed) return { toolCalls: [search] };

  const events = readEvents(listed) ?? [];
  const hints = [intent.on, ...readAnswers(turn).map((answer) => parseWhen(answer, input))];
  const matches = matching(events, intent.title, hints);
  const [event] = matches;
  if (!event) {
    const known = events.length > 0 ? ` I see ${choices(events.slice(0, 10))}.` : ' The calendar is empty.';
    return { text: `I found no event called ${quoted(intent.title)}, so nothing was changed.${known}` };
  }
  if (matches.length > 1) {
    return ask(
      `Which ${quoted(intent.title)} do you mean? Tell me its day or time.`,
      `I see ${choices(matches)}.`,
      turn,
      input,
    );
  }
  if (intent.kind === 'cancel') return { toolCalls: [cancelCall(event, tool)] };
  const move = moveCall(event, intent.to, tool);
  return move
    ? { toolCalls: [move] }
    : {
        text: `I did not understand where to move ${quoted(event.title)}; nothing was changed. Name a time or a day.`,
      };
}

/**
 * Handles a correction such as "make it 10am", sent as a message after a call was rejected in the previous
 * turn.
 */
function followUp(turn: Turn, before: readonly BaseMessage[], input: DemoInput): DemoReply | null {
  if (turn.calls.length > 0) return null;
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

function ask(question: string, context: string, turn: Turn, { tools }: DemoInput): DemoReply {
  const tool = toolNamed(tools, 'ask_user');
  if (!tool || readAnswers(turn).length >= MAX_QUESTIONS) {
    return { text: `${question} ${context} Nothing was done yet; please write it in one message.` };
  }
  return { toolCalls: [{ name: tool.name, arguments: { question, context } }] };
}

function readAnswers(turn: Turn): string[] {
  return turn.calls
    .filter((call) => isCallTo(call, 'ask_user') && call.status === 'done')
    .map((call) => call.text.replace(/^answer(?:ed)?(?: (?:by|from) [^:\n]+)?:\s*/i, ''));
}

function isPreparation(call: EndedCall): boolean {
  return isCallTo(call, 'list_events') || isCallTo(call, 'ask_user');
}

function callOrHelp(name: string, args: DemoCall['arguments'], tools: readonly DemoTool[]): DemoReply {
  const tool = toolNamed(tools, name);
  return tool ? { toolCalls: [{ name: tool.name, arguments: args }] } : { text: helpText(tools) };
}

/** Example prompts for the demo model with these tools, best first. */
export function demoExamples(tools: readonly DemoTool[]): readonly string[] {
  const calendar = toolNamed(tools, 'create_event') ? CALENDAR_EXAMPLES : [];
  const files = toolNamed(tools, 'write_file') ? FILE_EXAMPLES : [];
  return [...calendar, ...files];
}

function helpText(tools: readonly DemoTool[]): string {
  const examples = demoExamples(tools);
  const able =
    examples.length > 0
      ? ['What I can do here:', ...examples.map((example) => `- \`${example}\``)]
      : ['No tool that I know is connected.'];
  return [
    'I only follow a script, and this is not in it.',
    ...able,
    '',
    'Set `OPENAI_API_KEY` and start again to talk to a real model.',
  ].join('\n');
}
