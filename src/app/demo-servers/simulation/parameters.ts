import { ToolProblem } from '../../../lib/text/tool-answers.ts';
import type { Regimen, Route } from './maths/regimen.ts';
import type { Body } from './maths/simulate.ts';
import { type DimensionName, toUnit } from './units.ts';

/** How many compartments a body has, and how doses enter it. */
export interface Model {
  readonly compartments: 1 | 2;
  readonly route: Route;
}

interface Parameter {
  readonly title: string;
  readonly description: string;
  readonly dimension: DimensionName;
  /** What it begins with, and its range, in the unit that is calculated in. */
  readonly initial: number;
  readonly least: number;
  readonly most: number;
  /** The models that have it. */
  readonly isIn: (model: Model) => boolean;
}

const always = () => true;
const isOral = ({ route }: Model) => route === 'oral';
const hasTwo = ({ compartments }: Model) => compartments === 2;

/** The parameters of all models. The initial values are of no drug in particular. */
export const PARAMETERS = {
  body_weight: {
    title: 'Body weight',
    description: 'Of the person. Clearances scale with (weight / 70 kg)^0.75, volumes with weight / 70 kg.',
    ...{ dimension: 'weight', initial: 70, least: 1, most: 300, isIn: always },
  },
  dose: {
    title: 'Dose',
    description: 'The amount that is given each time.',
    ...{ dimension: 'dose', initial: 500, least: 0.001, most: 100_000, isIn: always },
  },
  dose_interval: {
    title: 'Dose interval',
    description: 'The time from one dose to the next, such as 12 h for twice a day.',
    ...{ dimension: 'time', initial: 12, least: 0.5, most: 720, isIn: always },
  },
  dose_count: {
    title: 'Number of doses',
    description: 'How many doses are given; 1 is a single dose.',
    ...{ dimension: 'count', initial: 14, least: 1, most: 200, isIn: always },
  },
  infusion_duration: {
    title: 'Infusion duration',
    description: 'How long each dose flows in.',
    ...{ dimension: 'time', initial: 1, least: 1 / 60, most: 720 },
    isIn: ({ route }: Model) => route === 'iv_infusion',
  },
  bioavailability: {
    title: 'Bioavailability',
    description: 'The part of an oral dose that reaches the blood.',
    ...{ dimension: 'part', initial: 0.8, least: 0.001, most: 1, isIn: isOral },
  },
  lag_time: {
    title: 'Lag time',
    description: 'How long after an oral dose its absorption begins.',
    ...{ dimension: 'delay', initial: 0.25, least: 0, most: 24, isIn: isOral },
  },
  absorption_rate: {
    title: 'Absorption rate',
    description: 'The constant of first-order absorption, ka.',
    ...{ dimension: 'rate', initial: 1, least: 0.01, most: 20, isIn: isOral },
  },
  clearance: {
    title: 'Clearance',
    description: 'The blood that is freed of the drug per time, in a person of 70 kg.',
    ...{ dimension: 'clearance', initial: 5, least: 0.001, most: 500, isIn: always },
  },
  central_volume: {
    title: 'Central volume',
    description: 'The volume of the central compartment, in a person of 70 kg.',
    ...{ dimension: 'volume', initial: 50, least: 0.5, most: 5000, isIn: always },
  },
  intercompartmental_clearance: {
    title: 'Intercompartmental clearance',
    description: 'The flow between the central and the peripheral compartment, in a person of 70 kg.',
    ...{ dimension: 'clearance', initial: 10, least: 0.001, most: 500, isIn: hasTwo },
  },
  peripheral_volume: {
    title: 'Peripheral volume',
    description: 'The volume of the peripheral compartment, in a person of 70 kg.',
    ...{ dimension: 'volume', initial: 80, least: 0.5, most: 5000, isIn: hasTwo },
  },
} as const satisfies Record<string, Parameter>;

export type ParameterName = keyof typeof PARAMETERS;

/** The values that were set, in the unit that is calculated in; the others are the initial ones. */
export type Settings = Readonly<Partial<Record<ParameterName, number>>>;

/** All names, in order. */
export const PARAMETER_NAMES = Object.keys(PARAMETERS).filter(isParameterName);

function isParameterName(name: string): name is ParameterName {
  return Object.hasOwn(PARAMETERS, name);
}

/** A parameter's value, in the unit that is calculated in. */
export function readSetting(settings: Settings, name: ParameterName): number {
  return settings[name] ?? PARAMETERS[name].initial;
}

/** The parameters that a model has. */
export function listParameters(model: Model): readonly ParameterName[] {
  return PARAMETER_NAMES.filter((name) => PARAMETERS[name].isIn(model));
}

/** @throws ToolProblem where the model has no such parameter. */
export function checkParameter(model: Model, name: ParameterName): void {
  if (PARAMETERS[name].isIn(model)) return;
  throw new ToolProblem(`${PARAMETERS[name].title} is no parameter of ${describeModel(model)}`);
}

/**
 * Checks the range of a value, in the unit that is calculated in.
 *
 * @param unit for the message.
 * @throws ToolProblem
 */
export function checkValue(name: ParameterName, value: number, unit: string): void {
  const { title, dimension, least, most } = PARAMETERS[name];
  if (dimension === 'count' && !Number.isInteger(value)) throw new ToolProblem(`${title} is a whole number`);
  if (value >= least && value <= most) return;
  const show = (limit: number) => formatQuantity(toUnit(limit, unit, PARAMETERS[name]), unit);
  const given = formatQuantity(toUnit(value, unit, PARAMETERS[name]), unit);
  throw new ToolProblem(`${title} must be from ${show(least)} to ${show(most)}, and not ${given}`);
}

/** "a model with one compartment and oral doses" */
export function describeModel({ compartments, route }: Model): string {
  const doses = { oral: 'oral doses', iv_bolus: 'IV boluses', iv_infusion: 'IV infusions' }[route];
  return `a model with ${compartments === 1 ? 'one compartment' : 'two compartments'} and ${doses}`;
}

/** "12.5 L/h", with the digits that matter. */
export function formatQuantity(value: number, unit: string): string {
  const digits = Number(value.toPrecision(6)).toLocaleString('en-GB', { maximumSignificantDigits: 6 });
  return `${digits} ${unit}`;
}

const REFERENCE_WEIGHT_KG = 70;

/**
 * The body that the settings describe, its clearances and volumes scaled with the weight.
 *
 * @see Anderson, Holford: Mechanism-based concepts of size and maturity in pharmacokinetics (2008), for the exponents
 */
export function buildBody({ compartments, route }: Model, settings: Settings): Body {
  const value = (name: ParameterName) => readSetting(settings, name);
  const size = value('body_weight') / REFERENCE_WEIGHT_KG;
  const flow = size ** 0.75;
  return {
    // Without oral doses nothing is in the gut, and a rate would only make the steps of the solver shorter.
    absorptionRate: route === 'oral' ? value('absorption_rate') : 0,
    clearance: value('clearance') * flow,
    centralVolume: value('central_volume') * size,
    peripheral:
      compartments === 1
        ? null
        : {
            volume: value('peripheral_volume') * size,
            clearance: value('intercompartmental_clearance') * flow,
          },
  };
}

export function buildRegimen({ route }: Model, settings: Settings): Regimen {
  const value = (name: ParameterName) => readSetting(settings, name);
  return {
    route,
    dose: value('dose'),
    doseCount: value('dose_count'),
    interval: value('dose_interval'),
    infusionDuration: value('infusion_duration'),
    lagTime: value('lag_time'),
    bioavailability: value('bioavailability'),
  };
}
