import { randomUUID } from 'node:crypto';
import { sha256Hex } from '../../lib/canonical-json.ts';
import type { JsonObject } from '../../lib/json.ts';
import { createGuardedFetch } from '../../lib/net/guarded-fetch.ts';
import type { Secret } from '../../lib/secret-mask.ts';
import type { CallOptions, SendEnded } from '../ports.ts';
import { giveByA2a } from './a2a.ts';
import { type ForeignAgent, type Give, MOST_BYTES } from './foreign-agent.ts';
import { createResults, failed, inDoubt, type Results } from './results.ts';
import { FOREIGN_AGENT } from './texts.ts';

/**
 * Gives an agent that is another program one task, once. It gets the task and the headers of its own block, and nothing
 * else of ours. What it answers is data, whatever it says.
 */
export function createAskAgent(
  agent: ForeignAgent,
  secrets: readonly Secret[],
): (
  call: { readonly arguments: JsonObject; readonly callKey?: string },
  options: Pick<CallOptions, 'confirm' | 'signal'>,
) => Promise<SendEnded> {
  const { name, timeoutMs } = agent;
  const results = createResults(agent, secrets);
  const give = agent.protocol === 'a2a' ? giveByA2a(agent, results) : giveByHttp(agent, results);

  return async ({ arguments: task, callKey }, { confirm, signal }) => {
    await confirm?.();
    if (signal.aborted) return failed(FOREIGN_AGENT.stoppedBefore(name));
    const limit = timeoutMs === null ? null : AbortSignal.timeout(timeoutMs);
    try {
      return await give({
        task,
        messageId: callKey === undefined ? randomUUID() : sha256Hex(callKey).slice(0, 32),
        signal: limit ? AbortSignal.any([signal, limit]) : signal,
      });
    } catch (error) {
      if (limit?.aborted) return inDoubt(FOREIGN_AGENT.silent(name, timeoutMs ?? 0));
      if (signal.aborted) return inDoubt(FOREIGN_AGENT.stopped(name));
      return results.toFailure(error);
    }
  };
}

function giveByHttp(agent: ForeignAgent, results: Results): Give {
  const { url, headers, reach } = agent;
  const guarded = createGuardedFetch({ reach, maxBytes: MOST_BYTES, isWhole: true });
  return async ({ task, signal }) => {
    const response = await guarded(url, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json', accept: 'application/json' },
      body: JSON.stringify(toAgentInput(agent, task)),
      signal,
    });
    results.note(response);
    if (!response.ok) {
      await response.body?.cancel();
      return results.refusal(response.status);
    }
    return results.toResult(parseJson(await response.text()));
  };
}

/** The task as an AgentInput. The parts that are of this program, its people and its tools are empty. */
function toAgentInput({ name, timeoutMs }: ForeignAgent, task: JsonObject): JsonObject {
  return {
    agent_id: name,
    entities: {},
    dependency_outputs: {},
    ...task,
    agent_name: name,
    tools: [],
    conversation_history: [],
    long_term_memory: {},
    retry_config: { max_retries: 0, timeout: timeoutMs === null ? null : timeoutMs / 1_000 },
    metadata: {},
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
