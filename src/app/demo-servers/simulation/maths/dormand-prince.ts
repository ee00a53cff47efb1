/** Writes the derivative of a state into `out`; it doesn't depend on the time. */
export type Derivative = (state: Float64Array, out: Float64Array) => void;

interface SolverOptions {
  /** Of each component, per step. */
  readonly relativeTolerance: number;
  /** For each component, per step: what counts as nothing. */
  readonly absoluteTolerances: readonly number[];
  /** The first step after a restart, in the unit of the time. */
  readonly firstStep: number;
}

/** Row i gives the weights of the slopes before stage i + 1; the last row is also the solution of order 5. */
const STAGES: readonly (readonly number[])[] = [
  [1 / 5],
  [3 / 40, 9 / 40],
  [44 / 45, -56 / 15, 32 / 9],
  [19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729],
  [9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656],
  [35 / 384, 0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84],
];
/** The solution of order 5 minus the one of order 4. */
const ERROR = [71 / 57600, 0, -71 / 16695, 71 / 1920, -17253 / 339200, 22 / 525, -1 / 40];
/** A step grows and shrinks by at most this; {@link SAFETY} is how far below the tolerance it aims. */
const MOST_GROWTH = 5;
const MOST_SHRINKING = 0.2;
const SAFETY = 0.9;

/**
 * A Runge–Kutta solver of order 5 with the error of each step estimated by order 4 (Dormand–Prince, DOPRI5), for
 * systems that don't depend on the time. It knows of no jumps: whoever uses it steps up to a jump and restarts there.
 *
 * @see Hairer, Nørsett, Wanner: Solving Ordinary Differential Equations I, II.4 and II.5
 */
export class DormandPrince {
  readonly #derivative: Derivative;
  readonly #options: SolverOptions;
  readonly #size: number;
  /** The slopes of the stages of a step, and those at its ends. */
  readonly #slopes: Float64Array[];
  readonly #startSlope: Float64Array;
  readonly #endSlope: Float64Array;
  readonly #trial: Float64Array;
  readonly #state: Float64Array;
  readonly #before: Float64Array;
  #time = 0;
  #stepStart = 0;
  #nextStep: number;
  /** Whether the slope at the end is that of the state. */
  #isPrepared = false;

  constructor(derivative: Derivative, options: SolverOptions) {
    this.#derivative = derivative;
    this.#options = options;
    this.#size = options.absoluteTolerances.length;
    this.#slopes = Array.from({ length: 7 }, () => new Float64Array(this.#size));
    this.#startSlope = new Float64Array(this.#size);
    this.#endSlope = new Float64Array(this.#size);
    this.#trial = new Float64Array(this.#size);
    this.#state = new Float64Array(this.#size);
    this.#before = new Float64Array(this.#size);
    this.#nextStep = options.firstStep;
  }

  get time(): number {
    return this.#time;
  }

  /** When the last step began. */
  get stepStart(): number {
    return this.#stepStart;
  }

  /** The state at {@link time}; not to be changed, and only valid until the next step. */
  get state(): Float64Array {
    return this.#state;
  }

  /** Goes on from another state, or with another derivative, after a jump. */
  restart(time: number, state: Float64Array): void {
    this.#time = time;
    this.#state.set(state);
    this.#nextStep = this.#options.firstStep;
    this.#isPrepared = false;
  }

  /** Makes one step whose error is within the tolerance, and that ends at `until` at the latest. */
  step(until: number): void {
    if (!this.#isPrepared) this.#derivative(this.#state, this.#endSlope);
    this.#startSlope.set(this.#endSlope);
    for (;;) {
      const remaining = until - this.#time;
      // A remainder that would be a tiny step of its own is made with this one.
      const isLast = this.#nextStep * 1.01 >= remaining;
      const size = isLast ? remaining : this.#nextStep;
      this.#runStages(this.#state, size);
      const error = this.#estimateError(size);
      const factor = error === 0 ? MOST_GROWTH : SAFETY * error ** -0.2;
      const next = size * Math.min(MOST_GROWTH, Math.max(MOST_SHRINKING, factor));
      // A step that was cut short says little of how long the next may be.
      this.#nextStep = isLast && error <= 1 ? Math.max(next, this.#nextStep) : next;
      if (error <= 1) {
        this.#accept(isLast ? until : this.#time + size);
        return;
      }
    }
  }

  /**
   * Writes the state at a time within the last step: by a shorter step from the same start, whose error is smaller still.
   * An interpolation between the ends of a step would have an error of its own.
   */
  solveWithin(time: number, out: Float64Array): void {
    this.#runStages(this.#before, time - this.#stepStart);
    out.set(this.#trial);
  }

  #slope(stage: number): Float64Array {
    return this.#slopes[stage] ?? this.#trial;
  }

  /** Leaves the state after a step from `start` in the trial, and its slope in the last stage. */
  #runStages(start: Float64Array, size: number): void {
    this.#slope(0).set(this.#startSlope);
    for (const [row, weights] of STAGES.entries()) {
      for (let i = 0; i < this.#size; i++) {
        this.#trial[i] = at(start, i) + size * this.#combine(weights, i);
      }
      this.#derivative(this.#trial, this.#slope(row + 1));
    }
  }

  /** A weighted sum of the slopes of component `i`. */
  #combine(weights: readonly number[], i: number): number {
    let sum = 0;
    for (let stage = 0; stage < weights.length; stage++) {
      sum += (weights[stage] ?? 0) * at(this.#slope(stage), i);
    }
    return sum;
  }

  /** The largest error of a component, in units of its tolerance. */
  #estimateError(size: number): number {
    const { relativeTolerance, absoluteTolerances } = this.#options;
    let largest = 0;
    for (let i = 0; i < this.#size; i++) {
      const scale = Math.max(Math.abs(at(this.#state, i)), Math.abs(at(this.#trial, i)));
      const tolerance = (absoluteTolerances[i] ?? 0) + relativeTolerance * scale;
      largest = Math.max(largest, Math.abs(size * this.#combine(ERROR, i)) / tolerance);
    }
    return largest;
  }

  #accept(time: number): void {
    this.#stepStart = this.#time;
    this.#time = time;
    this.#before.set(this.#state);
    this.#state.set(this.#trial);
    this.#endSlope.set(this.#slope(6));
    this.#isPrepared = true;
  }
}

/** An element that is known to be there. */
function at(values: Float64Array, index: number): number {
  return values[index] ?? 0;
}
