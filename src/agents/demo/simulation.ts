import { ask, readAnswers } from './questions.ts';
import { summarise } from './summary.ts';
import { QUESTION } from './texts.ts';
import { type DemoCall, type DemoInput, type DemoReply, isCallTo, type Turn, toolNamed } from './turn.ts';

/** A regimen as far as the text gives it; null is what must still be asked. */
interface Regimen {
  readonly dose: number;
  readonly unit: 'mg' | 'g' | null;
  readonly intervalHours: number;
  /** In kilograms; null: as the model of the body has it. */
  readonly weight: number | null;
}

const SIMULATE = /^simulate\s+(?:a\s+dose\s+of\s+)?(\d+(?:\.\d+)?)\s*(mg|g)?\b(.*)$/is;
const OFTEN: readonly (readonly [RegExp, number])[] = [
  [/\btwice (?:a|per) day\b|\btwice daily\b|\bevery 12 ?h/i, 12],
  [/\bthree times (?:a|per) day\b|\bevery 8 ?h/i, 8],
  [/\bonce (?:a|per) day\b|\bonce daily\b|\bdaily\b|\bevery 24 ?h/i, 24],
];
const WEIGHT = /\b(\d+(?:\.\d+)?)[ -]?kg\b/i;
const UNIT = /\b(mg|g)\b/i;

/** The regimen that a text asks to simulate: "simulate 500 mg twice a day for a 70 kg person"; null if it asks for none. */
export function parseRegimen(text: string): Regimen | null {
  const [, dose, unit, rest = ''] = SIMULATE.exec(text) ?? [];
  if (dose === undefined) return null;
  const [, intervalHours = 12] = OFTEN.find(([words]) => words.test(rest)) ?? [];
  const [, weight] = WEIGHT.exec(rest) ?? [];
  return {
    dose: Number(dose),
    unit: readUnit(unit),
    intervalHours,
    weight: weight === undefined ? null : Number(weight),
  };
}

/** Loads a simulation, sets the regimen and runs it; null where there are no tools for that. */
export function simulate(regimen: Regimen, turn: Turn, input: DemoInput): DemoReply | null {
  if (turn.calls.some(({ status }) => status !== 'done')) return { text: summarise(turn.calls) };
  const unit =
    regimen.unit ??
    readAnswers(turn)
      .map((answer) => readUnit(UNIT.exec(answer)?.[1]))
      .find(Boolean);
  if (!unit) return ask(QUESTION.doseUnit(regimen.dose), QUESTION.doseUnitFor, turn, input);
  const load = toolNamed(input.tools, 'load_simulation');
  if (!load) return null;
  const loaded = turn.calls.find((call) => isCallTo(call, 'load_simulation'));
  const id = /Loaded (\w+)/.exec(loaded?.text ?? '')?.[1] ?? null;
  const later = setAndRun({ ...regimen, unit }, id ?? '', input);
  if (!loaded) return { toolCalls: [{ name: load.name, arguments: {} }], later };
  const left = later.filter((call) => !turn.calls.some((done) => doesSame(done, call)));
  if (id !== null && left.length > 0) return { toolCalls: left, inOrder: true };
  // The plot shows what was calculated; the first sentence says the rest.
  const said = turn.calls.map((call) => ({ ...call, text: call.text.split('\n')[0] ?? '' }));
  return { text: summarise(said) };
}

function setAndRun(
  { dose, unit, intervalHours, weight }: Regimen,
  id: string,
  { tools }: DemoInput,
): readonly DemoCall[] {
  const set = toolNamed(tools, 'set_parameter_value');
  const run = toolNamed(tools, 'run_simulation');
  const values = [
    { parameter: 'dose', value: dose, unit: unit ?? 'mg' },
    { parameter: 'dose_interval', value: intervalHours, unit: 'h' },
    ...(weight === null ? [] : [{ parameter: 'body_weight', value: weight, unit: 'kg' }]),
  ];
  return [
    ...(set ? values.map((value) => ({ name: set.name, arguments: { simulation_id: id, ...value } })) : []),
    ...(run ? [{ name: run.name, arguments: { simulation_id: id } }] : []),
  ];
}

/** Whether a call did what this one is for, perhaps with a value that a person had changed. */
function doesSame(done: DemoCall, call: DemoCall): boolean {
  return done.name === call.name && done.arguments.parameter === call.arguments.parameter;
}

function readUnit(unit: string | undefined): Regimen['unit'] {
  const plain = unit?.toLowerCase();
  return plain === 'mg' || plain === 'g' ? plain : null;
}
