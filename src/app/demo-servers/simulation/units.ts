import { ToolProblem } from '../../../lib/text/tool-answers.ts';

interface Dimension {
  /** What a unit of it measures, as in "mg measures mass". */
  readonly measures: string;
  /**
   * Its units, the first being the one that values are listed in, each as a fraction of the one that is calculated in:
   * numerator and denominator are whole, so that a conversion rounds no more than it must.
   */
  readonly units: Readonly<Record<string, readonly [numerator: number, denominator: number]>>;
}

/** What parameters are measured in. */
export const DIMENSIONS = {
  weight: { measures: 'mass', units: { kg: [1, 1], g: [1, 1000] } },
  dose: { measures: 'mass', units: { mg: [1, 1], g: [1000, 1], ug: [1, 1000] } },
  time: { measures: 'time', units: { h: [1, 1], min: [1, 60], day: [24, 1] } },
  delay: { measures: 'time', units: { h: [1, 1], min: [1, 60], day: [24, 1] } },
  volume: { measures: 'volume', units: { L: [1, 1], mL: [1, 1000] } },
  clearance: {
    measures: 'volume per time',
    units: { 'L/h': [1, 1], 'L/day': [1, 24], 'mL/min': [60, 1000], 'mL/h': [1, 1000] },
  },
  rate: { measures: 'a rate', units: { '1/h': [1, 1], '1/min': [60, 1], '1/day': [1, 24] } },
  part: { measures: 'a part of a whole', units: { '%': [1, 100], fraction: [1, 1] } },
  count: { measures: 'a number of doses', units: { doses: [1, 1] } },
} as const satisfies Record<string, Dimension>;

export type DimensionName = keyof typeof DIMENSIONS;

/** What concentrations can be given in, each as a fraction of mg/L. */
export const CONCENTRATION_UNITS = {
  'mg/L': [1, 1],
  'ug/mL': [1, 1],
  'ug/L': [1, 1000],
  'ng/mL': [1, 1000],
} as const satisfies Dimension['units'];

export type ConcentrationUnit = keyof typeof CONCENTRATION_UNITS;

/** The units of a dimension; the first is the one that values are listed in. */
export function listUnits(dimension: DimensionName): readonly string[] {
  return Object.keys(DIMENSIONS[dimension].units);
}

/** Converts a value of a parameter to the unit that is calculated in. */
export function fromUnit(value: number, unit: string, parameter: UnitUser): number {
  const [numerator, denominator] = findUnit(unit, parameter);
  return (value * numerator) / denominator;
}

/** Converts a value of a parameter from the unit that is calculated in. */
export function toUnit(value: number, unit: string, parameter: UnitUser): number {
  const [numerator, denominator] = findUnit(unit, parameter);
  return (value * denominator) / numerator;
}

/** Converts a concentration, or an area of concentrations, from mg/L or mg·h/L. */
export function toConcentration(value: number, unit: ConcentrationUnit): number {
  const [numerator, denominator] = CONCENTRATION_UNITS[unit];
  return (value * denominator) / numerator;
}

const ALTERNATIVES = new Intl.ListFormat('en-GB', { type: 'disjunction' });

interface UnitUser {
  readonly title: string;
  readonly dimension: DimensionName;
}

/** @throws ToolProblem for a unit that doesn't fit, with what it measures. */
function findUnit(unit: string, { title, dimension }: UnitUser): readonly [number, number] {
  const { units }: Dimension = DIMENSIONS[dimension];
  const found = Object.hasOwn(units, unit) ? units[unit] : undefined;
  if (found !== undefined) return found;
  const dimensions: readonly Dimension[] = Object.values(DIMENSIONS);
  const other = dimensions.find((it) => Object.hasOwn(it.units, unit));
  const what =
    other === undefined
      ? `there is no unit “${unit}”`
      : other.measures === DIMENSIONS[dimension].measures
        ? `“${unit}” is not taken for it`
        : `“${unit}” measures ${other.measures}`;
  throw new ToolProblem(`${title} is in ${ALTERNATIVES.format(listUnits(dimension))}; ${what}`);
}
