import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from '@langchain/core/messages';
import { Client, InMemoryTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseIntent } from '../../../../src/agents/demo/intent.ts';
import { demoReply } from '../../../../src/agents/demo/reply.ts';
import type { DemoCall, DemoReply } from '../../../../src/agents/demo/turn.ts';
import { createDocumentServer } from '../../../../src/app/demo-servers/documents/server.ts';
import { contentSchema } from '../../../../src/gate/call/outcome.ts';
import { createKnowledge, createParseFile, type Knowledge } from '../../../../src/knowledge/index.ts';
import { EVERYBODY } from '../../../../src/knowledge/ports.ts';
import { openDocumentIndex } from '../../../../src/storage/documents/index.ts';
import { ROOT, temporaryFolder } from '../../../helpers/process.ts';

const moment = { now: Date.parse('2026-11-23T08:00:00Z'), timeZone: 'Europe/Berlin' };
const CALENDAR = ['calendar__list_events', 'calendar__create_event', 'ask_user'];
const DOCUMENTS = ['search', 'list', 'read', 'share', 'unshare'].map(
  (verb) => `documents__${verb}_document${verb === 'search' || verb === 'list' ? 's' : ''}`,
);

function reply(messages: readonly BaseMessage[], tools: readonly string[] = [...CALENDAR, ...DOCUMENTS]) {
  return demoReply({ messages, tools: tools.map((name) => ({ name })), ...moment, hasBanner: true });
}

const ask = (words: string, tools?: readonly string[]) => reply([new HumanMessage(words)], tools);
const firstCall = (given: DemoReply): DemoCall | undefined =>
  'toolCalls' in given ? given.toolCalls[0] : undefined;
const text = (given: DemoReply): string => ('text' in given ? given.text : '');

/** A message with which files came, as the agent reads it. */
const withFiles = (words: string, names: string) =>
  `${words}\n\n[With this message came: ${names}. search_documents and read_document find what they say.]`;

/** What it says once its call has ended so. */
function afterwards(words: string, content: string, status: 'success' | 'error' = 'success'): string {
  const asked = new HumanMessage(words);
  const { name = '', arguments: args = {} } = firstCall(reply([asked])) ?? {};
  const call = new AIMessage({ content: '', tool_calls: [{ id: 'call_1', name, args }] });
  return text(reply([asked, call, new ToolMessage({ tool_call_id: 'call_1', content, status })]));
}

describe('a message about documents', () => {
  it.each([
    ['what does the travel policy say about hotels?', 'the travel policy about hotels', null],
    ['can you tell me what the travel policy says about trains', 'the travel policy about trains', null],
    ['find the budget in the documents', 'the budget', null],
    ['search the documents for parental leave', 'parental leave', null],
    ['what do the documents say about meetings', 'meetings', null],
    ['what does report.pdf say about revenue?', 'revenue', 'report.pdf'],
    ['What does Q3 report.pdf say on the costs of 2026?', 'the costs of 2026', 'Q3 report.pdf'],
    ['what does “the plan.v2.docx” say about Berlin', 'Berlin', 'the plan.v2.docx'],
    ['find the notice period in contract.docx', 'the notice period', 'contract.docx'],
    [withFiles('what was our revenue?', 'Q3 report.pdf'), 'was our revenue', 'Q3 report.pdf'],
    [withFiles('are there meetings tomorrow?', 'plan.md'), 'are there meetings tomorrow', 'plan.md'],
    [withFiles('what was our revenue?', 'a.pdf, b.pdf'), 'was our revenue', null],
  ])('searches them: %s', (words, query, document) => {
    expect(parseIntent(words, moment)).toEqual({ kind: 'search_documents', query, document });
    const only = document === null ? {} : { document };
    expect(firstCall(ask(words))).toEqual({
      name: 'documents__search_documents',
      arguments: { query, limit: 3, ...only },
    });
  });

  it.each([
    ['how many days of leave do I have?', 'how many days of leave do I have'],
    ['who approves a trip', 'who approves a trip'],
    ['is the office open on Sunday', 'is the office open on Sunday'],
    ['could you find out who Carol is?', 'who Carol is'],
    ['look for the notice period', 'the notice period'],
  ])('searches them for a question that nothing else answers: %s', (words, query) => {
    expect(firstCall(ask(words))?.arguments).toEqual({ query, limit: 3 });
    expect(text(ask(words, CALENDAR))).toContain('I only follow a script, and this is not in it.');
  });

  it.each([
    'what can you do?',
    'who are you?',
    'how does this work?',
    'can you help me?',
    'what is this?',
    'hello?',
  ])('is none that asks the script about itself: %s', (words) => {
    expect(text(ask(words))).toContain('`what does the travel policy say about hotels?`');
  });

  it.each([
    ['what is on my calendar tomorrow?', 'list'],
    ['what meetings do I have about the budget?', 'list'],
    ['am I free tomorrow?', 'free'],
    ['create a meeting about the budget tomorrow at 9am', 'create'],
    [withFiles('create a meeting about this tomorrow at 9am', 'a.pdf'), 'create'],
    ['read notes.txt', 'read_file'],
    ['what is the weather tomorrow?', 'no_tool'],
    ['which hotels are there?', 'no_tool'],
    ['search the web for cats', 'no_tool'],
    ['tell me a joke', 'other'],
    ['share my screen', 'other'],
  ])('is none that is for something else: %s', (words, kind) => {
    expect(parseIntent(words, moment).kind).toBe(kind);
  });

  it.each([
    ...['list documents', 'show me all documents', 'which documents do you know?', 'list files'],
    // Which one, they don't say.
    ...['what does it say?', 'what is this about?', 'summarise it', 'what is in the document?'],
    withFiles('here they are', 'a.pdf, b.pdf'),
  ])('lists them: %s', (words) => {
    expect(firstCall(ask(words))).toEqual({ name: 'documents__list_documents', arguments: {} });
  });

  it.each([
    ['summarise Q3 report.pdf', 'Q3 report.pdf'],
    ['read notes.txt', 'notes.txt'],
    ['what’s in “my plan.md”?', 'my plan.md'],
    [withFiles('what is this?', 'Q3 report.pdf'), 'Q3 report.pdf'],
    [withFiles('here it is', 'Q3 report.pdf'), 'Q3 report.pdf'],
  ])('reads one from its beginning where nothing is asked of it: %s', (words, name) => {
    expect(firstCall(ask(words))).toEqual({ name: 'documents__read_document', arguments: { name } });
  });

  it.each([
    ['share Q3 report.pdf with this channel', 'share', 'Q3 report.pdf'],
    ['share the file report.pdf', 'share', 'report.pdf'],
    ['please share “the handbook” here', 'share', 'the handbook'],
    ['stop sharing report.pdf', 'unshare', 'report.pdf'],
    ['unshare report.pdf with this channel.', 'unshare', 'report.pdf'],
  ])('shares one, or ends that: %s', (words, verb, name) => {
    expect(firstCall(ask(words))).toEqual({ name: `documents__${verb}_document`, arguments: { name } });
  });

  it('searches them by no more words than the tool takes', () => {
    expect(String(firstCall(ask(`who is ${'Ana '.repeat(200)}?`))?.arguments.query)).toHaveLength(500);
  });

  it('says that there is no tool for them, where there is none', () => {
    for (const words of ['what does the travel policy say about hotels?', 'list documents', 'share a.pdf'])
      expect(text(ask(words, CALENDAR))).toContain('I have no tool for documents here, sorry.');
  });

  it('is asked directly also where the model plans, and what shares is a step', () => {
    const tools = [...DOCUMENTS, 'make_plan'];
    expect(firstCall(ask('how much may a hotel cost? see the travel policy', tools))?.name).toBe(
      'documents__search_documents',
    );
    expect(firstCall(ask('share a.pdf here', tools))).toMatchObject({
      name: 'make_plan',
      arguments: { steps: [{ tool: 'documents__share_document' }] },
    });
  });
});

it.each(['forget greenhouse.pdf', 'remind me in 5 minutes to drink'])(
  'a message that a command is for is answered with that command: %s',
  (words) => {
    expect(text(ask(words))).toBe(`A command does that, and I can’t. Type it so:\n\`/countersign ${words}\``);
  },
);

describe('the answer from documents', () => {
  const FOUND = [
    'Documents are still being learned, so others may fit, too. 2 passages fit, the best first. What follows is quoted from documents.',
    '[1] Q3 report.pdf, page 2, https://example.com/files/q3_report.pdf\n> Sales went well.\n> Revenue was 812 crowns, and\n> costs were 300.',
    '[2] other.md, passage 1\n> Costs are booked monthly.\n{"passages":[]}',
  ].join('\n\n');

  it('quotes passages with numbers, and names these at the end, with their place and link', () => {
    expect(afterwards('what was the revenue?', FOUND)).toBe(
      [
        'This is what I found in the documents:',
        '- … Revenue was 812 crowns, and costs were 300. [1]',
        '',
        'Documents are still being learned, so others may fit, too.',
        '',
        '[1] [Q3 report.pdf, page 2](https://example.com/files/q3_report.pdf)',
      ].join('\n'),
    );
    expect(afterwards('what were the revenue and the monthly costs?', FOUND)).toContain(
      '\n- Costs are booked monthly. [2]\n',
    );
  });

  it('has what it can of a result that was too long to be shown whole', () => {
    const cut = `${FOUND.slice(0, FOUND.indexOf('\n> costs'))}\n[This is the beginning, 290 of 20000 characters.]`;
    expect(afterwards('what was the revenue?', cut)).toContain('Revenue was 812 crowns, and [1]');
  });

  it('makes no link of what a document is called', () => {
    const found = '1 passage fits.\n\n[1] a](https://evil.example).md, passage 1\n> Revenue: 3.';
    expect(afterwards('what was the revenue?', found)).not.toContain('](');
  });

  it('quotes the part of a long passage that has what was asked', () => {
    const long = `1 passage fits.\n\n[1] a.md, passage 1\n> ${'Nothing of it. '.repeat(40)}Whales sing at night.`;
    const said = afterwards('when do whales sing?', long);
    expect(said).toContain('- … Whales sing at night. [1]');
    const table =
      '1 passage fits.\n\n[1] a.csv, passage 1\n> | region | sold |\n> | --- | --- |\n> | North | 3 |\n> | Iberia | 5 |';
    expect(afterwards('what was sold in Iberia?', table)).toContain('- … region Iberia, sold 5; [1]');
  });

  it('says that a match is weak', () => {
    const weak =
      'Only a weak match: 1 passage has something of the question, and may not answer it. What follows is quoted from documents.\n\n[1] a.md, passage 1\n> Nights are long.';
    expect(afterwards('when do whales sing at night?', weak)).toBe(
      'I found only a weak match in the documents, which may not answer it:\n- Nights are long. [1]\n\n[1] a.md, passage 1',
    );
  });

  it('takes a weak match for what it has no tool for, where its first passage is of what is asked', () => {
    const weak = (passage: string) =>
      `Only a weak match: 1 passage has something of the question, and may not answer it.\n\n[1] a.md, passage 1\n> ${passage}`;
    expect(afterwards('hotel cost limit?', weak('Hotels are paid up to 140 euros.'))).toContain(
      'may not answer it:\n- Hotels are paid up to 140 euros. [1]',
    );
    expect(afterwards('hotel cost limit?', weak('Meals are paid.'))).toContain(
      'I have no tool for travel here',
    );
  });

  it('says why a search failed, was refused or was rejected', () => {
    const down =
      'Failed: the documents can’t be searched now; an admin finds the reason in the log. Nothing was read.';
    expect(afterwards('how old are whales?', down, 'error')).toBe(`Not done: search documents. ${down}`);
    const denied = 'Not run: the policy does not allow this.';
    expect(afterwards('list documents', denied, 'error')).toBe(`Not done: list documents. ${denied}`);
    const rejected = afterwards('share a.pdf here', 'Rejected by Bob: not in here', 'error');
    expect(rejected).toContain('Not done: share document a.pdf. Rejected by Bob: “not in here”.');
  });

  it('says in one line what sharing came to', () => {
    const shared = 'Answers in this channel may cite a.pdf from now on.';
    expect(afterwards('share a.pdf here', `${shared}\n{"name":"a.pdf","shared":true}`)).toBe(shared);
  });
});

describe('the demo model with the server of documents', () => {
  const opened: { client: Client; knowledge: Knowledge }[] = [];
  let say: Awaited<ReturnType<typeof open>>;

  beforeAll(async () => {
    say = await open(join(ROOT, 'examples/documents'));
  });
  afterAll(async () => {
    for (const { client, knowledge } of opened) await Promise.all([client.close(), knowledge.stop()]);
  });

  async function open(folder: string) {
    const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
    const knowledge = createKnowledge({
      findReaders: async () => ({ place: { kind: 'program' }, readers: [EVERYBODY], notes: [] }),
      folders: [folder],
      index: openDocumentIndex(':memory:'),
      parse: createParseFile(),
      clock: Date.now,
      log,
    });
    await knowledge.start();
    const server = createDocumentServer(async () => knowledge);
    const client = new Client({ name: 'test', version: '1' });
    const [ours, theirs] = InMemoryTransport.createLinkedPair();
    await Promise.all([server.connect(theirs), client.connect(ours)]);
    opened.push({ client, knowledge });
    const tools = (await client.listTools()).tools.map(({ name }) => `documents__${name}`);
    /** Runs the call that the model proposes, and says its answer. */
    return async (words: string): Promise<string> => {
      const asked = new HumanMessage(words);
      const call = firstCall(reply([asked], tools));
      if (!call) return text(reply([asked], tools));
      const name = call.name.replace('documents__', '');
      const { content, structuredContent, isError } = await client.callTool({
        name,
        arguments: call.arguments,
      });
      const said = contentSchema
        .array()
        .parse(content)
        .map((part) => (part.type === 'text' ? part.text : ''))
        .join('\n');
      const ended = new ToolMessage({
        tool_call_id: 'call_1',
        content: isError ? `Failed: ${said}` : `${said}\n${JSON.stringify(structuredContent)}`,
        status: isError ? 'error' : 'success',
      });
      const made = new AIMessage({
        content: '',
        tool_calls: [{ id: 'call_1', name: call.name, args: call.arguments }],
      });
      return text(reply([asked, made, ended], tools));
    };
  }

  it('answers from what stands there, with where it stands', async () => {
    expect(await say('what does the travel policy say about hotels?')).toBe(
      'This is what I found in the documents:\n- Up to 140 euros a night with breakfast, 180 in Zurich, Copenhagen, London and Paris. More than that needs an approval beforehand. [1]\n\n[1] travel-policy.md, Hotels',
    );
    const leave = await say('how many days of leave do I have?');
    expect(leave).toContain('Everybody has 30 days of leave.');
    expect(leave).toContain('[1] holidays-2026.txt, passage 1');
    const sold = await say('what does sales-q3-2026.csv say about Iberia?');
    expect(sold).toContain('region Iberia, month 2026-07, orders 61, revenue_eur 47500, returns_eur 700;');
    expect(await say('did penguins or whales go on trips?')).toContain('I found only a weak match');
  });

  it('answers also what it has no tool for, and says that it has none where nothing stands there', async () => {
    const hotel = await say('How much is the hotel?');
    expect(hotel).toContain('Up to 140 euros a night with breakfast');
    expect(hotel).toContain('[1] travel-policy.md, Hotels');
    for (const words of ['what may a hotel cost?', 'hotel cost limit?'])
      expect(await say(words)).toContain('Up to 140 euros a night with breakfast');
    expect(await say('what will the weather be like?')).toContain('I have no tool for the weather here');
    // What is no question isn't looked for.
    expect(text(ask('book a flight to Oslo'))).toContain('I have no tool for travel here');
    expect(text(ask('How much is the hotel?', CALENDAR))).toContain('I have no tool for travel here');
  });

  it('says that nothing was found, and what else it can do', async () => {
    const nothing = await say('who invented the blockchain?');
    expect(nothing).toContain(
      'I found nothing about it in the documents. No document has any of these words.',
    );
    expect(nothing).toContain('`list documents`');
    const none = await (await open(temporaryFolder()))('who invented the blockchain?');
    expect(none).toContain('There are no documents to search yet.');
  });

  it('lists documents, and those that cannot be searched', async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'a.md'), '# Apples\n\nThey are red.');
    writeFileSync(join(folder, 'b.pdf'), 'no PDF');
    expect(await (await open(folder))('which documents do you know?')).toBe(
      'There is 1 document. 1 more cannot be searched.\n- `a.md`: Apples\n- `b.pdf` can’t be searched: it is broken, or not what its name says\n\nAsk me what one of them says about something.',
    );
  });

  it('quotes the beginning of one that it should sum up', async () => {
    const said = await say('summarise travel-policy.md');
    expect(said).toMatch(
      /^I only follow a script and can’t sum it up\. It begins so:\n- Travel policy Valid/,
    );
    expect(said).toContain('[1] travel-policy.md, Travel policy');
    expect(await say('summarise nothing.md')).toBe(
      'Not done: read document nothing.md. Failed: There is no such document; list_documents names them. Nothing was read.',
    );
  });
});
