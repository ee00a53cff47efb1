import { AGENT_NAMES, type AgentName } from '../../../runs/ports.ts';
import { isDirectChannel } from '../../ids.ts';
import { USE_AGENT } from '../../texts/commands.ts';
import type { HandlerPorts } from '../ports.ts';

/** Chooses the agent of this channel's new conversations; without a name, says which it is. */
export async function useText(
  { agents, runs }: HandlerPorts,
  rest: string,
  channel: string,
): Promise<string> {
  const wanted = rest.trim().toLowerCase();
  const all = AGENT_NAMES.filter(runs.hasAgent);
  if (wanted === '') return USE_AGENT.is(await agents.find({ channel, isDm: isDirectChannel(channel) }), all);
  if (!isAgentName(wanted)) return USE_AGENT.unknown(wanted, all);
  if (!all.includes(wanted)) return USE_AGENT.noTeam;
  await agents.choose(channel, wanted);
  return USE_AGENT.chosen(wanted);
}

function isAgentName(word: string): word is AgentName {
  return AGENT_NAMES.some((name) => name === word);
}
