import type { Gate } from '../gate/index.ts';
import type { CallRecord, PolicyAction, SamplingRequest } from '../gate/types.ts';
import { type CallOptions, SAMPLING, type Sample } from './ports.ts';

/** How a server's requests to the model are decided and answered while `call` runs (MCP sampling). */
export function decideSampling(
  gate: Pick<Gate, 'policy' | 'journal'>,
  call: CallRecord,
  sample: Sample,
): NonNullable<CallOptions['sampling']> {
  return {
    verdict: (request) => samplingVerdict(gate, call, request),
    async answer(request, signal) {
      const asked = asSampled(call.tool, request);
      // Recorded before the model is asked. The audit names the rule that allowed it.
      await gate.journal.recordSampling(call, gate.policy.evaluate(asked).rule, asked.arguments);
      return sample(request, signal);
    },
  };
}

/**
 * The policy's verdict on a server's request to the model, evaluated as a call of `server.sampling`. The
 * verdict on the tool call doesn't cover it, because the request is only known now. In the middle of a call
 * only the requester can be asked, with one click, so rules that want more than that count as `deny`.
 */
function samplingVerdict(
  gate: Pick<Gate, 'policy'>,
  { tool }: CallRecord,
  request: SamplingRequest,
): PolicyAction {
  const { action, approval, confirmByTyping, decideOn } = gate.policy.evaluate(asSampled(tool, request));
  const wantsMore = approval !== undefined || confirmByTyping !== undefined || decideOn !== undefined;
  return action === 'ask' && wantsMore ? 'deny' : action;
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
