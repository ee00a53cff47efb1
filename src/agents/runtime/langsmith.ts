import type { BaseCallbackHandler } from '@langchain/core/callbacks/base';
import { awaitAllCallbacks } from '@langchain/core/callbacks/promises';
import { LangChainTracer } from '@langchain/core/tracers/tracer_langchain';
import { Client } from 'langsmith';
import type { LangSmithSettings } from '../../config/langsmith.ts';
import type { Mask } from '../../lib/secret-mask.ts';

/** How long one request to LangSmith may take, and the end of the process waits for what is left, in milliseconds. */
const SEND_WITHIN_MS = 10_000;
const STOP_WITHIN_MS = 5_000;
/** What may wait to be sent, in bytes: runs beyond it are dropped, so that a dead endpoint costs no more memory. */
const MOST_WAITING = 20 * 1024 * 1024;

/** Where runs of graphs are told of. */
export interface LangSmith {
  readonly tracer: BaseCallbackHandler;
  /** Sends what is left, within 5 seconds. Never rejects. */
  readonly stop: () => Promise<void>;
}

/**
 * Sends runs of graphs to LangSmith as LangChain's own tracer does, in the background, with secrets masked. Nothing waits
 * for it, and a failure is LangSmith's alone.
 */
export function startLangSmith({
  settings,
  mask,
}: {
  readonly settings: LangSmithSettings;
  readonly mask: Mask;
}): LangSmith {
  const client = new Client({
    apiKey: settings.apiKey,
    ...(settings.endpoint !== null && { apiUrl: settings.endpoint }),
    ...(settings.workspaceId !== null && { workspaceId: settings.workspaceId }),
    tracingSamplingRate: settings.samplingRate,
    hideInputs: settings.hidesInputs,
    hideOutputs: settings.hidesOutputs,
    timeout_ms: SEND_WITHIN_MS,
    callerOptions: { maxRetries: 2 },
    maxIngestMemoryBytes: MOST_WAITING,
    blockOnRootRunFinalization: false,
  });
  const tracer = new LangChainTracer({
    projectName: settings.project,
    client: {
      createRun: async (run) => client.createRun(masked(run, mask)),
      updateRun: async (id, run) => client.updateRun(id, masked(run, mask)),
    },
  });
  return {
    tracer,
    async stop() {
      const over = Promise.withResolvers<void>();
      const late = setTimeout(over.resolve, STOP_WITHIN_MS);
      const sent = awaitAllCallbacks().then(() => client.awaitPendingTraceBatches());
      await Promise.race([sent.catch(() => undefined), over.promise]);
      clearTimeout(late);
    },
  };
}

/** A copy as it is sent, with no secret in any text of it. */
function masked<Run>(run: Run, mask: Mask): Run {
  return JSON.parse(JSON.stringify(run), (_name, value: unknown) =>
    typeof value === 'string' ? mask(value) : value,
  );
}
