import { readFileSync } from 'node:fs';

/**
 * Loaded before a process under test by `--import`, which knows nothing of it: its clock is off by what a
 * file says, in milliseconds, and jumps when the file changes, or at the real time that it says. Timers go on as
 * they are, as they do when somebody sets a machine's clock; so does the time of `performance`, but for what the
 * file says has gone by.
 */

/** How soon a jump is felt, in milliseconds. */
const LOOK_EVERY_MS = 50;

const realNow = Date.now.bind(Date);
const realSteady = performance.now.bind(performance);
const RIGHT = { offset: 0, goneBy: 0, at: 0 };
let next = RIGHT;

function look(): void {
  try {
    const [offset, goneBy, at] = readFileSync(process.env.CHAOS_CLOCK ?? '', 'utf8')
      .split(' ')
      .map(Number);
    next = { offset: offset || 0, goneBy: goneBy || 0, at: at || 0 };
  } catch {
    next = { ...RIGHT, goneBy: next.goneBy };
  }
}

look();
// Whoever starts before a jump that is to come goes by it at once.
let now = next;
setInterval(look, LOOK_EVERY_MS).unref();

/** What holds by now of what the file says. */
function current(): typeof RIGHT {
  if (realNow() >= next.at) now = next;
  return now;
}

Date.now = () => realNow() + current().offset;
performance.now = () => realSteady() + current().goneBy;
globalThis.Date = new Proxy(Date, {
  construct: (real, args, made) => Reflect.construct(real, args.length === 0 ? [real.now()] : args, made),
  apply: (real) => new real(real.now()).toString(),
});
