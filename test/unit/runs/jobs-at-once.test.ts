import { isToolMessage } from '@langchain/core/messages';
import { expect, it } from 'vitest';
import type { JsonObject } from '../../../src/lib/json.ts';
import { jobRules } from '../../../src/mcp/config/jobs.ts';
import { inProcessServerSchema } from '../../../src/mcp/config/schema.ts';
import { createFakeHub, ended } from '../../helpers/fake-hub.ts';
import { startNetwork } from '../../helpers/network.ts';
import { ScriptedModel } from '../../helpers/scripted-model.ts';

const rulesFor = jobRules({
  files: inProcessServerSchema.parse({
    in_process: 'calendar',
    jobs: { read_files: { id: 'job_id', status: 'job_state' } },
  }),
});

const structured = (content: JsonObject) => ended({ status: 'succeeded', content: [], structured: content });

it('jobs are among the calls that somebody may have at once, from the first until the last question about them', async () => {
  const going = new Map<unknown, number>();
  let started = 0;
  let most = 0;
  const hub = createFakeHub(
    {
      server: 'files',
      name: 'read_files',
      run() {
        started += 1;
        going.set(`j${started}`, 0);
        most = Math.max(most, going.size);
        return structured({ job_id: `j${started}` });
      },
    },
    {
      server: 'files',
      name: 'job_state',
      run({ job_id: id }) {
        const asked = (going.get(id) ?? 0) + 1;
        going.set(id, asked);
        if (asked === 3) going.delete(id);
        return structured({ status: asked === 3 ? 'done' : 'running' });
      },
    },
  );
  const calls = Array.from({ length: 4 }, (_, index) => ({ id: `c${index}`, name: 'read_files', args: {} }));
  const network = startNetwork({
    hub,
    jobs(tool) {
      const rules = rulesFor(tool);
      return rules && { ...rules, everyMs: 20 };
    },
    model: new ScriptedModel((messages) => (messages.some(isToolMessage) ? 'Done.' : calls)),
    limits: { person: { calls_at_once: 1 }, key: {}, channel: {} },
  });
  const item = await network.send('read');
  await network.runs.idle();
  expect((await network.item(item)).response).toBe('Done.');
  expect(started).toBe(4);
  expect(most).toBe(1);
});
