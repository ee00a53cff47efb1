import { END, START, StateGraph } from '@langchain/langgraph';
import { AssistantState } from '../nodes/state.ts';
import { runTools } from '../nodes/use-tools.ts';
import type { AgentInbox, AgentPorts } from '../ports.ts';
import type { Contexts } from '../runtime/run-contexts.ts';
import { createToolSearch } from '../tool-search/search.ts';
import { confirm } from './confirm.ts';
import { readMail } from './read-mail.ts';
import { closeRun, respond } from './respond.ts';

/** Builds the graph that answers a mail: the assistant's nodes, after one that reads the mail. */
export function buildGraph(ports: AgentPorts, inbox: AgentInbox, contexts: Contexts) {
  const search = createToolSearch();
  return new StateGraph(AssistantState)
    .addNode('read_mail', readMail(ports, contexts, inbox), {
      ends: ['human_confirmation', 'use_tools', 'responder', END],
    })
    .addNode('responder', respond(ports, inbox, contexts, search), {
      ends: ['human_confirmation', 'use_tools', 'response_formatter', END],
    })
    .addNode('human_confirmation', confirm(ports, inbox, contexts), {
      ends: ['use_tools', 'responder', 'response_formatter'],
    })
    .addNode('use_tools', runTools(ports, contexts, { search, modelNode: 'responder' }), {
      ends: ['human_confirmation', 'responder', 'response_formatter'],
    })
    .addNode('response_formatter', closeRun(ports, inbox, contexts))
    .addEdge(START, 'read_mail')
    .addEdge('response_formatter', END)
    .compile({ checkpointer: ports.checkpoints.saver });
}
