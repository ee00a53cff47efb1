import type { Nudges } from '../../src/storage/lease/nudges.ts';

/** The nudges of processes on one storage; each call joins one more. `sent` has them all. */
export function createNudges() {
  const sent: string[] = [];
  const handlers = new Map<object, ((lease: string) => void)[]>();
  return {
    sent: sent as readonly string[],
    join(): Nudges {
      const own: ((lease: string) => void)[] = [];
      const nudges: Nudges = {
        hasOthers: true,
        send(lease) {
          sent.push(lease);
          for (const [other, its] of handlers) {
            if (other !== nudges) for (const handler of its) queueMicrotask(() => handler(lease));
          }
        },
        receive: (handler) => void own.push(handler),
      };
      handlers.set(nudges, own);
      return nudges;
    },
  };
}
