import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { temporaryFolder } from './process.ts';

const RECORDER = new URL('../fixtures/record-modules.mjs', import.meta.url).href;

/** What a process loads that is started with `env`: the paths of its modules, so far. */
export function recordModules(): { readonly env: Record<string, string>; loaded(): readonly string[] } {
  const file = join(temporaryFolder(), 'modules.txt');
  return {
    env: { NODE_OPTIONS: `--import=${RECORDER}`, RECORDED_MODULES: file },
    loaded: () =>
      readFileSync(file, 'utf8')
        .split('\n')
        .flatMap((url) => (url === '' ? [] : fileURLToPath(url))),
  };
}
