import type { Readable } from 'node:stream';

/** Work with what was read after which a stream rests, in milliseconds. */
const REST_AFTER_MS = 5;
const LONGEST_REST_MS = 1_000;

/**
 * Has a stream rest twice as long as what is read from it is work, so that two thirds of the time are left to
 * everything else; whoever writes to it without end waits. What is done later, in promises, isn't counted. Call it
 * when those who read the stream listen to it.
 */
export function limitFlow(stream: Readable): void {
  let begunAt = 0;
  let workedMs = 0;
  stream.prependListener('data', () => {
    begunAt = performance.now();
  });
  stream.on('data', () => {
    workedMs += performance.now() - begunAt;
    if (workedMs < REST_AFTER_MS) return;
    stream.pause();
    setTimeout(() => stream.resume(), Math.min(2 * workedMs, LONGEST_REST_MS)).unref();
    workedMs = 0;
  });
}
