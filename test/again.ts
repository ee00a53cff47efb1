import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { FAILED_FILES, type FailedFile } from './helpers/failed-files.ts';

/**
 * Runs the files of the last `npm test` that failed once more, each alone on the machine, and says which
 * passed then. For CI, whose two cores other work shares: hundreds of tests wait for processes, sockets and a
 * browser, and one that waited in vain beside others isn't yet a defect. Such a file is named at the end, so
 * that it's looked at. More than a few of them are no accident: they aren't run again, and the exit code is 1.
 */
const MOST = 6;

const failed: FailedFile[] = JSON.parse(readFileSync(FAILED_FILES, 'utf8'));
const names = failed.map(({ project, file }) => `${file} (${project})`).join(', ');
if (failed.length === 0 || failed.length > MOST) {
  console.error(`Not run again: ${failed.length} files failed. ${names}`);
  process.exit(1);
}
console.log(`Run again, one at a time: ${names}`);
for (const { project, file } of failed) {
  const run = ['vitest', 'run', '--project', project, '--maxWorkers', '1', '--reporter', 'default', file];
  const { status } = spawnSync('npx', run, { stdio: 'inherit' });
  if (status !== 0) process.exit(1);
}
console.log(`FAILED BESIDE OTHER TESTS, PASSED ALONE: ${names}`);
