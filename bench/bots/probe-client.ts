import { once } from 'node:events';
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { z } from 'zod';

/** What `bench/bots/probe.ts` counts. */
const countsSchema = z.object({
  transactions: z.number(),
  reads: z.number(),
  writes: z.number(),
  syncs: z.number(),
});

/** Of V8: https://chromedevtools.github.io/devtools-protocol/tot/Profiler/#type-Profile, times in microseconds. */
const profileSchema = z.object({
  nodes: z.array(
    z.object({
      id: z.number(),
      callFrame: z.object({ functionName: z.string(), url: z.string(), lineNumber: z.number() }),
      children: z.array(z.number()).default([]),
    }),
  ),
  samples: z.array(z.number()),
  timeDeltas: z.array(z.number()),
});
export type CpuProfile = z.infer<typeof profileSchema>;

/** The probe of one process, at its socket. */
export function connectProbe(socketPath: string) {
  const ask = async (path: string): Promise<unknown> => {
    const asked = request({ socketPath, path }).end();
    const [response] = await once(asked, 'response');
    return JSON.parse(await text(response));
  };
  return {
    counts: async () => countsSchema.parse(await ask('/counts')),
    startProfile: async () => void (await ask('/profile/start')),
    stopProfile: async () => profileSchema.parse(await ask('/profile/stop')),
  };
}
export type Probe = ReturnType<typeof connectProbe>;
