import { z } from 'zod';
import { ROUTES } from './maths/regimen.ts';

const parameterValue = z.object({ name: z.string(), value: z.number(), unit: z.string() });

const parameterEntry = parameterValue.extend({
  title: z.string(),
  description: z.string(),
  minimum: z.number(),
  maximum: z.number(),
  units: z.array(z.string()).meta({ description: 'In which units it can be set.' }),
});

export const simulationOutput = z.object({
  simulation_id: z.string(),
  compartments: z.number(),
  route: z.enum(ROUTES),
  parameters: z.array(parameterEntry),
});

export const valueOutput = z.object({ simulation_id: z.string(), parameter: parameterValue });

export const changedOutput = valueOutput.extend({
  before: z.number().meta({ description: 'The value before, in the same unit.' }),
});

const perTime = (description: string) => z.array(z.number()).meta({ description });
const timesHours = perTime('In hours; a time that stands twice is before and after a dose.');

const pkParameters = z.object({
  cmax: z.number().meta({ description: 'The highest concentration, in concentration_unit.' }),
  tmax_h: z.number().meta({ description: 'When it is reached, in hours.' }),
  auc_to_end: z.number().meta({ description: 'The area under the curve to the end, in auc_unit.' }),
  auc_to_infinity: z.number().meta({
    description: 'Of all doses that are given before the end, by the model: what enters, over the clearance.',
  }),
  half_life_h: z.number().meta({
    description: 'Of the terminal phase, in hours, by the model: ln 2 over the slowest rate.',
  }),
  terminal_phase: z.enum(['elimination', 'absorption']).meta({
    description: 'Which process is the slowest; absorption is so in flip-flop kinetics.',
  }),
  concentration_at_end: z.number(),
});

const units = { concentration_unit: z.string(), auc_unit: z.string() };

export const pkOutput = z.object({
  simulation_id: z.string(),
  duration_h: z.number(),
  ...units,
  pk_parameters: pkParameters,
});

export const runOutput = pkOutput.extend({
  curve: z.object({ times_h: timesHours, concentrations: perTime('One for each time.') }),
});

const jobState = z.enum(['queued', 'running', 'succeeded', 'failed', 'cancelled']);

export const startedOutput = z.object({ job_id: z.string(), state: jobState, total: z.number() });

const distribution = z.object({
  p5: z.number(),
  median: z.number(),
  p95: z.number(),
  geometric_mean: z.number(),
  geometric_cv_percent: z.number(),
});

export const jobOutput = z.object({
  job_id: z.string(),
  state: jobState,
  done: z.number().meta({ description: 'How many subjects are done.' }),
  total: z.number(),
  seconds: z.number().meta({ description: 'For how long it has run.' }),
  error: z.string().nullable(),
  result: z
    .object({
      simulation_id: z.string(),
      subjects: z.number(),
      seed: z.number(),
      duration_h: z.number(),
      ...units,
      cmax: distribution,
      auc_to_end: distribution,
      concentrations: z.object({
        times_h: timesHours,
        p5: perTime('The 5th percentile at each time.'),
        median: perTime('The median at each time.'),
        p95: perTime('The 95th percentile at each time.'),
      }),
    })
    .nullable()
    .meta({ description: 'Null until it has succeeded.' }),
});
