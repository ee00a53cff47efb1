import { McpServer } from '@modelcontextprotocol/server';
import type { Lab } from './lab.ts';
import { registerPopulations } from './population-tools.ts';
import { registerReads, registerWrites } from './simulation-tools.ts';

/** An MCP server that simulates drugs in the body: compartments, single people and populations. */
export function createSimulationServer(lab: Lab): McpServer {
  const server = new McpServer({ name: 'simulation', title: 'PK simulation', version: '1.0.0' });
  registerReads(server, lab);
  registerWrites(server, lab);
  registerPopulations(server, lab);
  return server;
}
