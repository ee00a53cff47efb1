import type { CallRecord, Outcome } from '../gate/types.ts';
import type { Clock } from '../lib/clock.ts';
import { type Span, UNTRACED } from '../lib/telemetry/tracing.ts';

/**
 * Sends a call as a part of a trace, by OpenTelemetry's conventions for generative AI; but its name is the same for all tools.
 * Programs choose what their functions are called, so that names would be without end.
 */
export function inCallSpan(
  trace: Span = UNTRACED.of({ id: '', traceparent: null }),
  { tool, callId, verdict, decision, grant, arguments: args }: CallRecord,
  send: (span: Span) => Promise<CallRecord>,
): Promise<CallRecord> {
  const part = {
    name: 'execute_tool',
    isRemote: true,
    attributes: {
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': tool.name,
      'gen_ai.tool.call.id': callId,
      'gen_ai.tool.type': 'function',
      'countersign.server': tool.server,
      'countersign.rule': verdict.rule,
      'countersign.approved': decision !== null || grant !== undefined,
    },
    content: () => ({ 'gen_ai.tool.call.arguments': JSON.stringify(args) }),
  };
  return trace.during(part, async (span) => {
    const call = await send(span);
    const { state, attempt, outcome } = call;
    span.note({
      attributes: { 'countersign.state': state, 'countersign.attempts': attempt },
      content: () => ({ 'gen_ai.tool.call.result': outcome === null ? null : JSON.stringify(outcome) }),
      ...((state === 'failed' || state === 'in_doubt') && { error: state }),
    });
    return call;
  });
}

/** Follows the job of a call as a part of its trace: recorded when it has ended, from when the server had it. */
export async function inJobSpan(
  trace: Span,
  { tool, callId, job }: CallRecord,
  { follow, clock }: { readonly follow: () => Promise<Outcome>; readonly clock: Clock },
): Promise<Outcome> {
  const outcome = await follow();
  const { status } = outcome;
  const part = {
    name: 'job',
    isRemote: true,
    attributes: {
      'gen_ai.tool.name': tool.name,
      'gen_ai.tool.call.id': callId,
      'countersign.server': tool.server,
      'countersign.job.id': job?.id ?? null,
      'countersign.job.end': ('jobEnd' in outcome && outcome.jobEnd) || status,
    },
  };
  const to = clock();
  trace.record(part, { from: job?.since ?? to, to, error: status === 'succeeded' ? null : status });
  return outcome;
}
