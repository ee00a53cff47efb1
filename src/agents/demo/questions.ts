import { QUESTION } from './texts.ts';
import { type DemoInput, type DemoReply, isCallTo, type Turn, toolNamed } from './turn.ts';

/** The most questions in a row; then it says what it needs and ends the turn. */
const MAX_QUESTIONS = 4;

/** Asks the person, or says in the answer what is missing, where it can't ask or has asked enough. */
export function ask(question: string, context: string | null, turn: Turn, { tools }: DemoInput): DemoReply {
  const tool = toolNamed(tools, 'ask_user');
  if (!tool || readAnswers(turn).length >= MAX_QUESTIONS) {
    return { text: QUESTION.inOneMessage([question, context ?? []].flat().join(' ')) };
  }
  return {
    toolCalls: [{ name: tool.name, arguments: { question, ...(context === null ? {} : { context }) } }],
  };
}

/** What the person has answered in this turn, in order. `tool`: what the question is called. */
export function readAnswers(turn: Turn, tool = 'ask_user'): string[] {
  return turn.calls
    .filter((call) => isCallTo(call, tool) && call.status === 'done')
    .map((call) => call.text.replace(/^answer(?:ed)?(?: (?:by|from) [^:\n]+)?:\s*/i, ''));
}
