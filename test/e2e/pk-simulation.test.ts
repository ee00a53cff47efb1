import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';

const main = new URL('../../examples/pk-simulation/main.ts', import.meta.url).pathname;

const jobSchema = z.object({
  structuredContent: z.looseObject({
    job_id: z.string(),
    state: z.string(),
    done: z.number().default(0),
    total: z.number(),
    result: z.looseObject({ cmax: z.looseObject({ median: z.number() }) }).nullish(),
  }),
});

const runSchema = z.looseObject({ curve: z.unknown() });

/** The example, as a process of its own. */
async function startExample() {
  const client = new Client({ name: 'test', version: '1.0.0' });
  const transport = new StdioClientTransport({ command: process.execPath, args: [main], stderr: 'pipe' });
  await client.connect(transport);
  onTestFinished(() => client.close());
  const call = (name: string, args: Record<string, unknown> = {}) =>
    client.callTool({ name, arguments: args });
  const loaded = await call('load_simulation', { compartments: 2 });
  const id = z.object({ simulation_id: z.string() }).parse(loaded.structuredContent).simulation_id;
  return { client, transport, call, id };
}

test('a simulation is loaded, set, run and analysed over stdio', async () => {
  const { call, id } = await startExample();
  const set = (parameter: string, value: number, unit: string) =>
    call('set_parameter_value', { simulation_id: id, parameter, value, unit });
  expect(await set('body_weight', 82, 'kg')).toMatchObject({ structuredContent: { before: 70 } });
  expect(await set('dose', 0.25, 'g')).toMatchObject({ structuredContent: { before: 0.5 } });
  expect(await set('clearance', 1, 'mg')).toMatchObject({ isError: true });
  const run = await call('run_simulation', { simulation_id: id });
  expect(run.content.map(({ type }) => type)).toEqual(['text', 'text', 'image']);
  const parameters = await call('calculate_pk_parameters', { simulation_id: id });
  expect(parameters.structuredContent).toMatchObject({ pk_parameters: { cmax: expect.any(Number) } });
  const { curve, ...numbers } = runSchema.parse(run.structuredContent);
  expect(numbers).toEqual(parameters.structuredContent);
  expect(curve).toMatchObject({ times_h: expect.any(Array), concentrations: expect.any(Array) });
});

test('a population of 1,000 answers meanwhile, is cancelled in the middle, and runs to its end', async () => {
  const { client, call, id } = await startExample();
  const start = async () => {
    const args = { simulation_id: id, subjects: 1000, seed: 11 };
    return jobSchema.parse(await call('run_population_simulation', args)).structuredContent.job_id;
  };
  const status = async (job_id: string, more = {}) =>
    jobSchema.parse(await call('get_job_status', { job_id, ...more })).structuredContent;

  const first = await start();
  await expect.poll(async () => (await status(first)).done).toBeGreaterThan(10);
  const cancelled = jobSchema.parse(await call('cancel_job', { job_id: first })).structuredContent;
  expect(cancelled).toMatchObject({ state: 'cancelled', total: 1000, result: null });
  expect(cancelled.done).toBeLessThan(1000);
  expect(await status(first)).toEqual(cancelled);

  const second = await start();
  const told: number[] = [];
  const ended = await client.callTool(
    { name: 'get_job_status', arguments: { job_id: second, wait_seconds: 50 } },
    { onprogress: ({ progress }) => told.push(progress) },
  );
  expect(told.length).toBeGreaterThan(10);
  expect(ended.content.map(({ type }) => type)).toEqual(['text', 'text', 'image']);
  expect(jobSchema.parse(ended).structuredContent).toMatchObject({
    state: 'succeeded',
    done: 1000,
    result: { subjects: 1000, seed: 11, cmax: { median: expect.any(Number) } },
  });
});

test('the process ends with its client, also while a job runs', async () => {
  const { client, transport, call, id } = await startExample();
  await call('run_population_simulation', { simulation_id: id, subjects: 5000 });
  const { pid } = transport;
  await client.close();
  await expect.poll(() => isRunning(pid)).toBe(false);
});

function isRunning(pid: number | null): boolean {
  try {
    return pid !== null && process.kill(pid, 0);
  } catch {
    return false;
  }
}
