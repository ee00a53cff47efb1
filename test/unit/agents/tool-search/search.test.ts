import { describe, expect, it, vi } from 'vitest';
import { buildIndex, createToolSearch } from '../../../../src/agents/tool-search/search.ts';
import type { ToolDefinition } from '../../../../src/tools/ports.ts';
import { offeredTools, toolQuestions } from '../../../helpers/tools-of-sixteen-servers.ts';

const all = offeredTools();

/** The part of the questions that have a right tool among the first ten. */
function recall(which: 'forty' | 'aside'): number {
  const search = createToolSearch();
  const questions = toolQuestions(which);
  const answered = questions.filter(({ text, tools }) =>
    search(all, [text])
      .slice(0, 10)
      .some(({ server, name }) => tools.includes(`${server}.${name}`)),
  );
  return answered.length / questions.length;
}

function tool(over: Partial<ToolDefinition>): ToolDefinition {
  const [first] = all;
  if (!first) throw new Error('there are no tools');
  const plain = { ...first, server: 'x', toolType: 'x', title: '', description: '', inputSchema: {} };
  return { ...plain, modelName: `x__${over.name ?? 'other'}`, name: 'other', ...over };
}

describe('of 220 tools of sixteen servers', () => {
  it('the right one is among the first ten for nearly every question', () => {
    expect(all.length).toBe(220);
    expect(toolQuestions('forty')).toHaveLength(40);
    expect(recall('forty')).toBeGreaterThanOrEqual(0.95);
  });

  it('likewise for questions that the search was not tuned by', () => {
    expect(recall('aside')).toBeGreaterThanOrEqual(0.95);
  });
});

describe('a tool is found', () => {
  const others = ['alpha', 'beta', 'gamma'].map((name) => tool({ name }));
  it.each<[string, Partial<ToolDefinition>, string]>([
    ['by its name, in snake case', { name: 'create_event' }, 'an event'],
    ['by its name, in camel case', { name: 'createICSEvent' }, 'an event'],
    ['by its title', { title: 'Book a room' }, 'rooms'],
    ['by its server', { server: 'calendar' }, 'the calendar'],
    ['by what its server is for', { toolType: 'planning' }, 'plan something'],
    ['by its description', { description: 'Invites people.' }, 'invite Bob'],
    [
      'by the name of a parameter',
      { inputSchema: { type: 'object', properties: { attendeeEmail: { type: 'string' } } } },
      'attendees',
    ],
    [
      'by what is said of a parameter, also within a list',
      {
        inputSchema: {
          properties: { of: { type: 'array', items: { properties: { a: { description: 'Guests' } } } } },
        },
      },
      'guests',
    ],
    ['by what people say for it', { name: 'delete_event' }, 'remove it'],
  ])('%s', (_how, over, question) => {
    const wanted = tool({ modelName: 'wanted', ...over });
    const found = createToolSearch()([...others, wanted], [question]);
    expect(found.map(({ modelName }) => modelName)).toEqual(['wanted']);
  });

  it('before those that match less', () => {
    const search = createToolSearch();
    const tools = [
      tool({ name: 'list_days', description: 'What a calendar event is on.' }),
      tool({ name: 'create_event' }),
    ];
    expect(search(tools, ['event']).map(({ name }) => name)).toEqual(['create_event', 'list_days']);
  });

  it('by older words too, but after what the newest ones say', () => {
    const search = createToolSearch();
    const tools = [tool({ name: 'list_mails' }), tool({ name: 'create_event' })];
    expect(search(tools, ['the event', 'the mails']).map(({ name }) => name)).toEqual([
      'create_event',
      'list_mails',
    ]);
  });
});

it.each(['', 'and the', '???', 'Zeppelin'])('nothing is found by “%s”', (text) => {
  expect(createToolSearch()([tool({ name: 'create_event' })], [text])).toEqual([]);
});

describe('the index', () => {
  const lists = () => all.map((it) => ({ ...it }));

  it('is built once for lists that say the same, however often they are made', () => {
    const build = vi.fn(buildIndex);
    const search = createToolSearch(build);
    for (const words of ['create an issue', 'read a file', 'post a message']) {
      expect(search(lists(), [words]).length).toBeGreaterThan(0);
    }
    expect(build).toHaveBeenCalledTimes(1);
  });

  it.each<[string, (tools: readonly ToolDefinition[]) => readonly ToolDefinition[]]>([
    ['a tool is gone', (tools) => tools.slice(1)],
    [
      'a definition changed',
      ([first, ...rest]) => (first ? [{ ...first, definitionHash: 'x' }, ...rest] : []),
    ],
    ['a tool is outlined', ([first, ...rest]) => (first ? [{ ...first, description: 'x' }, ...rest] : [])],
  ])('is built again when %s', (_what, change) => {
    const build = vi.fn(buildIndex);
    const search = createToolSearch(build);
    search(all, ['a file']);
    search(change(all), ['a file']);
    expect(build).toHaveBeenCalledTimes(2);
  });

  it('finds the tools of the list that is given, not those of whoever had the same first', () => {
    const search = createToolSearch();
    search(all, ['a file']);
    const mine = lists();
    expect(search(mine, ['a file']).every((it) => mine.includes(it))).toBe(true);
  });
});
