import { describe, expect, it } from 'vitest';
import { chooseTools } from '../../../../src/agents/team/tool-choice.ts';
import { OWN_SERVER, type ToolDefinition } from '../../../../src/tools/ports.ts';

function tool(server: string, name: string): ToolDefinition {
  return {
    ...{ server, name, modelName: `${server}__${name}`, title: name, description: '', toolType: server },
    ...{ inputSchema: {}, outputSchema: null, definitionHash: '', destructive: false, readOnly: false },
    ...{ trusted: true, asListed: {} },
  };
}

const OFFER = {
  tools: [
    tool('calendar', 'list_events'),
    tool('calendar', 'add_event'),
    tool(OWN_SERVER, 'connect_tasks'),
    tool(OWN_SERVER, 'connect_mail'),
  ],
  instructions: [
    { server: 'calendar', text: 'Times are local.' },
    { server: 'ledger', text: 'Entries stay.' },
  ],
  down: ['lab', 'tasks'],
};

const choose = (...globs: string[]) => {
  const { tools, instructions, down } = chooseTools(globs)(OFFER);
  return {
    tools: tools.map(({ name }) => name),
    instructions: instructions.map(({ server }) => server),
    down,
  };
};

describe('what an agent of a team is offered', () => {
  it.each([
    [['calendar.list_*'], ['list_events']],
    [['calendar.*'], ['list_events', 'add_event']],
    [['tasks.list_tasks'], ['connect_tasks']],
    [
      ['tasks.*', 'mai?.read'],
      ['connect_tasks', 'connect_mail'],
    ],
    [['*.list_*'], ['list_events', 'connect_tasks', 'connect_mail']],
    [['t*list'], ['connect_tasks']],
    [['task.*', 'tasks2.*', 'countersign.connect_mail'], []],
    [[], []],
  ])('by %j is %j', (globs, names) => {
    expect(choose(...globs).tools).toEqual(names);
  });

  it('says nothing of servers that are none of its own', () => {
    expect(choose('calendar.*', 'lab.run')).toMatchObject({ instructions: ['calendar'], down: ['lab'] });
    expect(choose('ledger.*')).toMatchObject({ instructions: [], down: [] });
  });
});
