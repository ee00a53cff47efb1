import { FencedError } from '../../lib/errors.ts';
import type { Store } from '../store.ts';
import { fences } from './collections.ts';
import type { Fence } from './types.ts';

/** Throws FencedError if another worker has taken over the thread, which is why a commit was refused. */
export async function assertFenced({ store }: { readonly store: Store }, fence: Fence): Promise<void> {
  const { committed } = await store.commit({ expect: [fence.expectation] });
  if (!committed) throw new FencedError();
}

/**
 * Throws FencedError if another process has taken the lease by now. It only reads: for what can't be in one commit with
 * the fence anyway, such as a post.
 */
export async function assertHeld({ store }: { readonly store: Store }, fence: Fence): Promise<void> {
  const current = await store.get(fences, fence.expectation.id);
  if (current?.version !== fence.token) throw new FencedError();
}
