import { type BaseMessage, isHumanMessage } from '@langchain/core/messages';
import { describe, expect, it, vi } from 'vitest';
import { createPlanner } from '../../../src/agents/index.ts';
import type { JsonObject } from '../../../src/lib/json.ts';
import type { Account } from '../../../src/tools/ports.ts';
import { type NetworkOptions, startNetwork } from '../../helpers/network.ts';
import { bob, THREAD } from '../../helpers/people.ts';
import { ScriptedModel } from '../../helpers/scripted-model.ts';
import { teamGraphs, teamModel } from '../../helpers/team.ts';

const NOW = Date.UTC(2026, 10, 23, 8);
const OF_ANA: JsonObject = { critical_facts: { user_name: 'Vi' }, preferences: { tone: 'casual' } };
const list = (id: string) => [{ id, name: 'list_events', args: {} }];

const recallOfAna = async ({ owner }: Account) => (owner === 'slack:T1:U1' ? OF_ANA : null);

function open(recall: (account: Account) => Promise<JsonObject | null>, more: NetworkOptions = {}) {
  return startNetwork({ clock: () => NOW, agentPorts: (ports) => ({ ...ports, recall }), ...more });
}

const said = (messages: readonly BaseMessage[] = []) =>
  messages.filter((message) => isHumanMessage(message)).map(({ text }) => text);

describe('what is remembered', () => {
  it('is told with the last message alone, of whose run it is', async () => {
    const network = open(recallOfAna);
    network.model.script('Hello.', 'Again.', 'Hello Bob.');
    await network.say('hello');
    await network.say('again');
    await network.say('hi', { actor: bob });
    const [, second, third] = network.model.seen.map(said);
    expect(second?.[0]).not.toContain('Vi');
    expect(second?.[1]).toContain(`${JSON.stringify(OF_ANA)}:\nagain`);
    expect(third?.join('\n')).not.toContain('Vi');
  });

  it('is asked for once in a run, so that what is sent doesn’t change from step to step', async () => {
    let times = 0;
    const recall = vi.fn(async (): Promise<JsonObject> => {
      times += 1;
      return { preferences: { tone: `tone ${times}` } };
    });
    const network = open(recall);
    network.model.script(list('c1'), list('c2'), 'Done.');
    await network.say('list');
    const account = { kind: 'person', owner: 'slack:T1:U1', channel: null };
    expect(recall).toHaveBeenCalledExactlyOnceWith(account, THREAD);
    expect(new Set(network.model.seen.map((messages) => said(messages)[0])).size).toBe(1);
  });

  it('changes no byte of what is sent where there is nothing', async () => {
    const sent = async (options: NetworkOptions) => {
      const network = startNetwork({ clock: () => NOW, ...options });
      network.model.script(list('c1'), 'Done.');
      await network.say('list');
      return JSON.stringify(network.model.seen.map((messages) => messages.map(({ content }) => content)));
    };
    const without = await sent({});
    expect(without).toContain('Said by');
    expect(await sent({ agentPorts: (ports) => ({ ...ports, recall: async () => null }) })).toBe(without);
  });

  it('is told to the planner', async () => {
    const network = open(recallOfAna, { graphs: (ports) => ({ planner: createPlanner(ports) }) });
    network.model.script('Hello.');
    await network.say('hello', { graph: 'planner' });
    expect(said(network.model.seen[0])[0]).toContain('"user_name":"Vi"');
  });

  it('is told to a team’s master and composer, and not to its agents', async () => {
    const told: Record<string, boolean> = {};
    const { model } = teamModel([{ id: 'one' }], () => 'Done.');
    const network = open(recallOfAna, { model, graphs: teamGraphs([{ name: 'one' }], () => network) });
    await network.say('do it', { graph: 'team' });
    for (const messages of model.seen) {
      const instructions = messages[0]?.text ?? '';
      const who = /You are the agent “([^”]*)”/.exec(instructions)?.[1];
      const leader = instructions.includes('You lead a team of agents') ? 'master' : 'composer';
      told[who ?? leader] = said(messages).join('\n').includes('"user_name":"Vi"');
    }
    expect(told).toEqual({ master: true, one: false, composer: true });
  });
});

it('is not known to a model that was never told of a port for it', async () => {
  const network = startNetwork({ model: new ScriptedModel(['Hello.']) });
  expect((await network.say('hello')).response).toBe('Hello.');
});
