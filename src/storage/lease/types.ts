import type { Expectation } from '../store.ts';

/** The fencing token of a lease, and the expectation that every write under the lease carries. */
export interface Fence {
  readonly token: number;
  readonly expectation: Expectation;
}
