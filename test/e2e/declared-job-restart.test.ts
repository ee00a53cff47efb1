import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Message } from '@countersign/slack-emulator';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startSimulation } from '../fixtures/servers/simulation-http.ts';
import { shown } from '../helpers/cluster.ts';
import { startModel } from '../helpers/model.ts';
import { type CountersignProcess, startProcess, temporaryFolder } from '../helpers/process.ts';
import { startWorkspace } from '../helpers/workspace.ts';

const SLOW = 240_000;
const PATIENCE_MS = 60_000;

const FILE = {
  routes: { dm: 'planner' },
  policy: {
    default: 'ask',
    rules: [{ name: 'reading', tools: ['simulation.load_*', 'simulation.get_*'], action: 'allow' }],
  },
};

const PLAN = {
  title: 'A thousand, then one',
  steps: [
    { tool: 'simulation__run_population_simulation', arguments: { simulation_id: 'sim_1', subjects: 1000 } },
    { tool: 'simulation__run_simulation', arguments: { simulation_id: 'sim_1' } },
  ],
};

/** A Slack, a model and a simulation over HTTP that outlive our processes, and one data folder for all of these. */
async function world() {
  const folder = temporaryFolder();
  const [workspace, model, simulation] = await Promise.all([
    startWorkspace({ botName: 'countersign' }),
    startModel(),
    startSimulation(),
  ]);
  onTestFinished(async () => {
    model.giveUp();
    await model.stop();
  });
  const COUNTERSIGN_CONFIG = join(folder, 'countersign.yaml');
  const job = { id: 'job_id', status: 'get_job_status', cancel: 'cancel_job', state: 'state' };
  const jobs = { run_population_simulation: { ...job, progress: 'done', total: 'total', every: '1s' } };
  const mcpServers = { simulation: { url: simulation.url, trusted: true, jobs } };
  writeFileSync(COUNTERSIGN_CONFIG, JSON.stringify({ ...FILE, mcpServers }));
  const env = {
    COUNTERSIGN_CONFIG,
    OPENAI_API_KEY: 'key-of-the-scripted-model',
    OPENAI_BASE_URL: model.url,
    SLACK_BOT_TOKEN: workspace.botToken,
    SLACK_APP_TOKEN: workspace.appToken,
    SLACK_API_URL: workspace.apiUrl,
  };
  const { driver } = workspace;
  const shows = (words: string): Promise<Message> =>
    driver.waitForMessage((message) => driver.text(message).includes(words), PATIENCE_MS);
  return {
    driver,
    model,
    simulation,
    shows,
    ana: driver.as('ana'),
    async start(): Promise<CountersignProcess> {
      const started = startProcess({ dataDir: folder, env });
      await started.ready();
      await driver.waitForApp();
      return started;
    },
    /** How far the step is by its card, in percent, once that is more than `before`. */
    async percent(before: number): Promise<number> {
      const more = (message: Message) => readPercent(driver.text(message)) > before;
      return readPercent(driver.text(await driver.waitForMessage(more, PATIENCE_MS)));
    },
  };
}

function readPercent(card: string): number {
  return Number(/running: (\d+) %/.exec(card)?.[1] ?? -1);
}

describe('a job that the configuration declares, of a server that outlives our process', () => {
  it('goes on as the step of a plan after we were killed in its middle', { timeout: SLOW }, async () => {
    const { driver, model, simulation, ana, start, shows, percent } = await world();
    const first = await start();
    const threadTs = ana.dm('simulate a thousand people, then the typical one');
    await model.calls([{ name: 'simulation__load_simulation', arguments: {} }]);
    await model.calls([{ name: 'make_plan', arguments: PLAN }]);
    await ana.click((await shows('Review 2…')).ts, 'Review 2…');
    await ana.submit({});
    simulation.goOn(400);
    const before = await percent(0);
    expect(before).toBeLessThan(50);
    await first.end('SIGKILL');

    const second = await start();
    simulation.goOn(400);
    expect(await percent(before)).toBeLessThan(100);
    simulation.goOn(10_000);
    await shows('2 actions: 2 done');
    expect(await model.heard()).toContain('Job job_1 has simulated 1,000 subjects');
    await model.says('The peak is about 8 mg/L.');
    await shows('The peak is about 8 mg/L.');
    expect((await second.end('SIGTERM')).code).toBe(0);
    expect(simulation.started()).toBe(1);
    const texts = shown(driver, threadTs).map((message) => driver.text(message));
    expect(texts.filter((text) => text.includes('2 actions: 2 done'))).toHaveLength(1);
    expect(texts.filter((text) => text.includes('The peak is about 8 mg/L.'))).toHaveLength(1);
    expect(texts.filter((text) => /running|unclear/i.test(text))).toEqual([]);
    // The list, a plot of each step, and the answer.
    expect(texts).toHaveLength(4);
  });
});
