import type { Agent, Agents } from '../../runs/ports.ts';

/** The graphs of this process, by the names that threads have for them. */
export function createAgents(byGraph: Readonly<Record<string, Agent>>): Agents {
  const agents = new Map(Object.entries(byGraph));
  return { for: ({ graph }) => agents.get(graph) ?? null };
}
