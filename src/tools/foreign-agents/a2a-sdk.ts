/**
 * What is used of the A2A library, loaded as one with the first task that needs it: it takes a third of a second. Nothing of
 * ours is here, as what a start shares with such a part is split into more files of the bundle.
 */

export { AGENT_CARD_PATH, AgentCard, Role, TaskState } from '@a2a-js/sdk';
export {
  ClientFactory,
  DefaultAgentCardResolver,
  JsonRpcTransportFactory,
  RestTransportFactory,
} from '@a2a-js/sdk/client';
