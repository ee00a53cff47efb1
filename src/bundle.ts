/** The bundle's entry: what has to come before the rest of it is loaded. */
import { lstatSync, mkdirSync } from 'node:fs';
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';
import { mapStackTraces } from './lib/stack-traces.ts';

mapStackTraces(new URL('.', import.meta.url).href);
// What V8 has compiled is kept for the next start, within the program's own folder, which no server can change: whoever
// could would have their code run here. It saves 100 ms of processor time.
const compiled = join(import.meta.dirname, 'compiled');
if (isOurs(compiled)) enableCompileCache(compiled);
await import('./index.ts');

/** Whether the folder is there, or could be made, and nobody else may write into it. */
function isOurs(path: string): boolean {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    const { uid, mode } = lstatSync(path);
    return process.getuid === undefined || (uid === process.getuid() && (mode & 0o022) === 0);
  } catch {
    return false;
  }
}
