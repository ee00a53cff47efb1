import type { Agent } from '../../runs/ports.ts';
import type { ToolOffer } from '../../tools/ports.ts';
import { FRESH, type State } from '../nodes/state.ts';
import type { AgentInbox, AgentPorts } from '../ports.ts';
import { createGraphAgent } from '../runtime/graph-agent.ts';
import { buildGraph } from './graph.ts';
import { offerFor } from './tools.ts';

const NOTHING: ToolOffer = { tools: [], instructions: [], down: [] };

/** The graph that answers a mail: it has the tools of the mail's own mailbox and calendar, by names of its own. */
export function createInboxAgent(ports: AgentPorts, inbox: AgentInbox): Agent {
  const own: AgentPorts = {
    ...ports,
    models: { ...ports.models, router: null },
    recall: inbox.recall,
    tools: {
      ...ports.tools,
      async offer(person, { threadId = '' } = {}) {
        const mail = await inbox.mailOf(threadId);
        if (!mail) return NOTHING;
        const isNeeded = (server: string) => server === mail.server || server === mail.calendar;
        return offerFor(mail, await ports.tools.offer(person, { isNeeded, threadId }));
      },
    },
  };
  return createGraphAgent<State>((contexts) => buildGraph(own, inbox, contexts), own, {
    fresh: FRESH,
    finalResponse: ({ finalResponse }) => finalResponse ?? null,
    lastNode: 'response_formatter',
  });
}
