import type { Agent } from '../../runs/ports.ts';
import { FRESH, type State } from '../nodes/state.ts';
import type { AgentPorts } from '../ports.ts';
import { createGraphAgent } from '../runtime/graph-agent.ts';
import { buildGraph } from './graph.ts';

/** The planner graph: has the model plan, and has people decide the plan's steps, which run in order. See docs/decisions/0088. */
export function createPlanner(ports: AgentPorts): Agent {
  return createGraphAgent<State>((contexts) => buildGraph(ports, contexts), ports, {
    fresh: FRESH,
    finalResponse: ({ finalResponse }) => finalResponse ?? null,
    lastNode: 'response_formatter',
  });
}
