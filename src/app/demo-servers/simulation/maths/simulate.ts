import { ToolProblem } from '../../../../lib/text/tool-answers.ts';
import { type Derivative, DormandPrince } from './dormand-prince.ts';
import { listBreaks, type Regimen } from './regimen.ts';

/** A body of compartments; volumes in litres, clearances in litres per hour, the absorption per hour. */
export interface Body {
  readonly absorptionRate: number;
  readonly clearance: number;
  readonly centralVolume: number;
  /** Null for one compartment. */
  readonly peripheral: { readonly volume: number; readonly clearance: number } | null;
}

export interface Curve {
  /** In hours; a time that stands twice is before and after a bolus. */
  readonly times: Float64Array;
  /** In the central compartment, in mg/L, one for each time. */
  readonly concentrations: Float64Array;
  /**
   * The highest concentration, also between the times, and when it is reached. In a steady state that's after the last
   * dose: each peak is a little higher than the one before, be it by less than can be calculated.
   */
  readonly peak: { readonly time: number; readonly concentration: number };
  /** The area under the concentrations to the last time, in mg·h/L. */
  readonly area: number;
}

interface SimulateInput {
  readonly body: Body;
  readonly regimen: Regimen;
  /** From 0 to the end, in order, as {@link sampleTimes} gives them. */
  readonly times: Float64Array;
  readonly relativeTolerance: number;
}

/** The components of the state: amounts in mg, and the area so far. */
const [GUT, CENTRAL, PERIPHERAL, AREA] = [0, 1, 2, 3];
/** Amounts below this part of a dose, in units of the relative tolerance, count as nothing. */
const NOTHING = 1e-4;
/** Steps between two places where a caller may give way: a fraction of a millisecond. */
const STEPS_PER_PIECE = 100;
/** Elimination within seconds, over months, would take minutes to solve. */
const MOST_STEPS = 400_000;
/** Halvings that find a peak within a step to the last digits. */
const HALVINGS = 50;
/** Peaks that differ by less than this part may do so by the errors of the steps alone. */
const SAME_HEIGHT = 1e-9;

/**
 * Solves the compartments for a regimen, split where the input jumps, so that no dose and no end of an infusion falls
 * between steps. Yields now and then, so that the caller may give way; returns the curve.
 *
 * @throws ToolProblem when the rates differ so much that it would take too many steps.
 */
export function* simulate({
  body,
  regimen,
  times,
  relativeTolerance,
}: SimulateInput): Generator<void, Curve> {
  const end = times.at(-1) ?? 0;
  const input = { rate: 0 };
  const solver = createSolver(body, regimen, input, relativeTolerance);
  const curve = new CurveRecorder(times, body.centralVolume, createDerivative(body, input));
  const state = new Float64Array(4);
  const breaks = listBreaks(regimen, end);
  let running = 0;
  let steps = 0;
  let begin = 0;
  for (const next of [...breaks, { time: end, begins: 0, ends: 0 }]) {
    if (next.time > begin) {
      solver.restart(begin, state);
      curve.noteStart(begin, state);
      while (solver.time < next.time) {
        solver.step(next.time);
        curve.noteStep(solver);
        steps += 1;
        if (steps % STEPS_PER_PIECE === 0) yield;
        if (steps > MOST_STEPS) throw new ToolProblem(TOO_FAST);
      }
      state.set(solver.state);
    }
    begin = next.time;
    running += next.begins - next.ends;
    addDoses(state, regimen, next.begins);
    input.rate = regimen.route === 'iv_infusion' ? (running * regimen.dose) / regimen.infusionDuration : 0;
  }
  return { times, ...curve.finish(end, state), area: state[AREA] ?? 0 };
}

const TOO_FAST =
  'some rates are so fast for so long a time that it cannot be solved step by step; ' +
  'look at the volumes, clearances and the absorption rate, or simulate a shorter time';

function createSolver(
  body: Body,
  regimen: Regimen,
  input: { readonly rate: number },
  relativeTolerance: number,
): DormandPrince {
  const { absorptionRate, clearance, centralVolume, peripheral } = body;
  const exchange =
    peripheral === null ? 0 : peripheral.clearance / Math.min(centralVolume, peripheral.volume);
  const fastest = Math.max(absorptionRate, clearance / centralVolume, exchange);
  const nothing = NOTHING * relativeTolerance * regimen.dose;
  return new DormandPrince(createDerivative(body, input), {
    relativeTolerance,
    absoluteTolerances: [nothing, nothing, nothing, nothing / centralVolume],
    firstStep: 0.05 / fastest,
  });
}

function createDerivative(body: Body, input: { readonly rate: number }): Derivative {
  const { absorptionRate, clearance, centralVolume, peripheral } = body;
  const elimination = clearance / centralVolume;
  const outward = peripheral === null ? 0 : peripheral.clearance / centralVolume;
  const back = peripheral === null ? 0 : peripheral.clearance / peripheral.volume;
  return (state, out) => {
    const central = state[CENTRAL] ?? 0;
    const absorbed = absorptionRate * (state[GUT] ?? 0);
    const exchanged = outward * central - back * (state[PERIPHERAL] ?? 0);
    out[GUT] = -absorbed;
    out[CENTRAL] = input.rate + absorbed - elimination * central - exchanged;
    out[PERIPHERAL] = exchanged;
    out[AREA] = central / centralVolume;
  };
}

function addDoses(state: Float64Array, { route, dose, bioavailability }: Regimen, count: number): void {
  if (route === 'oral') state[GUT] = (state[GUT] ?? 0) + count * dose * bioavailability;
  if (route === 'iv_bolus') state[CENTRAL] = (state[CENTRAL] ?? 0) + count * dose;
}

/** Takes the concentrations at the times asked for, and the peak, from a solver's steps. */
class CurveRecorder {
  readonly #times: Float64Array;
  readonly #volume: number;
  readonly #derivative: Derivative;
  readonly #concentrations: Float64Array;
  readonly #between = new Float64Array(4);
  readonly #slope = new Float64Array(4);
  #next = 0;
  #peak = { time: 0, concentration: 0 };
  /** Whether the concentration rose at the end of the last step. */
  #isRising = false;

  constructor(times: Float64Array, volume: number, derivative: Derivative) {
    this.#times = times;
    this.#volume = volume;
    this.#derivative = derivative;
    this.#concentrations = new Float64Array(times.length);
  }

  /** The state from which solving goes on, after a jump. */
  noteStart(time: number, state: Float64Array): void {
    this.#notePeak(time, state);
    this.#isRising = this.#rises(state);
    if (this.#times[this.#next] === time) this.#note(state);
  }

  noteStep(solver: DormandPrince): void {
    const { time, state } = solver;
    for (let next = this.#times[this.#next]; next !== undefined && next < time; ) {
      solver.solveWithin(next, this.#between);
      this.#note(this.#between);
      next = this.#times[this.#next];
    }
    // Once: the same time again is what it is after the jump that follows.
    if (this.#times[this.#next] === time) this.#note(state);
    const isRising = this.#rises(state);
    if (this.#isRising && !isRising) this.#findPeak(solver);
    this.#isRising = isRising;
  }

  finish(end: number, state: Float64Array): Pick<Curve, 'concentrations' | 'peak'> {
    this.#notePeak(end, state);
    return { concentrations: this.#concentrations, peak: this.#peak };
  }

  #note(state: Float64Array): void {
    // Where everything is eliminated, rounding may leave a little less than nothing.
    this.#concentrations[this.#next] = Math.max(0, (state[CENTRAL] ?? 0) / this.#volume);
    this.#next += 1;
  }

  /** At a jump of the input, where it stops to rise, or at the end. Of peaks that are the same, it's the last. */
  #notePeak(time: number, state: Float64Array): void {
    const concentration = (state[CENTRAL] ?? 0) / this.#volume;
    const { concentration: highest } = this.#peak;
    if (concentration <= highest * (1 - SAME_HEIGHT)) return;
    this.#peak = { time, concentration: Math.max(concentration, highest) };
  }

  #rises(state: Float64Array): boolean {
    this.#derivative(state, this.#slope);
    return (this.#slope[CENTRAL] ?? 0) > 0;
  }

  /** Halves the step in which the concentration stops to rise. */
  #findPeak(solver: DormandPrince): void {
    let [low, high] = [solver.stepStart, solver.time];
    for (let i = 0; i < HALVINGS; i++) {
      const middle = (low + high) / 2;
      solver.solveWithin(middle, this.#between);
      if (this.#rises(this.#between)) low = middle;
      else high = middle;
    }
    this.#notePeak(high, this.#between);
  }
}
