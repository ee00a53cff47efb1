import { Client, InMemoryTransport } from '@modelcontextprotocol/client';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { createLab, createSimulationServer } from '../../../../../src/app/demo-servers/simulation/index.ts';
import type { JsonObject } from '../../../../../src/lib/json.ts';
import { createArgumentValidator } from '../../../../../src/mcp/index.ts';
import { readPng } from './plot/read-png.ts';

const READING = ['calculate_pk_parameters', 'get_job_status', 'get_parameter_value', 'list_parameters'];
const WRITING = [
  ...['cancel_job', 'load_simulation', 'run_population_simulation', 'run_simulation'],
  'set_parameter_value',
];

let client: Client;
let lab: ReturnType<typeof createLab>;

beforeEach(async () => {
  let id = 0;
  lab = createLab({ clock: Date.now, ids: () => String(++id) });
  client = await connect();
});

async function connect(): Promise<Client> {
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  await createSimulationServer(lab).connect(theirs);
  const connected = new Client({ name: 'test', version: '1.0.0' });
  await connected.connect(ours);
  onTestFinished(() => connected.close());
  return connected;
}

function call(name: string, args: Record<string, unknown> = {}) {
  return client.callTool({ name, arguments: args });
}

const ID = { simulation_id: 'sim_1' };

function set(parameter: string, value: number, unit: string) {
  return call('set_parameter_value', { ...ID, parameter, value, unit });
}

function says(text: string) {
  return { content: [{ type: 'text', text }, { type: 'text' }] };
}

function refusal(text: string) {
  return { isError: true, content: [{ type: 'text', text }] };
}

/** The tool's input schema, as clients get it. */
async function findSchema(tool: string): Promise<JsonObject> {
  const { tools } = await client.listTools();
  return z.record(z.string(), z.json()).parse(tools.find(({ name }) => name === tool)?.inputSchema);
}

/** A PNG in a result, if there is one. */
function findImage(result: Awaited<ReturnType<typeof call>>) {
  const image = result.content.find((it) => it.type === 'image');
  return image?.type === 'image'
    ? { mimeType: image.mimeType, png: Buffer.from(image.data, 'base64') }
    : null;
}

test('there are nine tools: four that read, and five that write and destroy nothing', async () => {
  const { tools } = await client.listTools();
  const reads = tools.filter(({ annotations }) => annotations?.readOnlyHint === true);
  expect(reads.map(({ name }) => name).sort()).toEqual(READING);
  const writes = tools.filter((tool) => !reads.includes(tool));
  expect(writes.map(({ name }) => name).sort()).toEqual(WRITING);
  for (const { annotations } of writes) expect(annotations).toMatchObject({ destructiveHint: false });
  for (const { annotations } of tools) expect(annotations).toMatchObject({ openWorldHint: false });
});

test('every tool and every argument has a title and a description', async () => {
  const { tools } = await client.listTools();
  const named = { title: expect.any(String), description: expect.any(String) };
  for (const tool of tools) {
    expect(tool).toMatchObject({ ...named, outputSchema: { type: 'object' } });
    for (const property of Object.values(tool.inputSchema.properties ?? {}))
      expect(property).toMatchObject(named);
  }
});

test.each([
  [{ parameter: 'clearance', value: 5, unit: 'mg' }, 'unit must be one of "L/h", "L/day", "mL/min", "mL/h"'],
  [{ parameter: 'dose', value: 500, unit: 'L' }, 'unit must be one of "mg", "g", "ug"'],
  [{ parameter: 'dose', value: 0, unit: 'mg' }, 'value must be more than 0'],
  [{ parameter: 'body_weight', value: -70, unit: 'kg' }, 'value must be more than 0'],
  [{ parameter: 'dose_count', value: 2.5, unit: 'doses' }, 'value must be an integer'],
  [{ parameter: 'dose_count', value: 201, unit: 'doses' }, 'value is more than 200'],
  [{ parameter: 'lag_time', value: -1, unit: 'h' }, 'value is less than 0'],
])('a gate refuses %j by the schema, before anybody is asked', async (args, problem) => {
  const validate = createArgumentValidator();
  expect(validate(await findSchema('set_parameter_value'), { ...ID, ...args })).toEqual([problem]);
});

test('what fits passes the schema', async () => {
  const validate = createArgumentValidator();
  const schema = await findSchema('set_parameter_value');
  const fitting = [
    { parameter: 'clearance', value: 80, unit: 'mL/min' },
    { parameter: 'lag_time', value: 0, unit: 'min' },
    { parameter: 'bioavailability', value: 50, unit: '%' },
    { parameter: 'dose_count', value: 1, unit: 'doses' },
  ];
  for (const args of fitting) expect(validate(schema, { ...ID, ...args })).toEqual([]);
  const reading = await findSchema('get_parameter_value');
  expect(validate(reading, { ...ID, parameter: 'dose' })).toEqual([]);
  expect(validate(reading, { ...ID, parameter: 'dose', unit: 'h' })).not.toEqual([]);
});

test('the schemas do without what some providers of models refuse at their top', async () => {
  const { tools } = await client.listTools();
  for (const { inputSchema } of tools) {
    for (const keyword of ['allOf', 'anyOf', 'oneOf', 'not', 'enum'])
      expect(inputSchema).not.toHaveProperty(keyword);
  }
});

test('“500 mg twice a day for a 70 kg person”: loaded, set, run', async () => {
  expect(await call('load_simulation')).toMatchObject({
    structuredContent: { simulation_id: 'sim_1', compartments: 1, route: 'oral' },
  });
  expect(await set('dose', 0.5, 'g')).toMatchObject(says('Dose is now 0.5 g; it was 0.5 g.'));
  await set('dose_interval', 12, 'h');
  expect(await set('body_weight', 70, 'kg')).toMatchObject({ structuredContent: { before: 70 } });
  const result = await call('run_simulation', ID);
  expect(result).toMatchObject({
    content: [
      {
        text: 'Simulated 168 h. One compartment, oral: 500 mg every 12 h, 14 doses, 70 kg. Cmax 9.224 mg/L at 158.4 h, AUC(0–168 h) 1,081 mg·h/L, AUC(0–∞) 1,120 mg·h/L, terminal half-life 6.931 h.',
      },
      {},
      { type: 'image', mimeType: 'image/png' },
    ],
  });
});

test('a result is given in words, in numbers and as a plot', async () => {
  await call('load_simulation', { compartments: 2, route: 'iv_bolus' });
  await set('dose_count', 1, 'doses');
  const result = await call('run_simulation', { ...ID, duration_h: 24, concentration_unit: 'ng/mL' });
  const { curve, pk_parameters: parameters } = z
    .object({
      pk_parameters: z.object({ cmax: z.number(), tmax_h: z.number() }),
      curve: z.object({ times_h: z.array(z.number()), concentrations: z.array(z.number()) }),
    })
    .parse(result.structuredContent);
  expect(parameters).toEqual({ cmax: 10_000, tmax_h: 0 });
  expect(curve.times_h.length).toBe(curve.concentrations.length);
  expect([curve.times_h[0], curve.times_h.at(-1), curve.concentrations[0]]).toEqual([0, 24, 10_000]);
  const image = findImage(result);
  expect(image?.mimeType).toBe('image/png');
  expect(readPng(image?.png ?? new Uint8Array())).toMatchObject({ width: 1200, height: 720 });
});

test('no plot is drawn where none is wanted', async () => {
  await call('load_simulation');
  expect(findImage(await call('run_simulation', { ...ID, plot: false }))).toBeNull();
});

test('clearances and volumes scale with the weight', async () => {
  await call('load_simulation', { route: 'iv_bolus' });
  await set('dose_count', 1, 'doses');
  await set('body_weight', 35, 'kg');
  const result = await call('run_simulation', { ...ID, duration_h: 400, plot: false });
  const { cmax, auc_to_infinity: area } = z
    .object({ pk_parameters: z.object({ cmax: z.number(), auc_to_infinity: z.number() }) })
    .parse(result.structuredContent).pk_parameters;
  expect(cmax).toBeCloseTo(500 / (50 / 2), 4);
  expect(area).toBeCloseTo(500 / (5 * 0.5 ** 0.75), 2);
});

test('parameters are listed with their units, and those of another model are not there', async () => {
  await call('load_simulation', { route: 'iv_infusion' });
  const result = await call('list_parameters', ID);
  const { parameters } = z
    .object({ parameters: z.array(z.looseObject({ name: z.string() })) })
    .parse(result.structuredContent);
  expect(parameters.map(({ name }) => name)).toEqual([
    ...['body_weight', 'dose', 'dose_interval', 'dose_count', 'infusion_duration', 'clearance'],
    'central_volume',
  ]);
  expect(parameters[1]).toMatchObject({ value: 500, unit: 'mg', units: ['mg', 'g', 'ug'], minimum: 0.001 });
  expect(await set('lag_time', 1, 'h')).toMatchObject(
    refusal(
      'Lag time is no parameter of a model with one compartment and IV infusions. Nothing was changed.',
    ),
  );
});

test('a value is read in its own unit, or in another', async () => {
  await call('load_simulation');
  const read = (more: object) => call('get_parameter_value', { ...ID, parameter: 'clearance', ...more });
  expect(await read({})).toMatchObject(says('Clearance is 5 L/h.'));
  expect(await read({ unit: 'mL/h' })).toMatchObject(says('Clearance is 5,000 mL/h.'));
});

test.each([
  [['clearance', 5, 'mg'], 'Clearance is in L/h, L/day, mL/min or mL/h; “mg” measures mass'],
  [['body_weight', -3, 'kg'], 'Body weight must be from 1 kg to 300 kg, and not -3 kg'],
  [['body_weight', 500, 'g'], 'Body weight must be from 1,000 g to 300,000 g, and not 500 g'],
  [['dose', 0, 'mg'], 'Dose must be from 0.001 mg to 100,000 mg, and not 0 mg'],
  [['bioavailability', 120, '%'], 'Bioavailability must be from 0.1 % to 100 %, and not 120 %'],
  [['dose_count', 1.5, 'doses'], 'Number of doses is a whole number'],
] as const)('%j is refused in words, and changes nothing', async ([parameter, value, unit], words) => {
  await call('load_simulation');
  const before = await call('list_parameters', ID);
  expect(await set(parameter, value, unit)).toMatchObject(refusal(`${words}. Nothing was changed.`));
  expect(await call('list_parameters', ID)).toEqual(before);
});

test('PK parameters are those of the last run, and of none after a change', async () => {
  await call('load_simulation');
  const none = refusal(
    'Simulation sim_1 has not run since it was loaded or changed; run it with run_simulation first. Nothing was calculated.',
  );
  expect(await call('calculate_pk_parameters', ID)).toMatchObject(none);
  const run = await call('run_simulation', { ...ID, plot: false });
  const { curve: _, ...expected } = z.looseObject({ curve: z.unknown() }).parse(run.structuredContent);
  expect((await call('calculate_pk_parameters', ID)).structuredContent).toEqual(expected);
  await set('dose', 250, 'mg');
  expect(await call('calculate_pk_parameters', ID)).toMatchObject(none);
});

test('a half-life of absorption is said to be one', async () => {
  await call('load_simulation');
  await set('absorption_rate', 0.02, '1/h');
  const run = await call('run_simulation', { ...ID, plot: false });
  const words = 'terminal half-life 34.66 h (of absorption, which is slower than elimination).';
  expect(run).toMatchObject({
    content: [{ text: expect.stringContaining(words) }, {}],
    structuredContent: { pk_parameters: { half_life_h: 34.6574, terminal_phase: 'absorption' } },
  });
});

test('a simulation that is not there is refused, and what was not done is said', async () => {
  expect(await call('run_simulation', ID)).toMatchObject(
    refusal(
      'There is no simulation sim_1; load one first. None is kept when the server restarts. Nothing was simulated.',
    ),
  );
});

test('of simulations, the fifty that were used last are kept', async () => {
  await call('load_simulation');
  await call('load_simulation');
  for (let i = 0; i < 48; i++) await call('load_simulation');
  await call('list_parameters', ID);
  await call('load_simulation');
  expect((await call('list_parameters', ID)).isError).toBeUndefined();
  expect((await call('list_parameters', { simulation_id: 'sim_2' })).isError).toBe(true);
});

test('all connections see the same simulations', async () => {
  await call('load_simulation');
  client = await connect();
  expect((await call('list_parameters', ID)).isError).toBeUndefined();
});

test('a parameter that changes while a simulation runs makes the run void', async () => {
  await call('load_simulation');
  await set('dose_count', 200, 'doses');
  const run = call('run_simulation', ID);
  await set('dose', 250, 'mg');
  expect(await run).toMatchObject(refusal('A parameter was changed while it ran. Nothing was simulated.'));
});

test('a population is a job, which tells its progress and ends with percentiles and a plot', async () => {
  await call('load_simulation');
  const started = await call('run_population_simulation', { ...ID, subjects: 40, seed: 7 });
  expect(started.structuredContent).toMatchObject({ job_id: 'job_2', total: 40 });
  const told: { readonly progress: number; readonly total?: number | undefined }[] = [];
  const result = await client.callTool(
    { name: 'get_job_status', arguments: { job_id: 'job_2', wait_seconds: 50 } },
    { onprogress: (progress) => told.push(progress) },
  );
  expect(result.structuredContent).toMatchObject({
    ...{ job_id: 'job_2', state: 'succeeded', done: 40, total: 40, error: null },
    result: { ...ID, subjects: 40, seed: 7, duration_h: 168, concentration_unit: 'mg/L', auc_unit: 'mg·h/L' },
  });
  expect(findImage(result)?.mimeType).toBe('image/png');
  expect(told.length).toBeGreaterThan(5);
  expect(told.map(({ progress }) => progress)).toEqual(
    told.map(({ progress }) => progress).toSorted((a, b) => a - b),
  );
  expect(told.at(-1)).toMatchObject({ progress: 40, total: 40, message: '40 of 40 subjects' });
});

test('the same seed gives the same results, whatever else the parameters became meanwhile', async () => {
  await call('load_simulation');
  const start = { ...ID, subjects: 10, seed: 3, duration_h: 48 };
  const results = [];
  for (const job_id of ['job_2', 'job_3']) {
    await call('run_population_simulation', start);
    if (job_id === 'job_3') await set('dose', 1, 'mg');
    const { structuredContent } = await call('get_job_status', { job_id, wait_seconds: 50, plot: false });
    results.push(z.looseObject({ result: z.unknown() }).parse(structuredContent).result);
  }
  expect(results[1]).toEqual(results[0]);
});

test('a job is cancelled in the middle, and says how far it was', async () => {
  await call('load_simulation');
  await call('run_population_simulation', { ...ID, subjects: 5000 });
  const cancelled = await call('cancel_job', { job_id: 'job_2' });
  expect(cancelled.structuredContent).toMatchObject({ state: 'cancelled', total: 5000, result: null });
  expect(cancelled.content[0]).toMatchObject({
    text: expect.stringMatching(/^Job job_2 was cancelled: .* of 5,000/),
  });
  const again = await call('cancel_job', { job_id: 'job_2' });
  expect(again.content[0]).toMatchObject({
    text: expect.stringContaining('had ended before, so nothing was'),
  });
});

test('a job that is not there is refused', async () => {
  expect(await call('get_job_status', { job_id: 'job_9' })).toMatchObject(
    refusal(
      'There is no job job_9; jobs are kept for an hour after their end, and not when the server restarts. Nothing is known of it.',
    ),
  );
});
