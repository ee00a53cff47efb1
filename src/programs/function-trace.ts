import { type CallRecord, recordKey } from '../gate/types.ts';
import type { Clock } from '../lib/clock.ts';
import type { TracedWork, Tracing } from '../lib/telemetry/tracing.ts';

/** What is told of the functions that programs run themselves: the wait for a decision, and the run that they report. */
export class FunctionTrace {
  readonly #tracing: Tracing;
  readonly #clock: Clock;

  constructor({ tracing, clock }: { readonly tracing: Tracing; readonly clock: Clock }) {
    this.#tracing = tracing;
    this.#clock = clock;
  }

  decided(call: CallRecord): void {
    const { tool, verdict, decision, proposedAt, state } = call;
    const part = {
      name: 'ask for function',
      attributes: {
        'gen_ai.tool.name': tool.name,
        'countersign.rule': verdict.rule,
        'countersign.decision': decision?.type ?? state,
        'countersign.program': call.program?.id ?? null,
      },
    };
    this.#tracing.end(toWork(call), part, { from: proposedAt, to: this.#clock() });
  }

  /** `durationMs`: as the program measured it; null if it says nothing of that. */
  ran(
    call: CallRecord,
    { isError, durationMs }: { readonly isError: boolean; readonly durationMs: number | null },
  ): void {
    const { tool, callId } = call;
    const part = {
      name: 'execute_tool',
      isRemote: true,
      attributes: {
        'gen_ai.operation.name': 'execute_tool',
        'gen_ai.tool.name': tool.name,
        'gen_ai.tool.call.id': callId,
        'gen_ai.tool.type': 'function',
      },
    };
    const to = this.#clock();
    const error = isError ? 'failed' : null;
    this.#tracing.of(toWork(call)).record(part, { from: to - (durationMs ?? 0), to, error });
  }
}

function toWork(call: CallRecord): TracedWork {
  return { id: recordKey(call), traceparent: call.program?.traceparent ?? null };
}
