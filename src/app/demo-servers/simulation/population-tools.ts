import type { McpServer, ServerContext } from '@modelcontextprotocol/server';
import { answer, answering } from '../../../lib/text/tool-answers.ts';
import type { Job } from './jobs.ts';
import type { Lab, PopulationRun } from './lab.ts';
import { simulatePopulation } from './maths/population.ts';
import { defaultEnd } from './maths/regimen.ts';
import { jobOutput, startedOutput } from './output-schemas.ts';
import { buildBody, buildRegimen } from './parameters.ts';
import { plotConcentrations } from './plot/plot.ts';
import { cancelInput, jobStatusInput, populationInput } from './schemas.ts';
import { type ConcentrationUnit, toConcentration } from './units.ts';
import { describeJob, describeRegimen, jobView } from './views.ts';

/** The tools for populations, which are simulated in jobs. */
export function registerPopulations(server: McpServer, lab: Lab): void {
  registerStart(server, lab);
  registerStatus(server, lab);
  server.registerTool(
    'cancel_job',
    {
      title: 'Cancel job',
      description: 'Ends a job that waits or runs. It has no results then; it can be started again.',
      inputSchema: cancelInput,
      outputSchema: jobOutput,
      annotations: { destructiveHint: false, idempotentHint: true, openWorldHint: false },
    },
    ({ job_id }) =>
      answering('Nothing was cancelled.', () => {
        const { state } = lab.jobs.get(job_id);
        const hadEnded = state !== 'queued' && state !== 'running';
        const job = lab.jobs.cancel(job_id);
        const ending = hadEnded ? '. It had ended before, so nothing was cancelled.' : '.';
        return answer(`${describeJob(job, 'mg/L')}${ending}`, jobView(job, 'mg/L'));
      }),
  );
}

function registerStart(server: McpServer, { simulations, jobs }: Lab): void {
  server.registerTool(
    'run_population_simulation',
    {
      title: 'Run population simulation',
      description:
        'Starts a job that simulates many people who differ at random, and gives its id at once. ' +
        'get_job_status gives its progress and its results, cancel_job ends it.',
      inputSchema: populationInput,
      outputSchema: startedOutput,
      annotations: { destructiveHint: false, idempotentHint: false, openWorldHint: false },
    },
    ({ simulation_id, subjects, seed, duration_h, ...spread }) =>
      answering('No job was started.', () => {
        const { model, settings } = simulations.get(simulation_id);
        const regimen = buildRegimen(model, settings);
        const end = duration_h ?? defaultEnd(regimen);
        const variability = {
          clearance: spread.clearance_cv / 100,
          centralVolume: spread.central_volume_cv / 100,
          absorptionRate: spread.absorption_rate_cv / 100,
        };
        const body = buildBody(model, settings);
        const input = { body, regimen, end, subjects, seed, variability };
        const about = {
          simulationId: simulation_id,
          title: describeRegimen(model, settings),
          subjects,
          seed,
          end,
        };
        const job = jobs.start(subjects, function* () {
          return { ...(yield* simulatePopulation(input)), ...about };
        });
        const count = subjects.toLocaleString('en-GB');
        return answer(`Started ${job.id}: ${count} subjects. ${about.title}.`, {
          job_id: job.id,
          state: job.state,
          total: subjects,
        });
      }),
  );
}

function registerStatus(server: McpServer, { jobs, giveWay }: Lab): void {
  server.registerTool(
    'get_job_status',
    {
      title: 'Get job status',
      description: 'Says how far a job is, and gives its results and a plot once it has succeeded.',
      inputSchema: jobStatusInput,
      outputSchema: jobOutput,
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    ({ job_id, wait_seconds, concentration_unit, plot }, context) =>
      answering('Nothing is known of it.', async () => {
        const { signal } = context.mcpReq;
        const onProgress = createProgress(context);
        const job = await jobs.wait(job_id, { ms: wait_seconds * 1000, signal, onProgress });
        const images =
          plot && job.result ? [await plotPopulation(job.result, concentration_unit, giveWay)] : [];
        const sentence = `${describeJob(job, concentration_unit)}.`;
        return answer(sentence, jobView(job, concentration_unit), images);
      }),
  );
}

/** Most progress notifications for one call: more than anybody sees. */
const MOST_NOTIFICATIONS = 50;

/** Tells a client that asked for it how far the job is, with numbers that rise. */
function createProgress({ mcpReq }: Pick<ServerContext, 'mcpReq'>): (job: Job<PopulationRun>) => void {
  const progressToken = mcpReq._meta?.progressToken;
  let told = -1;
  return ({ done, total }) => {
    const isDue = done > told && (told < 0 || done === total || done - told >= total / MOST_NOTIFICATIONS);
    if (progressToken === undefined || !isDue) return;
    told = done;
    const message = `${done.toLocaleString('en-GB')} of ${total.toLocaleString('en-GB')} subjects`;
    const params = { progressToken, progress: done, total, message };
    // A client that has gone hears nothing, and the request's own signal says so.
    mcpReq.notify({ method: 'notifications/progress', params }).catch(() => undefined);
  };
}

function plotPopulation(
  { title, subjects, seed, times, p5, median, p95 }: PopulationRun,
  unit: ConcentrationUnit,
  giveWay: () => Promise<void>,
): Promise<Uint8Array> {
  const convert = (values: Float64Array) => Array.from(values, (value) => toConcentration(value, unit));
  const count = subjects.toLocaleString('en-GB');
  const input = {
    ...{ title, unit, times: [...times], mark: null },
    line: { label: `Median of ${count} subjects (seed ${seed})`, values: convert(median) },
    band: { label: '5th to 95th percentile', low: convert(p5), high: convert(p95) },
  };
  return plotConcentrations(input, giveWay);
}
