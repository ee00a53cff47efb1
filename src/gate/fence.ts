import { FencedError } from '../errors.ts';
import type { Fence, GatePorts } from './ports.ts';

/** Throws FencedError when another worker has taken the thread: the reason why a commit was refused. */
export async function stillFenced(ports: Pick<GatePorts, 'store'>, fence: Fence): Promise<void> {
  const { committed } = await ports.store.commit({ expect: [fence.expectation] });
  if (!committed) throw new FencedError();
}
