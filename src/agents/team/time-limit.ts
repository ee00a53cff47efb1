import { AppError } from '../../lib/errors.ts';
import type { Agent } from '../../runs/ports.ts';
import { agentTimedOut } from '../texts.ts';

/**
 * An agent that has so many milliseconds for each stretch of work between two pauses: what people take to decide isn't
 * counted, nor what an approved call takes. What is in flight when the time is over is aborted, and the task fails with
 * what it brought so far.
 */
export function withTimeLimit(agent: Agent, name: string, timeoutMs: number | null): Agent {
  if (timeoutMs === null) return agent;
  return {
    ...agent,
    async run(input, context) {
      const limit = AbortSignal.timeout(timeoutMs);
      const signal = AbortSignal.any([context.signal, limit]);
      try {
        return await agent.run(input, { ...context, signal });
      } catch (error) {
        if (!limit.aborted || context.signal.aborted) throw error;
        const userMessage = agentTimedOut(name, timeoutMs);
        throw new AppError({ code: 'agent_timed_out', userMessage, cause: error });
      }
    },
  };
}
