import { ToolMessage } from '@langchain/core/messages';
import { z } from 'zod';
import { jsonParts, quoted } from './events.ts';
import { ask, readAnswers } from './questions.ts';
import { summariseSentences } from './summary.ts';
import { QUESTION } from './texts.ts';
import { type DemoInput, type DemoReply, type EndedCall, type Turn, toolNamed } from './turn.ts';

/** A parameter to be changed by a part of what it is, as far as the text gives it; null is what must still be asked. */
interface ParameterChange {
  /** The parameter, in the person's words. */
  readonly what: string;
  readonly sign: 1 | -1;
  readonly percent: number | null;
}

const PERCENT = /(\d+(?:\.\d+)?)\s*(?:%|percent|per cent)/i;
const CHANGE = new RegExp(
  String.raw`^(increase|raise|decrease|reduce|lower)\s+(.+?)(?:\s+by)?(?:\s+${PERCENT.source})?\s*[.!]?$`,
  'is',
);
/** What a simulation may have; which of them it has depends on its model. */
const PARAMETERS = [
  ...['body_weight', 'dose', 'dose_interval', 'dose_count', 'infusion_duration', 'bioavailability'],
  ...['lag_time', 'absorption_rate', 'clearance', 'central_volume', 'intercompartmental_clearance'],
  'peripheral_volume',
];

/** The change that a text asks for: "increase clearance 10 %"; null if it names neither a part nor a parameter. */
export function parseParameterChange(text: string): ParameterChange | null {
  const [, verb = '', what, percent] = CHANGE.exec(text.trim()) ?? [];
  if (what === undefined || (percent === undefined && findParameter(what) === null)) return null;
  const sign = /^(?:increase|raise)$/i.test(verb) ? 1 : -1;
  return { what, sign, percent: percent === undefined ? null : Number(percent) };
}

/** Asks what isn't clear, reads the value, and proposes to set another one; null where there are no tools for that. */
export function changeParameter(change: ParameterChange, turn: Turn, input: DemoInput): DemoReply | null {
  const get = toolNamed(input.tools, 'get_parameter_value');
  const set = toolNamed(input.tools, 'set_parameter_value');
  if (!get || !set) return null;
  if (turn.calls.some((call) => call.status !== 'done' || call.name === set.name)) {
    return { text: summariseSentences(turn.calls) };
  }
  const answers = readAnswers(turn);
  const parameter = findFirst([change.what, ...answers], findParameter);
  if (parameter === null) {
    const known = QUESTION.parameters(PARAMETERS.map(inWords).join(', '));
    return ask(QUESTION.whichParameter(quoted(change.what)), known, turn, input);
  }
  const percent = change.percent ?? findFirst(answers, findPercent);
  if (percent === null) return ask(QUESTION.byHowMuch(inWords(parameter)), null, turn, input);
  const ids = listSimulations(input);
  const id = findFirst(ids.length === 1 ? ids : answers, (text) => /\bsim_\w+/.exec(text)?.[0] ?? null);
  if (id === null) return ask(QUESTION.whichSimulation, QUESTION.simulations(ids), turn, input);
  const about = { simulation_id: id, parameter };
  const read = turn.calls.find((call) => call.name === get.name);
  if (!read) return { toolCalls: [{ name: get.name, arguments: about }] };
  const now = readValue(read);
  if (now === null) return { text: read.text };

  const possible = newValues(now, change.sign * percent);
  const value = possible.length === 1 ? possible[0] : findFirst(answers, (text) => findValue(text, possible));
  if (value === undefined || value === null) {
    return ask(QUESTION.partOrPoints(inWords(parameter), now.value, percent, possible), null, turn, input);
  }
  return { toolCalls: [{ name: set.name, arguments: { ...about, value, unit: now.unit } }] };
}

function findFirst<Value>(texts: readonly string[], find: (text: string) => Value | null): Value | null {
  return texts.map(find).find((found) => found !== null) ?? null;
}

/** The parameter of exactly that name: a liver's clearance is none, nor is a volume of which nobody says which. */
function findParameter(text: string): string | null {
  const name = text
    .trim()
    .toLowerCase()
    .replace(/^(?:the|its)\s+|[.!]$/g, '')
    .replace(/\s+/g, '_');
  return PARAMETERS.find((it) => it === name) ?? null;
}

function findPercent(text: string): number | null {
  const [, percent] = PERCENT.exec(text) ?? [];
  return percent === undefined ? null : Number(percent);
}

function findValue(text: string, possible: readonly number[]): number | null {
  const [number] = /\d+(?:\.\d+)?/.exec(text) ?? [];
  return possible.find((value) => value === Number(number)) ?? null;
}

/** The ids of the simulations that were loaded in this conversation. */
function listSimulations({ messages }: DemoInput): readonly string[] {
  const results = messages.filter((message) => ToolMessage.isInstance(message));
  return [...new Set(results.flatMap(({ text }) => /^Loaded (sim_[\w-]+)/.exec(text)?.[1] ?? []))];
}

interface Quantity {
  readonly value: number;
  readonly unit: string;
}

const resultSchema = z.object({ parameter: z.object({ value: z.number(), unit: z.string() }) });

function readValue({ text }: EndedCall): Quantity | null {
  const read = jsonParts(text).map((part) => resultSchema.safeParse(part).data);
  return read.find((it) => it !== undefined)?.parameter ?? null;
}

/** What a change may mean: a percentage changes by a part of itself, or by as many points. */
function newValues({ value, unit }: Quantity, percent: number): readonly number[] {
  const values = [value * (1 + percent / 100), ...(unit === '%' ? [value + percent] : [])];
  return [...new Set(values.map((it) => Number(it.toPrecision(6))))];
}

function inWords(parameter: string): string {
  return parameter.replaceAll('_', ' ');
}
