import { z } from 'zod';
import { type Amount, readAmounts } from '../documents/tables.ts';
import { jsonParts } from '../events.ts';
import { summarise } from '../summary.ts';
import { PROGRAM, TEAM } from '../texts.ts';
import { type DemoInput, type DemoReply, type EndedCall, isCallTo, type Turn, toolNamed } from '../turn.ts';
import { type Result, readNeeded } from './outputs.ts';

const printedSchema = z.object({ stdout: z.string(), exit_code: z.literal(0) });

/**
 * Writes and runs a program over the amounts that the parts before brought, and says what it printed. Null without the tool.
 *
 * @param message the whole message that gave the task
 */
export function runProgram(turn: Turn, message: string, { tools }: DemoInput): DemoReply | null {
  const tool = toolNamed(tools, 'run_code');
  const ended = turn.calls.filter((call) => isCallTo(call, 'run_code'));
  const last = ended.at(-1);
  if (last && !isOtherLanguage(ended)) return { text: sayPrinted(last) };
  const tables = readNeeded(message).flatMap(readTable);
  if (tables.length === 0) return { text: TEAM.noAmounts };
  const language = last || /\b(?:javascript|js)\b/i.test(turn.message) ? 'javascript' : 'python';
  const isComparison = tables.length > 1 && /\bcompare\b/i.test(turn.message);
  const code = [...PROGRAM.add[language], ...(isComparison ? PROGRAM.compare[language] : [])].join('\n');
  const stdin = JSON.stringify(Object.fromEntries(tables));
  return tool && { toolCalls: [{ name: tool.name, arguments: { language, code, stdin } }] };
}

/** Whether Python is to be had nowhere on this machine: such a call doesn't fit the tool, and nobody was asked about it. */
function isOtherLanguage(ended: readonly EndedCall[]): boolean {
  const [only, ...more] = ended;
  return more.length === 0 && only?.status === 'not_done' && /\blanguage\b/.test(only.text);
}

function readTable({
  arguments: { query },
  result,
}: Result): readonly (readonly [string, readonly Amount[]])[] {
  const name = typeof query === 'string' ? query.replace(/^(?:the|our|my)\s+/i, '') : TEAM.amounts;
  const [amounts] = result
    .split(/\n\n/)
    .map((passage) => readAmounts(passage, name))
    .filter((found) => found.length > 0);
  return amounts ? [[name, amounts]] : [];
}

function sayPrinted(call: EndedCall): string {
  const [printed] = jsonParts(call.text).flatMap((value) => printedSchema.safeParse(value).data ?? []);
  if (call.status !== 'done' || !printed) return summarise([call]);
  const lines = printed.stdout.trim().split('\n');
  return [TEAM.printed, ...lines.map(TEAM.line)].join('\n');
}
