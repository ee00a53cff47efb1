import type { Expectation } from '../store.ts';

/** A worker's right to act on a thread: what every write under it expects to be still true. */
export interface Fence {
  readonly token: number;
  readonly expectation: Expectation;
}
