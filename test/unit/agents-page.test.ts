import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readConfigFile } from '../../src/config/file.ts';
import { readForeignOutput } from '../../src/runs/index.ts';
import { docBlocks } from '../helpers/doc-blocks.ts';
import { temporaryFolder } from '../helpers/process.ts';

const block = (language: string) =>
  docBlocks('docs/agents.md').find((one) => one.language === language)?.text ?? '';

it('shows a team that can be started', async () => {
  const file = join(temporaryFolder(), 'countersign.yaml');
  writeFileSync(file, block('yaml'));
  const { team, routes } = await readConfigFile(
    file,
    { PRICES_TOKEN: 'abc' },
    { in_process: ['calendar'], connector: [] },
  );
  expect(Object.keys(team.agents)).toEqual(['calendar', 'prices']);
  expect(team.agents.prices?.via?.headers).toEqual({ Authorization: 'Bearer abc' });
  expect(routes).toEqual({ dm: 'team' });
});

it('shows an answer that can be read', () => {
  expect(readForeignOutput(JSON.parse(block('json')))).toMatchObject({
    task_done: true,
    sources: [{ source: 'prices.pdf', place: 'p. 3' }],
  });
});
