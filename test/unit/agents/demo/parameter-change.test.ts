import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from '@langchain/core/messages';
import { describe, expect, it } from 'vitest';
import { demoReply } from '../../../../src/agents/demo/reply.ts';
import { PARAMETER_NAMES } from '../../../../src/app/demo-servers/simulation/parameters.ts';

const tools = ['get_parameter_value', 'set_parameter_value', 'load_simulation', 'run_simulation']
  .map((name) => ({ name: `simulation__${name}` }))
  .concat({ name: 'ask_user' });

/** What the model does after these words, the simulations that were loaded, and what was answered to its calls. */
function reply(
  words: string,
  {
    loaded = ['sim_1'],
    ends = [],
  }: { readonly loaded?: readonly string[]; readonly ends?: readonly string[] } = {},
) {
  const messages: BaseMessage[] = [];
  const call = (name: string, args: Record<string, unknown>, content: string) => {
    const id = `call_${messages.length}`;
    messages.push(new AIMessage({ content: '', tool_calls: [{ id, name, args }] }));
    messages.push(new ToolMessage({ tool_call_id: id, content }));
  };
  messages.push(new HumanMessage('simulate 500 mg'));
  for (const id of loaded) call('simulation__load_simulation', {}, `Loaded ${id}, a model:`);
  messages.push(new AIMessage('Done.'), new HumanMessage(words));
  const next = () => demoReply({ messages, tools, now: 0, timeZone: 'UTC', hasBanner: true });
  for (const end of ends) {
    const said = next();
    if ('text' in said) throw new Error(said.text);
    for (const { name, arguments: args } of said.toolCalls) call(name, args, end);
  }
  const said = next();
  return 'text' in said ? said : said.toolCalls[0];
}

const read = (value: number, unit: string) => `It is so.\n${JSON.stringify({ parameter: { value, unit } })}`;
const answered = (words: string) => `Answered by Ana: ${words}`;
const asks = (question: string) => ({
  name: 'ask_user',
  arguments: { question: expect.stringContaining(question) },
});
const reads = (parameter: string, id = 'sim_1') => ({
  name: 'simulation__get_parameter_value',
  arguments: { simulation_id: id, parameter },
});
const sets = (parameter: string, value: number, unit: string) => ({
  name: 'simulation__set_parameter_value',
  arguments: { simulation_id: 'sim_1', parameter, value, unit },
});

describe('a parameter that is to be changed by a part of what it is', () => {
  it.each(PARAMETER_NAMES)('is read first: %s', (name) => {
    expect(reply(`increase ${name.replaceAll('_', ' ')} 10%`)).toEqual(reads(name));
  });

  it.each([
    ['increase clearance 10%', 'clearance', 5, 'L/h', 5.5],
    ['Raise the clearance by 10 percent.', 'clearance', 5, 'L/h', 5.5],
    ['reduce central volume by 2.5 %', 'central_volume', 50, 'L', 48.75],
    ['lower the body weight 10%', 'body_weight', 70, 'kg', 63],
  ])('%s: is set to a value that is calculated from what was read', (words, name, value, unit, expected) => {
    expect(reply(words, { ends: [read(value, unit)] })).toEqual(sets(name, expected, unit));
  });

  it.each(['liver weight', 'liver clearance', 'weight', 'volume', 'the everything'])(
    'is asked for where there is none of that name: %s',
    (what) => {
      expect(reply(`increase ${what} 10%`)).toMatchObject(asks(`“${what}” is no parameter`));
      expect(reply(`increase ${what} 10%`, { ends: [answered('maybe')] })).toMatchObject(
        asks('Which one do you mean?'),
      );
      expect(reply(`increase ${what} 10%`, { ends: [answered('the clearance')] })).toEqual(
        reads('clearance'),
      );
    },
  );

  it('is asked about where nobody says by how much', () => {
    const ends = [answered('a little'), answered('by 10 %'), read(5, 'L/h')];
    const words = 'decrease clearance';
    expect(reply(words)).toMatchObject(asks('By how many percent should the clearance change?'));
    expect(reply(words, { ends: ends.slice(0, 1) })).toMatchObject(asks('By how many percent'));
    expect(reply(words, { ends })).toEqual(sets('clearance', 4.5, 'L/h'));
  });

  it.each([
    [[], 'None was loaded in this conversation.'],
    [['sim_1', 'sim_2'], 'Loaded here: sim_1, sim_2.'],
  ])('is asked of which simulation, with %j loaded', (loaded, context) => {
    const words = 'increase clearance 10%';
    expect(reply(words, { loaded })).toMatchObject({ name: 'ask_user', arguments: { context } });
    expect(reply(words, { loaded, ends: [answered('hm'), answered('sim_2')] })).toEqual(
      reads('clearance', 'sim_2'),
    );
  });

  it('is asked about where a percentage may change by a part or by points', () => {
    const words = 'increase bioavailability 10%';
    const ends = [read(80, '%'), answered('maybe'), answered('90 %')];
    expect(reply(words, { ends: ends.slice(0, 2) })).toMatchObject(
      asks('makes it 88 %, 10 points make it 90 %'),
    );
    expect(reply(words, { ends })).toEqual(sets('bioavailability', 90, '%'));
  });

  it('is left when the answer is that', () => {
    const left = { text: 'All right, I leave it. Nothing was changed.' };
    expect(reply('increase liver weight 10%', { ends: [answered('never mind')] })).toEqual(left);
    expect(reply('simulate 500 twice a day', { ends: [answered('never mind')] })).toEqual(left);
  });

  it('is said not to have changed where it could not be read', () => {
    const failed = 'Failed: Lag time is no parameter of that model. Nothing was read.';
    expect(reply('increase lag time 10%', { ends: [failed] })).toEqual({
      text: expect.stringMatching(/^Not done: get parameter value/),
    });
  });

  it.each(['raise an issue with Bob', 'increase my calendar', 'increase clearance by 3 points'])(
    'is none in: %s',
    (words) => {
      expect(reply(words)).toEqual({ text: expect.stringContaining('What I can do here:') });
    },
  );
});
