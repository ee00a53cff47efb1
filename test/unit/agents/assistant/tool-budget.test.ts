import { describe, expect, it } from 'vitest';
import { createFakeHub, ended, type FakeTool, success } from '../../../helpers/fake-hub.ts';
import { startNetwork } from '../../../helpers/network.ts';
import { bob } from '../../../helpers/people.ts';
import { ScriptedModel } from '../../../helpers/scripted-model.ts';

const tool = (server: string, name: string): FakeTool => ({
  server,
  name,
  run: () => ended(success(`${name} done`)),
});
const invoices = Array.from({ length: 10 }, (_, index) => tool('books', `list_invoices_${index}`));
const send = tool('mail', 'send_letter');
/** 17 tools: the five of the calendar, ten of the books, and two of the mail. */
const hub = () => createFakeHub(...invoices, send, tool('mail', 'archive_letter'));
const find = (query: string, server?: string) => ({
  id: `find ${query}`,
  name: 'find_tools',
  args: { query, ...(server === undefined ? {} : { server }) },
});
const call = (name: string) => ({ id: `${name} call`, name, args: {} });
const prompt = ({ model }: { model: ScriptedModel }) => model.seen.at(-1)?.[0]?.text ?? '';

describe('where all tools fit', () => {
  it('they are all offered, and nothing is said of others', async () => {
    const network = startNetwork({ hub: hub(), maxTools: 18 });
    network.model.script('Hello.');
    await network.say('hello');
    expect(network.model.offered[0]).toHaveLength(18);
    expect(network.model.offered[0]).not.toContain('find_tools');
    expect(prompt(network)).not.toContain('find_tools');
  });
});

describe('a name that is nearly another tool’s', () => {
  const choice = [{ id: 'x', name: 'choose_tool_types', args: { tool_types: ['books', 'calendar'] } }];

  it.each([
    ['of a tool of ours that is not offered now', 'find_tools', 'find__tools', null],
    ['of a tool that the router left out', 'send_letter', 'Send__Letter', choice],
  ])('and that %s is never taken for it', async (_what, written, alike, chosen) => {
    const network = startNetwork({
      hub: createFakeHub(send, tool('books', alike)),
      ...(chosen && { routerModel: new ScriptedModel([chosen]) }),
    });
    network.model.script([call(written)], 'I cannot.');
    await network.say('hello');
    expect(network.model.offered[0]).toContain(alike);
    expect(network.hub.sent).toEqual([]);
    expect(await network.isPending(`${written} call`)).toBe(false);
  });
});

describe('where they do not fit', () => {
  it('the built-in ones and those that match the message are offered, the others counted by server', async () => {
    const network = startNetwork({ hub: hub(), maxTools: 17 });
    network.model.script('Hello.');
    await network.say('archive the letter');
    expect(network.model.offered[0]).toEqual(['send_letter', 'archive_letter', 'ask_user', 'find_tools']);
    expect(prompt(network)).toContain('books 10, calendar 5.');
  });

  it('no more are offered than a model takes, and the best match is one of them', async () => {
    const network = startNetwork({ hub: hub(), maxTools: 6 });
    network.model.script('Hello.');
    await network.say('list the invoices 7');
    expect(network.model.offered[0]).toHaveLength(6);
    expect(network.model.offered[0]).toEqual(
      expect.arrayContaining(['ask_user', 'find_tools', 'list_invoices_7']),
    );
  });

  it('what the model finds is offered from the next step on, and its call waits for a person as always', async () => {
    const network = startNetwork({ hub: hub(), maxTools: 6 });
    network.model.script([find('send letter')], [call('send_letter')], 'Sent.');
    await network.say('hello');
    expect(network.model.offered[0]).not.toContain('send_letter');
    expect(network.model.offered[1]).toContain('send_letter');
    expect(await network.resultOf('find send letter')).toContain('- send_letter (send letter, of mail)');
    expect(await network.isPending('send_letter call')).toBe(true);
    await network.decide('send_letter call');
    expect(network.hub.count('send_letter')).toBe(1);
    await network.expectWhole();
  });

  it('an answer to a question counts as what a person wrote', async () => {
    const network = startNetwork({ hub: hub(), maxTools: 6 });
    network.model.script([{ id: 'q1', name: 'ask_user', args: { question: 'What?' } }], 'Hello.');
    await network.say('hello');
    await network.decide('q1', { type: 'answer', feedback: 'send a letter' });
    expect(network.model.offered[1]).toEqual(expect.arrayContaining(['send_letter', 'archive_letter']));
  });

  it('what was found or called stays offered for what is said next, the newest first', async () => {
    const network = startNetwork({ hub: hub(), maxTools: 5 });
    network.model.script([find('invoices 3', 'books')], [call('list_invoices_3')], 'None.', 'Bye.');
    await network.say('hello');
    expect(network.model.offered[2]).toHaveLength(5);
    await network.say('archive the letter');
    expect(network.model.offered[3]).toHaveLength(5);
    expect(network.model.offered[3]).toContain('list_invoices_3');
    await network.expectWhole();
  });

  it('a call of a tool that is not offered in this step goes through the gate all the same', async () => {
    const network = startNetwork({ hub: hub(), maxTools: 6 });
    network.model.script([call('send_letter')], 'Sent.');
    await network.say('hello');
    expect(network.model.offered[0]).not.toContain('send_letter');
    expect(await network.isPending('send_letter call')).toBe(true);
    await network.decide('send_letter call');
    expect(network.hub.count('send_letter')).toBe(1);
    await network.expectWhole();
  });

  it('a tool that the policy allows runs at once, found or not', async () => {
    const network = startNetwork({ hub: hub(), maxTools: 6 });
    network.model.script([call('list_invoices_9')], 'None.');
    await network.say('hello');
    expect(await network.resultOf('list_invoices_9 call')).toBe('list_invoices_9 done');
    await network.expectWhole();
  });

  it('nobody finds or calls a tool that is offered to others only', async () => {
    const network = startNetwork({
      hub: hub(),
      maxTools: 6,
      agentPorts: (ports) => ({
        ...ports,
        tools: {
          ...ports.tools,
          async offer(person) {
            const offer = await ports.tools.offer(person);
            const isHers = ({ server }: { server: string }) => server !== 'mail' || person?.id !== bob.id;
            return { ...offer, tools: offer.tools.filter(isHers) };
          },
        },
      }),
    });
    // Ana's list is indexed first.
    network.model.script([find('send letter')], 'Found.');
    await network.say('hello', { threadId: 'slack:T1:C1:2.0' });
    network.model.script([find('send letter ')], [call('send_letter')], 'I cannot.');
    await network.say('send a letter', { actor: bob });
    expect(await network.resultOf('find send letter ')).toMatch(/^Nothing matches/);
    expect(await network.resultOf('send_letter call')).toMatch(/There is no tool called send_letter/);
    expect(network.hub.sent).toEqual([]);
    await network.expectWhole();
  });

  it('a request that the router narrowed finds tools of the chosen types only', async () => {
    const choice = [{ id: 'x', name: 'choose_tool_types', args: { tool_types: ['books', 'calendar'] } }];
    const network = startNetwork({ routerModel: new ScriptedModel([choice]), hub: hub(), maxTools: 6 });
    network.model.script([find('letter')], [find('invoices')], 'None.');
    await network.say('hello');
    expect(await network.resultOf('find letter')).toMatch(/^Nothing matches/);
    expect(await network.resultOf('find invoices')).toContain('list_invoices_0');
    expect(prompt(network)).not.toContain('mail');
  });

  it('all of the types that the router chose are offered where they fit', async () => {
    const choice = [{ id: 'x', name: 'choose_tool_types', args: { tool_types: ['mail'] } }];
    const network = startNetwork({ routerModel: new ScriptedModel([choice]), hub: hub(), maxTools: 6 });
    network.model.script('Hello.');
    await network.say('hello');
    expect(network.model.offered[0]).toEqual(['send_letter', 'archive_letter', 'ask_user']);
  });

  it.each([
    [
      'a server that there is not',
      { query: 'letter', server: 'post' },
      'No server is called post. There are: ',
    ],
    ['no query', {}, 'Not searched: '],
  ])('a search for %s is answered with what is wrong', async (_what, args, text) => {
    const network = startNetwork({ hub: hub(), maxTools: 6 });
    network.model.script([{ id: 'f1', name: 'find_tools', args }], 'Sorry.');
    await network.say('hello');
    expect(await network.resultOf('f1')).toContain(text);
    await network.expectWhole();
  });
});
