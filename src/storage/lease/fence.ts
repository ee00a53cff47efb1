import { FencedError } from '../../lib/errors.ts';
import type { Store } from '../store.ts';
import type { Fence } from './types.ts';

/** Throws FencedError when another worker has taken the thread: the reason why a commit was refused. */
export async function assertFenced({ store }: { readonly store: Store }, fence: Fence): Promise<void> {
  const { committed } = await store.commit({ expect: [fence.expectation] });
  if (!committed) throw new FencedError();
}
