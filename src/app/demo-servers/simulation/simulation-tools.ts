import type { McpServer } from '@modelcontextprotocol/server';
import { answer, answering, ToolProblem } from '../../../lib/text/tool-answers.ts';
import type { Lab } from './lab.ts';
import { defaultEnd } from './maths/regimen.ts';
import { changedOutput, pkOutput, runOutput, simulationOutput, valueOutput } from './output-schemas.ts';
import {
  buildRegimen,
  checkParameter,
  checkValue,
  describeModel,
  formatQuantity,
  PARAMETERS,
} from './parameters.ts';
import { plotConcentrations } from './plot/plot.ts';
import {
  calculateInput,
  getValueInput,
  loadInput,
  runInput,
  setValueInput,
  simulationInput,
} from './schemas.ts';
import type { SimulationRun } from './simulations.ts';
import { type ConcentrationUnit, fromUnit, toConcentration } from './units.ts';
import {
  concentration,
  curveView,
  describeParameters,
  describePk,
  describeRegimen,
  ownUnit,
  parameterView,
  runView,
  short,
  simulationView,
} from './views.ts';

const READS = { readOnlyHint: true, openWorldHint: false } as const;
/** Nothing is lost by it for good: what is set can be set back, and what is run can be run again. */
const WRITES = { readOnlyHint: false, destructiveHint: false, openWorldHint: false } as const;

/** The tools that read of a simulation, and change nothing. */
export function registerReads(server: McpServer, { simulations }: Lab): void {
  server.registerTool(
    'list_parameters',
    {
      title: 'List parameters',
      description: 'Lists the parameters of a simulation with their values, units and ranges.',
      inputSchema: simulationInput,
      outputSchema: simulationOutput,
      annotations: READS,
    },
    ({ simulation_id }) =>
      answering('Nothing was read.', () => {
        const simulation = simulations.get(simulation_id);
        const heading = `${simulation_id} is ${describeModel(simulation.model)}:`;
        return answer(`${heading}${describeParameters(simulation)}`, simulationView(simulation));
      }),
  );
  server.registerTool(
    'get_parameter_value',
    {
      title: 'Get parameter value',
      description: 'Gives the value of one parameter of a simulation.',
      inputSchema: getValueInput,
      outputSchema: valueOutput,
      annotations: READS,
    },
    ({ simulation_id, parameter, unit = ownUnit(parameter) }) =>
      answering('Nothing was read.', () => {
        const { model, settings } = simulations.get(simulation_id);
        checkParameter(model, parameter);
        const view = parameterView(settings, parameter, unit);
        const sentence = `${PARAMETERS[parameter].title} is ${formatQuantity(view.value, unit)}.`;
        return answer(sentence, { simulation_id, parameter: view });
      }),
  );
  server.registerTool(
    'calculate_pk_parameters',
    {
      title: 'Calculate PK parameters',
      description:
        'Calculates Cmax, Tmax, AUC and the terminal half-life of the last run of a simulation. ' +
        'The half-life and the AUC to infinity are those of its model.',
      inputSchema: calculateInput,
      outputSchema: pkOutput,
      annotations: READS,
    },
    ({ simulation_id, concentration_unit }) =>
      answering('Nothing was calculated.', () => {
        const { run } = simulations.get(simulation_id);
        if (run === null) {
          throw new ToolProblem(
            `simulation ${simulation_id} has not run since it was loaded or changed; run it with run_simulation first`,
          );
        }
        const sentence = `${describePk(run, concentration_unit)}.`;
        return answer(sentence, runView(simulation_id, run, concentration_unit));
      }),
  );
}

/** The tools that load, change and run a simulation. */
export function registerWrites(server: McpServer, lab: Lab): void {
  const { simulations } = lab;
  server.registerTool(
    'load_simulation',
    {
      title: 'Load simulation',
      description:
        'Loads a pharmacokinetic model of compartments, with parameters of no drug in particular, and gives its id. ' +
        'Set what differs with set_parameter_value, then run it with run_simulation.',
      inputSchema: loadInput,
      outputSchema: simulationOutput,
      annotations: { ...WRITES, idempotentHint: false },
    },
    (model) =>
      answering('Nothing was loaded.', () => {
        const simulation = simulations.load(model);
        const heading = `Loaded ${simulation.id}, ${describeModel(model)}:`;
        return answer(`${heading}${describeParameters(simulation)}`, simulationView(simulation));
      }),
  );
  server.registerTool(
    'set_parameter_value',
    {
      title: 'Set parameter value',
      description: 'Sets one parameter of a simulation. What was run before no longer counts.',
      inputSchema: setValueInput,
      outputSchema: changedOutput,
      annotations: { ...WRITES, idempotentHint: true },
    },
    ({ simulation_id, parameter, value, unit }) =>
      answering('Nothing was changed.', () => {
        const { model, settings } = simulations.get(simulation_id);
        checkParameter(model, parameter);
        const calculated = fromUnit(value, unit, PARAMETERS[parameter]);
        checkValue(parameter, calculated, unit);
        const before = parameterView(settings, parameter, unit);
        const changed = simulations.set(simulation_id, parameter, calculated);
        const view = parameterView(changed.settings, parameter, unit);
        const was = formatQuantity(before.value, unit);
        const sentence = `${PARAMETERS[parameter].title} is now ${formatQuantity(view.value, unit)}; it was ${was}.`;
        return answer(sentence, { simulation_id, parameter: view, before: before.value });
      }),
  );
  registerRun(server, lab);
}

function registerRun(server: McpServer, lab: Lab): void {
  server.registerTool(
    'run_simulation',
    {
      title: 'Run simulation',
      description:
        'Solves a simulation and gives the concentrations over time, Cmax, Tmax, AUC and half-life, and a plot.',
      inputSchema: runInput,
      outputSchema: runOutput,
      annotations: { ...WRITES, idempotentHint: true },
    },
    ({ simulation_id, duration_h, concentration_unit, plot }) =>
      answering('Nothing was simulated.', async () => {
        const { model, settings } = lab.simulations.get(simulation_id);
        const end = duration_h ?? defaultEnd(buildRegimen(model, settings));
        const run = await lab.simulations.run(simulation_id, end);
        const title = describeRegimen(model, settings);
        const sentence = `Simulated ${short(end)} h. ${title}. ${describePk(run, concentration_unit)}.`;
        const curve = curveView(run.curve, concentration_unit);
        const images = plot ? [await plotRun(lab, run, title, concentration_unit)] : [];
        return answer(sentence, { ...runView(simulation_id, run, concentration_unit), curve }, images);
      }),
  );
}

function plotRun(
  { giveWay }: Lab,
  { curve }: SimulationRun,
  title: string,
  unit: ConcentrationUnit,
): Promise<Uint8Array> {
  const { times, concentrations, peak } = curve;
  const convert = (value: number) => toConcentration(value, unit);
  const input = {
    ...{ title, unit, times: [...times], band: null },
    line: { label: 'Concentration', values: [...concentrations].map(convert) },
    mark: {
      label: `Cmax ${concentration(peak.concentration, unit)} at ${short(peak.time)} h`,
      time: peak.time,
      value: convert(peak.concentration),
    },
  };
  return plotConcentrations(input, giveWay);
}
