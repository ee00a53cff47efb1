import type { JsonObject } from '../../lib/json.ts';
import { ask, readAnswers } from './questions.ts';
import { findUnit, findValue, type Regimen } from './regimen.ts';
import { summariseSentences } from './summary.ts';
import { QUESTION, TALK } from './texts.ts';
import {
  type DemoCall,
  type DemoInput,
  type DemoReply,
  type EndedCall,
  isCallTo,
  type Turn,
  toolNamed,
} from './turn.ts';

/** Loads a simulation, sets the regimen and runs it; null where there are no tools for that. */
export function simulate(regimen: Regimen, turn: Turn, input: DemoInput): DemoReply | null {
  const load = toolNamed(input.tools, 'load_simulation');
  if (!load) return null;
  if (regimen.unclear !== '') return { text: TALK.notUnderstood(regimen.unclear) };
  // What was not done before had been corrected, or it would be over.
  const undone = turn.latest.filter(({ status }) => status !== 'done');
  const corrections = turn.calls.flatMap(correctedValue);
  const hasCorrection = undone.some((call) => correctedValue(call).length > 0);
  if (undone.length > 0 && !hasCorrection) return { text: summariseSentences(turn.calls) };
  const unit = regimen.unit ?? readAnswers(turn).map(findUnit).find(Boolean);
  if (!unit) return ask(QUESTION.doseUnit(regimen.dose), QUESTION.doseUnitFor, turn, input);
  const done = turn.calls.filter(({ status }) => status === 'done');
  const loaded = done.find((call) => isCallTo(call, 'load_simulation'));
  const id = /Loaded ([\w-]+)/.exec(loaded?.text ?? '')?.[1] ?? null;
  const all = setAndRun({ ...regimen, unit }, id, input).map((call) => ({
    ...call,
    arguments: { ...call.arguments, ...corrections.findLast((one) => doesSame(one, call))?.arguments },
  }));
  if (!loaded) {
    // As the server has them by default, so that whoever approves it reads them.
    const args = { compartments: 1, route: regimen.route ?? 'oral' };
    return { toolCalls: [{ name: load.name, arguments: args }], later: all };
  }
  const left = all.filter((call) => !done.some((one) => doesSame(one, call)));
  if (id !== null && left.length > 0) return { toolCalls: left, inOrder: true };
  return { text: summariseSentences(turn.calls) };
}

function setAndRun(
  { dose, unit, intervalHours, doses, weight, subjects }: Regimen,
  id: string | null,
  { tools }: DemoInput,
): readonly DemoCall[] {
  const set = toolNamed(tools, 'set_parameter_value');
  const run = toolNamed(tools, subjects === null ? 'run_simulation' : 'run_population_simulation');
  const values = [
    { parameter: 'dose', value: dose, unit: unit ?? 'mg' },
    { parameter: 'dose_interval', value: intervalHours, unit: 'h' },
    ...(doses === null ? [] : [{ parameter: 'dose_count', value: doses, unit: 'doses' }]),
    ...(weight === null ? [] : [{ parameter: 'body_weight', value: weight, unit: 'kg' }]),
  ];
  const own = id === null ? {} : { simulation_id: id };
  const many = subjects === null ? {} : { subjects };
  return [
    ...(set ? values.map((value) => ({ name: set.name, arguments: { ...own, ...value } })) : []),
    ...(run ? [{ name: run.name, arguments: { ...own, ...many } }] : []),
  ];
}

/** The value that whoever sent a call back wants instead, as a call with that alone. */
function correctedValue({ name, arguments: args, rejection }: EndedCall): DemoCall[] {
  const wanted = rejection && typeof args.parameter === 'string' ? findValue(rejection.feedback) : null;
  if (!wanted) return [];
  const values: JsonObject = { value: wanted.value, ...(wanted.unit !== null && { unit: wanted.unit }) };
  return [{ name, arguments: { parameter: args.parameter ?? null, ...values } }];
}

/** Whether a call does what another is for, perhaps with another value. */
function doesSame(one: DemoCall, other: DemoCall): boolean {
  return one.name === other.name && one.arguments.parameter === other.arguments.parameter;
}
