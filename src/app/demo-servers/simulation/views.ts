import type { Job } from './jobs.ts';
import type { PopulationRun } from './lab.ts';
import type { PkParameters } from './maths/pk-parameters.ts';
import type { Distribution } from './maths/population.ts';
import type { Curve } from './maths/simulate.ts';
import {
  formatQuantity,
  listParameters,
  type Model,
  PARAMETERS,
  type ParameterName,
  readSetting,
  type Settings,
} from './parameters.ts';
import type { Simulation, SimulationRun } from './simulations.ts';
import { type ConcentrationUnit, listUnits, toConcentration, toUnit } from './units.ts';

/** As many points of a curve are given as a model can read; the plot shows all. */
const MOST_POINTS = 100;

/** Six digits that matter: a simulation says no more of anybody. */
function round(value: number): number {
  return Number(value.toPrecision(6));
}

/** The unit that a parameter is listed in. */
export function ownUnit(name: ParameterName): string {
  return listUnits(PARAMETERS[name].dimension)[0] ?? '';
}

export function simulationView({ id, model, settings }: Simulation) {
  const parameters = listParameters(model).map((name) => {
    const { title, description, dimension, least, most } = PARAMETERS[name];
    const unit = ownUnit(name);
    const limit = (value: number) => round(toUnit(value, unit, PARAMETERS[name]));
    return {
      ...parameterView(settings, name, unit),
      ...{ title, description, minimum: limit(least), maximum: limit(most), units: listUnits(dimension) },
    };
  });
  return { simulation_id: id, compartments: model.compartments, route: model.route, parameters };
}

export function parameterView(settings: Settings, name: ParameterName, unit: string) {
  return { name, value: round(toUnit(readSetting(settings, name), unit, PARAMETERS[name])), unit };
}

/** "- Dose (dose): 500 mg", one line for each parameter. */
export function describeParameters({ model, settings }: Simulation): string {
  return listParameters(model)
    .map((name) => `\n- ${PARAMETERS[name].title} (${name}): ${describeValue(settings, name)}`)
    .join('');
}

function describeValue(settings: Settings, name: ParameterName): string {
  const { value, unit } = parameterView(settings, name, ownUnit(name));
  return formatQuantity(value, unit);
}

/** "One compartment, oral: 500 mg every 12 h, 14 doses, 70 kg" */
export function describeRegimen({ compartments, route }: Model, settings: Settings): string {
  const value = (name: ParameterName) => describeValue(settings, name);
  const body = compartments === 1 ? 'One compartment' : 'Two compartments';
  const way = { oral: 'oral', iv_bolus: 'IV bolus', iv_infusion: 'IV infusion' }[route];
  const doses =
    readSetting(settings, 'dose_count') === 1
      ? `${value('dose')} once`
      : `${value('dose')} every ${value('dose_interval')}, ${value('dose_count')}`;
  return `${body}, ${way}: ${doses}, ${value('body_weight')}`;
}

export function runView(id: string, { end, parameters }: SimulationRun, unit: ConcentrationUnit) {
  return {
    simulation_id: id,
    duration_h: end,
    concentration_unit: unit,
    auc_unit: areaUnit(unit),
    pk_parameters: pkView(parameters, unit),
  };
}

export function curveView({ times, concentrations }: Curve, unit: ConcentrationUnit) {
  const places = thin(times.length);
  return {
    times_h: places.map((i) => round(times[i] ?? 0)),
    concentrations: places.map((i) => round(toConcentration(concentrations[i] ?? 0, unit))),
  };
}

function pkView(parameters: PkParameters, unit: ConcentrationUnit) {
  const { cmax, tmax, aucToEnd, aucToInfinity, atEnd, terminal } = parameters;
  const convert = (value: number) => round(toConcentration(value, unit));
  return {
    cmax: convert(cmax),
    tmax_h: round(tmax),
    auc_to_end: convert(aucToEnd),
    auc_to_infinity: convert(aucToInfinity),
    half_life_h: round(terminal.halfLife),
    terminal_phase: terminal.limitedBy,
    concentration_at_end: convert(atEnd),
  };
}

/** "Cmax 9.224 mg/L at 158.4 h, AUC(0–168 h) 1,081 mg·h/L, AUC(0–∞) 1,120 mg·h/L, terminal half-life 6.931 h" */
export function describePk({ end, parameters }: SimulationRun, unit: ConcentrationUnit): string {
  const { cmax, tmax, aucToEnd, aucToInfinity, terminal } = parameters;
  const areas = `AUC(0–${short(end)} h) ${area(aucToEnd, unit)}, AUC(0–∞) ${area(aucToInfinity, unit)}`;
  const why = terminal.limitedBy === 'absorption' ? ' (of absorption, which is slower than elimination)' : '';
  const peak = `Cmax ${concentration(cmax, unit)} at ${short(tmax)} h`;
  return `${peak}, ${areas}, terminal half-life ${short(terminal.halfLife)} h${why}`;
}

export function concentration(value: number, unit: ConcentrationUnit): string {
  return `${short(toConcentration(value, unit))} ${unit}`;
}

function area(value: number, unit: ConcentrationUnit): string {
  return `${short(toConcentration(value, unit))} ${areaUnit(unit)}`;
}

/** "mg·h/L" for mg/L */
function areaUnit(unit: ConcentrationUnit): string {
  return unit.replace('/', '·h/');
}

/** With four digits, as people read it. */
export function short(value: number): string {
  return value.toLocaleString('en-GB', { maximumSignificantDigits: 4 });
}

export function jobView(
  { id, state, done, total, ranForMs, error, result }: Job<PopulationRun>,
  unit: ConcentrationUnit,
) {
  return {
    ...{ job_id: id, state, done, total, seconds: Math.round(ranForMs / 100) / 10, error },
    result: result && populationView(result, unit),
  };
}

function populationView(run: PopulationRun, unit: ConcentrationUnit) {
  const places = thin(run.times.length);
  const pick = (values: Float64Array) => places.map((i) => round(toConcentration(values[i] ?? 0, unit)));
  return {
    ...{ simulation_id: run.simulationId, subjects: run.subjects, seed: run.seed, duration_h: run.end },
    ...{ concentration_unit: unit, auc_unit: areaUnit(unit) },
    cmax: distributionView(run.cmax, unit),
    auc_to_end: distributionView(run.auc, unit),
    concentrations: {
      times_h: places.map((i) => round(run.times[i] ?? 0)),
      ...{ p5: pick(run.p5), median: pick(run.median), p95: pick(run.p95) },
    },
  };
}

function distributionView(
  { p5, median, p95, geometricMean, geometricCv }: Distribution,
  unit: ConcentrationUnit,
) {
  const convert = (value: number) => round(toConcentration(value, unit));
  return {
    ...{ p5: convert(p5), median: convert(median), p95: convert(p95) },
    ...{ geometric_mean: convert(geometricMean), geometric_cv_percent: round(geometricCv * 100) },
  };
}

/** "Job job_1 is running: 420 of 1,000 subjects after 0.9 s" */
export function describeJob(job: Job<PopulationRun>, unit: ConcentrationUnit): string {
  const { id, state, done, total, ranForMs, error, result } = job;
  const after = `after ${(ranForMs / 1000).toFixed(1)} s`;
  const soFar = `${done.toLocaleString('en-GB')} of ${total.toLocaleString('en-GB')} subjects`;
  if (result !== null) {
    const { cmax, auc, end } = result;
    return (
      `Job ${id} has simulated ${total.toLocaleString('en-GB')} subjects ${after}: ` +
      `Cmax ${describeSpread(cmax, unit)} ${unit}, AUC(0–${short(end)} h) ${describeSpread(auc, unit)} ${areaUnit(unit)}`
    );
  }
  if (state === 'queued') return `Job ${id} waits for other jobs to end`;
  if (state === 'failed') return `Job ${id} failed ${after}, ${soFar}: ${error}`;
  const is = state === 'cancelled' ? 'was cancelled' : 'is running';
  return `Job ${id} ${is}: ${soFar} ${after}`;
}

/** "8.1 (5.2 to 12.4)": the median, and from the 5th to the 95th percentile. */
function describeSpread({ p5, median, p95 }: Distribution, unit: ConcentrationUnit): string {
  const show = (value: number) => short(toConcentration(value, unit));
  return `median ${show(median)} (5th to 95th percentile: ${show(p5)} to ${show(p95)})`;
}

/** Evenly spread places in a list, the first and the last among them. */
function thin(length: number): readonly number[] {
  const count = Math.min(length, MOST_POINTS);
  return Array.from({ length: count }, (_, i) => Math.round((i * (length - 1)) / Math.max(1, count - 1)));
}
