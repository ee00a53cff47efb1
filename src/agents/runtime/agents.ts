import type { Agent, Agents } from '../../runs/ports.ts';

/** The registry of this process's graphs, by the names that threads record. */
export function createAgents(byGraph: Readonly<Record<string, Agent>>): Agents {
  const agents = new Map(Object.entries(byGraph));
  return { for: ({ graph }) => agents.get(graph) ?? null };
}
