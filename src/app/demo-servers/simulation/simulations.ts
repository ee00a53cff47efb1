import type { Ids } from '../../../lib/clock.ts';
import { ToolProblem } from '../../../lib/text/tool-answers.ts';
import { calculatePkParameters, type PkParameters } from './maths/pk-parameters.ts';
import { sampleTimes } from './maths/regimen.ts';
import { type Curve, simulate } from './maths/simulate.ts';
import { buildBody, buildRegimen, type Model, type ParameterName, type Settings } from './parameters.ts';

/** A loaded simulation. */
export interface Simulation {
  readonly id: string;
  readonly model: Model;
  readonly settings: Settings;
  /** Of the last run, until a parameter changes. */
  readonly run: SimulationRun | null;
}

export interface SimulationRun {
  /** In hours. */
  readonly end: number;
  readonly curve: Curve;
  readonly parameters: PkParameters;
}

/** Simulations that are kept; the one that was used longest ago goes first. */
const MOST_KEPT = 50;
/** Keeps the errors of all steps together far below 1e-6. */
const RELATIVE_TOLERANCE = 1e-10;
/** Evenly spaced times of a curve, and as many after the last jump of the input. */
const TIMES = 480;

/** The simulations of this process. */
export class Simulations {
  readonly #ids: Ids;
  readonly #kept = new Map<string, Simulation>();
  readonly #giveWay: () => Promise<void>;

  /** @param giveWay is awaited between pieces of work of some milliseconds. */
  constructor(ids: Ids, giveWay: () => Promise<void>) {
    this.#ids = ids;
    this.#giveWay = giveWay;
  }

  load(model: Model): Simulation {
    const simulation = { id: this.#ids(), model, settings: {}, run: null };
    this.#put(simulation);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > MOST_KEPT && oldest !== undefined) this.#kept.delete(oldest);
    return simulation;
  }

  /** @throws ToolProblem for a simulation that isn't there. */
  get(id: string): Simulation {
    const found = this.#kept.get(id);
    if (found === undefined) {
      throw new ToolProblem(
        `there is no simulation ${id}; load one first. None is kept when the server restarts`,
      );
    }
    this.#put(found);
    return found;
  }

  /** Sets a value, in the unit that is calculated in; what was run before no longer counts. */
  set(id: string, name: ParameterName, value: number): Simulation {
    const { settings, ...simulation } = this.get(id);
    const changed = { ...simulation, settings: { ...settings, [name]: value }, run: null };
    this.#put(changed);
    return changed;
  }

  /**
   * Solves the simulation to `end`, in hours, and keeps what came of it. Other work has its turn meanwhile.
   *
   * @throws ToolProblem also when a parameter was changed meanwhile.
   */
  async run(id: string, end: number): Promise<SimulationRun> {
    const { model, settings } = this.get(id);
    const regimen = buildRegimen(model, settings);
    const times = sampleTimes(regimen, end, TIMES);
    const body = buildBody(model, settings);
    const pieces = simulate({ body, regimen, times, relativeTolerance: RELATIVE_TOLERANCE });
    let piece = pieces.next();
    for (; !piece.done; piece = pieces.next()) await this.#giveWay();
    const curve = piece.value;
    const run = { end, curve, parameters: calculatePkParameters({ body, regimen, end, curve }) };
    const now = this.get(id);
    if (now.settings !== settings) throw new ToolProblem('a parameter was changed while it ran');
    this.#put({ ...now, run });
    return run;
  }

  #put(simulation: Simulation): void {
    this.#kept.delete(simulation.id);
    this.#kept.set(simulation.id, simulation);
  }
}
