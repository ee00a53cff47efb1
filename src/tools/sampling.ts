import type { Gate } from '../gate/index.ts';
import type { CallRecord, PolicyAction, SamplingRequest } from '../gate/types.ts';
import { SAMPLING, type Sample } from './ports.ts';
import { requesterVerdict } from './requester-verdict.ts';

/**
 * The policy's verdict on a server's request to the model while `call` runs (MCP sampling), evaluated as a call
 * of `server.sampling`. The verdict on the tool call doesn't cover it, because the request is only known now.
 * In the middle of a call only the requester can be asked, with one click, so rules that want more than that
 * count as `deny`.
 */
export function samplingVerdict(
  gate: Pick<Gate, 'policy'>,
  { tool }: CallRecord,
  request: SamplingRequest,
): PolicyAction {
  return requesterVerdict(gate.policy.evaluate(asSampled(tool, request)));
}

/**
 * The model's answer to such a request. It is recorded before the model is asked, and the audit names the rule
 * that allowed it.
 */
export async function answerSampling(
  { gate, sample }: { readonly gate: Pick<Gate, 'policy' | 'journal'>; readonly sample: Sample },
  call: CallRecord,
  request: SamplingRequest,
  signal: AbortSignal,
): ReturnType<Sample> {
  const asked = asSampled(call.tool, request);
  await gate.journal.recordSampling(call, gate.policy.evaluate(asked).rule, asked.arguments);
  return sample(request, signal);
}

/** The call that rules evaluate when a server asks the model. */
function asSampled({ server }: CallRecord['tool'], request: SamplingRequest) {
  return { server, tool: SAMPLING, arguments: samplingArguments(request) };
}

/** The arguments of `server.sampling` that rules can match. */
function samplingArguments({ messages, systemPrompt, maxTokens }: SamplingRequest) {
  const texts = messages.map(({ role, text }) => ({ role, text }));
  return { messages: texts, system_prompt: systemPrompt, max_tokens: maxTokens };
}
