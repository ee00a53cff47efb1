import type { JsonObject } from '../../lib/json.ts';
import { READS_DOCUMENTS } from './documents/answer.ts';
import { PLAN_TITLE } from './texts.ts';
import { type DemoCall, type DemoInput, type DemoReply, isCallTo, toolNamed } from './turn.ts';

/** Tools that are called directly also where the model plans. */
const DIRECT = [
  ...['ask_user', 'list_events', 'list_directory', 'read_file', 'read_text_file'],
  'get_parameter_value',
  ...READS_DOCUMENTS,
];

/** How many characters of what was asked for are a plan's title. */
const TITLE_LENGTH = 80;

/** The reply as a plan where the model plans, if it changes something; and in parts where it doesn't. */
export function asPlan(reply: DemoReply, message: string, { tools }: DemoInput): DemoReply {
  if ('text' in reply) return reply;
  const make = toolNamed(tools, 'make_plan');
  const { toolCalls, later = [], inOrder = false } = reply;
  if (make && !toolCalls.every((call) => DIRECT.some((name) => isCallTo(call, name)))) {
    const before = toolCalls.slice(0, -1).map((_call, index) => index + 1);
    const steps = [
      // By themselves, but for the last of those that are in order.
      ...toolCalls.map((call, index) =>
        toStep(call, { needs: inOrder && index === before.length ? before : [] }),
      ),
      ...later.map((call) => toStep(call, { needs_result_of: [1] })),
    ];
    return { toolCalls: [{ name: make.name, arguments: { title: title(message), steps } }] };
  }
  if (!inOrder) return { toolCalls };
  // All but the last at once, and that when they are done.
  return { toolCalls: toolCalls.length > 1 ? toolCalls.slice(0, -1) : toolCalls };
}

function toStep({ name, arguments: args }: DemoCall, depends: JsonObject) {
  return { tool: name, arguments: args, ...depends };
}

function title(message: string): string {
  const words = message
    .replace(/^plan:\s*/i, '')
    .replace(/\s+/g, ' ')
    .trim();
  return words.slice(0, TITLE_LENGTH).toWellFormed() || PLAN_TITLE;
}
