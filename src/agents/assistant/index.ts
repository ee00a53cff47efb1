import type { Agent } from '../../runs/ports.ts';
import { FRESH, type State } from '../nodes/state.ts';
import type { AgentPorts } from '../ports.ts';
import { createGraphAgent } from '../runtime/graph-agent.ts';
import { buildGraph } from './graph.ts';

/** The assistant graph: routes, plans, runs allowed calls, and pauses for what people must decide. */
export function createAssistant(ports: AgentPorts): Agent {
  return createGraphAgent<State>((contexts) => buildGraph(ports, contexts), ports, {
    fresh: FRESH,
    finalResponse: ({ finalResponse }) => finalResponse ?? null,
    lastNode: 'response_formatter',
  });
}
