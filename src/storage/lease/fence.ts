import { FencedError } from '../../lib/errors.ts';
import type { Store } from '../store.ts';
import type { Fence } from './types.ts';

/** Throws FencedError if another worker has taken over the thread, which is why a commit was refused. */
export async function assertFenced({ store }: { readonly store: Store }, fence: Fence): Promise<void> {
  const { committed } = await store.commit({ expect: [fence.expectation] });
  if (!committed) throw new FencedError();
}
