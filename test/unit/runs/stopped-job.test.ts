import { expect, it } from 'vitest';
import { jobRules } from '../../../src/mcp/config/jobs.ts';
import { inProcessServerSchema } from '../../../src/mcp/config/schema.ts';
import { createFakeHub, ended } from '../../helpers/fake-hub.ts';
import { openNetwork, startNetwork } from '../../helpers/network.ts';
import { ana, THREAD } from '../../helpers/people.ts';
import { callAndReport } from '../../helpers/scripted-model.ts';

const jobs = jobRules({
  calendar: inProcessServerSchema.parse({
    in_process: 'calendar',
    jobs: { create_event: { id: 'job_id', status: 'job_state', cancel: 'stop_job', every: '1s' } },
  }),
});

it('a job is cancelled at its server by a stop that comes before the next process has taken it up', async () => {
  let status = 'running';
  const says = (content: Record<string, string>) =>
    ended({ status: 'succeeded', content: [], structured: content });
  const hub = createFakeHub(
    { server: 'calendar', name: 'create_event', run: () => says({ job_id: 'j1' }) },
    { server: 'calendar', name: 'job_state', run: () => says({ status }) },
    {
      server: 'calendar',
      name: 'stop_job',
      run() {
        status = 'cancelled';
        return says({});
      },
    },
  );
  const model = callAndReport('create_event', 'c1');
  const first = startNetwork({ hub, jobs, model });
  const { itemId } = await first.say('make a standup');
  const { digest } = await first.call('c1');
  const approval = { callKey: first.keyOf('c1'), digest, type: 'approve' as const };
  await first.gate.decisions.decide([approval], ana);
  await hub.sentTimes('job_state', 1);
  first.kill();

  const second = openNetwork({ hub, jobs, model, path: first.path });
  await second.runs.cancel(THREAD, ana);
  second.runs.start();
  await second.runs.sweep();
  await second.runs.idle();
  expect(await second.call('c1')).toMatchObject({
    state: 'failed',
    outcome: { message: 'The job was cancelled.', jobEnd: 'cancelled' },
  });
  expect([hub.count('create_event'), hub.count('stop_job')]).toEqual([1, 1]);
  expect((await second.item(itemId)).state).toBe('cancelled');
  await second.expectWhole();
});
