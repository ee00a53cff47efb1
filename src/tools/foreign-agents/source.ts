import { canonicalJson, sha256Hex } from '../../lib/canonical-json.ts';
import type { JsonObject } from '../../lib/json.ts';
import type { Secret } from '../../lib/secret-mask.ts';
import { AGENTS_SERVER, type SendResult, type ToolDefinition, type ToolSource } from '../ports.ts';
import { createAskAgent } from './ask-agent.ts';
import type { ForeignAgent } from './foreign-agent.ts';
import { FOREIGN_AGENT, TASK_FIELDS } from './texts.ts';

/**
 * What such an agent is sent of a task. What else is in an AgentInput is the same for all, and holds nothing of ours.
 */
const TASK_SCHEMA: JsonObject = {
  type: 'object',
  properties: {
    task: { type: 'string', minLength: 1, ...TASK_FIELDS.task },
    agent_id: { type: 'string', ...TASK_FIELDS.agentId },
    entities: { type: 'object', ...TASK_FIELDS.entities },
    dependency_outputs: { type: 'object', ...TASK_FIELDS.outputs },
  },
  required: ['task'],
  additionalProperties: false,
};

/**
 * Agents of the team that are other programs, reached over the network, as tools of the server `agents`: a call of one goes through
 * the gate as every other does. See docs/decisions/0101.
 *
 * @param secrets of this program, which are masked in whatever they answer, with the headers that each is sent.
 */
export function createForeignAgents(agents: readonly ForeignAgent[], secrets: readonly Secret[]): ToolSource {
  const known = new Map(
    agents.map((agent) => [agent.name, { tool: toDefinition(agent), ask: createAskAgent(agent, secrets) }]),
  );
  const definitions = [...known.values()].map(({ tool }) => tool);
  return {
    name: 'the team’s agents',
    servers: agents.length > 0 ? [AGENTS_SERVER] : [],
    tools: async () => definitions,
    async send(call, options) {
      const found = known.get(call.name);
      if (!found) return refused(FOREIGN_AGENT.gone(call.name));
      const { tool, ask } = found;
      const isAsDecided = call.definitionHash === undefined || call.definitionHash === tool.definitionHash;
      return isAsDecided ? ask(call, options) : { kind: 'redefined', tool };
    },
  };
}

function refused(message: string): SendResult {
  return { kind: 'ended', outcome: { status: 'failed', message, content: [] }, retry: null };
}

function toDefinition({ name, description, url, protocol }: ForeignAgent): ToolDefinition {
  const { hostname, port } = new URL(url);
  const spoken = protocol === 'a2a' ? { protocol } : {};
  const asListed: JsonObject = { name, description, url, ...spoken, inputSchema: TASK_SCHEMA };
  return {
    server: AGENTS_SERVER,
    name,
    modelName: `${AGENTS_SERVER}__${name}`,
    toolType: AGENTS_SERVER,
    title: FOREIGN_AGENT.title(name, hostname, port),
    description,
    inputSchema: TASK_SCHEMA,
    outputSchema: null,
    // With its address: an approval holds for who was shown, and for nobody else.
    definitionHash: sha256Hex(canonicalJson({ server: AGENTS_SERVER, ...asListed })),
    destructive: false,
    readOnly: false,
    trusted: true,
    asListed,
  };
}
