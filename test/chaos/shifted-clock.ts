import { readFileSync } from 'node:fs';

/**
 * Loaded before a process under test by `--import`, which knows nothing of it: its clock is off by what a
 * file says, in milliseconds, and jumps when the file changes. Timers go on as they are, as they do when
 * somebody sets a machine's clock; so does the time of `performance`, but for what the file says has gone by.
 */

/** How soon a jump is felt, in milliseconds. */
const LOOK_EVERY_MS = 50;

const realNow = Date.now.bind(Date);
const realSteady = performance.now.bind(performance);
let offset = 0;
let goneBy = 0;

function look(): void {
  try {
    const [off, gone] = readFileSync(process.env.CHAOS_CLOCK ?? '', 'utf8')
      .split(' ')
      .map(Number);
    offset = off || 0;
    goneBy = gone || 0;
  } catch {
    // No file: the clock is right.
    offset = 0;
  }
}

look();
setInterval(look, LOOK_EVERY_MS).unref();

Date.now = () => realNow() + offset;
performance.now = () => realSteady() + goneBy;
globalThis.Date = new Proxy(Date, {
  construct: (real, args, made) => Reflect.construct(real, args.length === 0 ? [real.now()] : args, made),
  apply: (real) => new real(real.now()).toString(),
});
