import { z } from 'zod';
import { MOST_HOURS, ROUTES } from './maths/regimen.ts';
import { PARAMETER_NAMES, PARAMETERS } from './parameters.ts';
import { CONCENTRATION_UNITS, DIMENSIONS, type DimensionName, listUnits } from './units.ts';

const simulationId = z.string().min(1).meta({
  title: 'Simulation',
  description: 'Which simulation, by the id that load_simulation gave.',
});

const jobId = z.string().min(1).meta({
  title: 'Job',
  description: 'Which job, by the id that run_population_simulation gave.',
});

const parameter = z
  .enum(PARAMETER_NAMES)
  .meta({ title: 'Parameter', description: 'The name of a parameter.' });

const allUnits = [...new Set(Object.keys(DIMENSIONS).filter(isDimension).flatMap(listUnits))];

const unit = z.enum(allUnits).meta({
  title: 'Unit',
  description: `The unit of the value. ${describeUnits()}`,
});

const durationHours = z.number().min(0.1).max(MOST_HOURS).meta({
  title: 'Duration (h)',
  description:
    'How long to simulate, in hours; left out, until an interval after the last dose, and for a day at least.',
});

const concentrationUnit = z
  .literal(Object.keys(CONCENTRATION_UNITS).filter(isConcentrationUnit))
  .default('mg/L');

const concentrationUnitInput = concentrationUnit.meta({
  title: 'Unit of concentrations',
  description: 'In which unit concentrations are given.',
});

const plot = z
  .boolean()
  .default(true)
  .meta({ title: 'Plot', description: 'Whether to add a plot, as a PNG.' });

const cvPercent = (what: string) =>
  z
    .number()
    .min(0)
    .max(150)
    .meta({
      title: `Variability of ${what} (%)`,
      description: `How much ${what} differs between subjects: the coefficient of variation of a log-normal distribution, in percent.`,
    });

export const loadInput = z.strictObject({
  compartments: z.literal([1, 2]).default(1).meta({
    title: 'Compartments',
    description: '1: the drug is spread over the body at once. 2: it also moves between blood and tissue.',
  }),
  route: z.enum(ROUTES).default('oral').meta({
    title: 'Route',
    description:
      'How doses are given: oral (first-order absorption), iv_bolus (at once into a vein) or iv_infusion (evenly over some time).',
  }),
});

export const simulationInput = z.strictObject({ simulation_id: simulationId });

export const getValueInput = z
  .strictObject({
    simulation_id: simulationId,
    parameter,
    unit: unit.optional().meta({
      title: 'Unit',
      description: `In which unit; left out, the parameter’s own. ${describeUnits()}`,
    }),
  })
  .meta(fittingUnits({ isWithValue: false }));

export const setValueInput = z
  .strictObject({
    simulation_id: simulationId,
    parameter,
    value: z.number().meta({ title: 'Value', description: 'The new value, in the unit.' }),
    unit,
  })
  .meta(fittingUnits({ isWithValue: true }));

export const runInput = z.strictObject({
  simulation_id: simulationId,
  duration_h: durationHours.optional(),
  concentration_unit: concentrationUnitInput,
  plot,
});

export const calculateInput = z.strictObject({
  simulation_id: simulationId,
  concentration_unit: concentrationUnitInput,
});

export const populationInput = z.strictObject({
  simulation_id: simulationId,
  subjects: z
    .int()
    .min(1)
    .max(5000)
    .default(1000)
    .meta({ title: 'Subjects', description: 'How many people to simulate.' }),
  seed: z
    .int()
    .min(0)
    .max(2 ** 32 - 1)
    .default(1)
    .meta({ title: 'Seed', description: 'The same seed gives the same people, and the same numbers.' }),
  clearance_cv: cvPercent('clearance').default(30),
  central_volume_cv: cvPercent('central volume').default(20),
  absorption_rate_cv: cvPercent('absorption rate').default(40),
  duration_h: durationHours.optional(),
});

export const jobStatusInput = z.strictObject({
  job_id: jobId,
  wait_seconds: z.number().min(0).max(50).default(0).meta({
    title: 'Wait (s)',
    description: 'How long to wait for the job’s end before answering, in seconds.',
  }),
  concentration_unit: concentrationUnitInput,
  plot,
});

export const cancelInput = z.strictObject({ job_id: jobId });

/**
 * JSON Schema that ties the unit to the parameter, and the sign of the value: whoever checks arguments by the schema, as
 * a gate does before people are asked, refuses a clearance in mg. It's a chain of if and else, since some providers of
 * models refuse `allOf` and its like at the top of a schema.
 */
function fittingUnits({ isWithValue }: { readonly isWithValue: boolean }): Record<string, unknown> {
  return Object.keys(DIMENSIONS)
    .filter(isDimension)
    .reduceRight<Record<string, unknown>>((others, dimension) => {
      const names = PARAMETER_NAMES.filter((name) => PARAMETERS[name].dimension === dimension);
      const properties = {
        unit: { enum: listUnits(dimension) },
        ...(isWithValue && { value: limits(dimension) }),
      };
      return {
        if: { properties: { parameter: { enum: names } }, required: ['parameter'] },
        // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
        then: { properties },
        ...(Object.keys(others).length > 0 && { else: others }),
      };
    }, {});
}

/** What holds in every unit of the dimension. */
function limits(dimension: DimensionName): Record<string, unknown> {
  const { least, most } = PARAMETERS.dose_count;
  if (dimension === 'count') return { type: 'integer', minimum: least, maximum: most };
  return dimension === 'delay' ? { minimum: 0 } : { exclusiveMinimum: 0 };
}

function describeUnits(): string {
  const lines = Object.keys(DIMENSIONS)
    .filter(isDimension)
    .map((dimension) => {
      const names = PARAMETER_NAMES.filter((name) => PARAMETERS[name].dimension === dimension);
      return `${names.join(', ')}: ${listUnits(dimension).join(', ')}`;
    });
  return `${lines.join('; ')}.`;
}

function isDimension(name: string): name is DimensionName {
  return Object.hasOwn(DIMENSIONS, name);
}

function isConcentrationUnit(name: string): name is keyof typeof CONCENTRATION_UNITS {
  return Object.hasOwn(CONCENTRATION_UNITS, name);
}
