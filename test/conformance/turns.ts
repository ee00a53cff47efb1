import { mkdirSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';

/** So many clients work at once: more of them only wait for the processor, and servers for them. */
const AT_ONCE = 4;
const LOOK_EVERY_MS = 50;

/** Waits until few enough others of this folder are at work; the turn is over when the process ends. */
export async function takeTurn(folder: string): Promise<void> {
  for (;;) {
    for (let place = 0; place < AT_ONCE; place += 1) {
      const taken = join(folder, `turn-${place}`);
      try {
        mkdirSync(taken);
      } catch {
        continue;
      }
      process.once('exit', () => rmdirSync(taken));
      return;
    }
    await after(LOOK_EVERY_MS);
  }
}
