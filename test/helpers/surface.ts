import type { Surface } from '../../src/runs/index.ts';

/** A surface that shows nothing, but for what the test changes. */
export function quietSurface(changes: Partial<Surface> = {}): Surface {
  return {
    kind: 'slack',
    newMessage: 'hold',
    announceGate: () => [],
    announceRun: () => [],
    notifyGate: () => undefined,
    notifyRun: () => undefined,
    ...changes,
  };
}
