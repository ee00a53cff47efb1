import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { probe } from '../../../../src/mcp/isolation/probe.ts';
import { temporaryFolder } from '../../../helpers/process.ts';

const unprotected = async (command: string, args: readonly string[]) => ({ command, args, env: {} });

it.runIf(process.platform === 'linux')(
  'a process that nothing keeps from us gets at everything',
  async () => {
    const folder = temporaryFolder();
    const file = join(folder, 'key');
    writeFileSync(file, 'secret');
    const paths = [folder, file];
    expect(await probe({ paths, signals: true, launch: unprotected })).toBe(
      `a process could get at our environment, our memory, signals to us, ${folder}, ${file}`,
    );
    expect(await probe({ paths: [], signals: false, launch: unprotected })).toBe(
      'a process could get at our environment, our memory',
    );
  },
);

it('a protection that does not start what it should counts for nothing', async () => {
  const broken = async () => ({ command: 'sh', args: ['-c', 'echo no >&2'], env: {} });
  expect(await probe({ paths: [], signals: true, launch: broken })).toBe(
    'sh does not work on this machine (no)',
  );
});
