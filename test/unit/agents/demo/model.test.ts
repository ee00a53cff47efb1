import { AIMessageChunk, HumanMessage } from '@langchain/core/messages';
import { tool } from '@langchain/core/tools';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { DemoChatModel } from '../../../../src/agents/demo/model.ts';

const model = () =>
  new DemoChatModel({
    timeZone: 'Europe/Berlin',
    clock: () => Date.parse('2026-11-23T07:00:00Z'),
    ids: () => 'call_1',
  });
const createEvent = tool(() => '', {
  name: 'calendar__create_event',
  description: 'Creates an event.',
  schema: z.object({ title: z.string() }),
});
const request = [new HumanMessage('create a meeting called Standup tomorrow at 9am')];

describe('DemoChatModel', () => {
  it('proposes calls of the tools that are bound to it', async () => {
    const message = await model().bindTools([createEvent]).invoke(request);
    expect(message.tool_calls).toMatchObject([
      {
        id: 'call_1',
        name: 'calendar__create_event',
        args: { title: 'Standup', start: '2026-11-24T09:00:00' },
      },
    ]);
  });

  it('takes tools in the form of OpenAI too', async () => {
    const bound = model().bindTools([
      { type: 'function', function: { name: 'calendar__create_event', parameters: { type: 'object' } } },
    ]);
    expect((await bound.invoke(request)).tool_calls).toHaveLength(1);
  });

  it('streams an answer in pieces that add up to it', async () => {
    const pieces: string[] = [];
    for await (const chunk of await model().stream([new HumanMessage('hello')])) pieces.push(chunk.text);
    expect(pieces.length).toBeGreaterThan(5);
    expect(pieces.join('')).toBe((await model().invoke([new HumanMessage('hello')])).text);
  });

  it('streams calls that add up to whole ones', async () => {
    let whole = new AIMessageChunk('');
    for await (const chunk of await model().bindTools([createEvent]).stream(request))
      whole = whole.concat(chunk);
    expect(whole.tool_calls).toMatchObject([{ id: 'call_1', args: { title: 'Standup' } }]);
  });

  it('reports its words as they come, so that a graph can stream them', async () => {
    const tokens: string[] = [];
    const callbacks = [{ handleLLMNewToken: (token: string) => void tokens.push(token) }];
    for await (const _ of await model().stream([new HumanMessage('hello')], { callbacks }));
    expect(tokens.join('')).toContain('demo model');
  });
});
