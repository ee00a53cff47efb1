import type { CallRecord } from '../gate/types.ts';
import { type Span, UNTRACED } from '../lib/telemetry/tracing.ts';

/** Sends a call as a part of a trace, by OpenTelemetry's conventions for generative AI. */
export function inCallSpan(
  trace: Span = UNTRACED.of({ id: '', traceparent: null }),
  { tool, callId, verdict, decision, grant, arguments: args }: CallRecord,
  send: (span: Span) => Promise<CallRecord>,
): Promise<CallRecord> {
  const part = {
    name: `execute_tool ${tool.name}`,
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
