import {
  DynamicStructuredTool,
  tool as langchainTool,
  StructuredTool,
  type StructuredToolInterface,
} from '@langchain/core/tools';
import { tool as openaiTool, RunContext } from '@openai/agents-core';
import { tool as aiTool, generateText, isStepCount, type ToolSet } from 'ai';
import { MockLanguageModelV4 } from 'ai/test';
import { expect, expectTypeOf, test, vi } from 'vitest';
import { z } from 'zod';
import { Gate, PermissionError } from '../src/index.ts';
import { approved, type Reply, startServer } from './server.ts';

const REFUSED: Reply = {
  body: { ok: true, session_id: 's1', call_id: 'c1', approved: false, error: 'Ana rejected this.' },
};

async function startGate(reply: Reply) {
  const server = await startServer(({ path }) => (path === '/agent/end' ? { body: { ok: true } } : reply));
  const gate = new Gate({ url: server.url, key: 'k' });
  return {
    server,
    gate,
    asked: () => server.sent('/agent/begin').map(({ name, args_summary }) => [name, args_summary]),
    async reported() {
      await gate.flush();
      return server.sent('/agent/end').map(({ status, result_summary }) => [status, result_summary]);
    },
  };
}

const schema = z.object({ a: z.number(), b: z.number() });

/** A tool of a class of one's own, with a field that only the object itself has. */
class Multiply extends StructuredTool {
  readonly #times = 1;
  override name = 'multiply';
  override description = 'Multiplies.';
  override schema = schema;
  protected override async _call({ a, b }: z.infer<typeof schema>): Promise<string> {
    return String(a * b * this.#times);
  }
}

const multiply = ({ a, b }: z.infer<typeof schema>) => String(a * b);
const described = { name: 'multiply', description: 'Multiplies.', schema };

test.each<[string, StructuredToolInterface]>([
  ['tool()', langchainTool(multiply, described)],
  ['DynamicStructuredTool', new DynamicStructuredTool({ ...described, func: async (it) => multiply(it) })],
  ['a class', new Multiply()],
])('a tool of LangChain asks before it runs: %s', async (_kind, own) => {
  const { gate, asked, reported } = await startGate(approved());
  const [wrapped] = gate.wrapTools([own]);
  expect(wrapped).toBeInstanceOf(own.constructor);
  expect(wrapped).toMatchObject({ name: 'multiply', description: 'Multiplies.', schema });
  const call = { type: 'tool_call' as const, id: 't1', name: 'multiply', args: { a: 6, b: 7 } };
  expect(await wrapped?.invoke(call)).toMatchObject({ content: '42', tool_call_id: 't1' });
  expect(asked()).toEqual([['multiply', '{"a":6,"b":7}']]);
  expect(await reported()).toEqual([['ok', '"42"']]);
});

test('a tool of LangChain does not ask about arguments that do not fit, and does not run when refused', async () => {
  const { gate, asked } = await startGate(REFUSED);
  const func = vi.fn(multiply);
  const [wrapped] = gate.wrapTools([langchainTool(func, described)]);
  // @ts-expect-error: no number
  await expect(wrapped.invoke({ a: 'x', b: 7 })).rejects.toThrow('schema');
  expect(asked()).toEqual([]);
  await expect(wrapped?.invoke({ a: 6, b: 7 })).rejects.toThrow(PermissionError);
  expect(func).not.toHaveBeenCalled();
});

test('a tool of LangChain that yields on its way gives what it returns', async () => {
  const { gate, reported } = await startGate(approved());
  const [wrapped] = gate.wrapTools([
    langchainTool(async function* ({ a, b }: z.infer<typeof schema>) {
      yield 'half';
      return String(a * b);
    }, described),
  ]);
  expect(await wrapped?.invoke({ a: 6, b: 7 })).toBe('42');
  expect(await reported()).toEqual([['ok', '"42"']]);
});

test('a tool of LangChain is withdrawn when its run is aborted', async () => {
  const { server, gate } = await startGate(null);
  const [wrapped] = gate.wrapTools([langchainTool(multiply, described)]);
  const stop = new AbortController();
  const asked = wrapped?.invoke({ a: 6, b: 7 }, { signal: stop.signal });
  await vi.waitFor(() => expect(server.received).toHaveLength(1));
  stop.abort();
  await expect(asked).rejects.toThrow();
  await vi.waitFor(() => expect(server.goneAway()).toBe(1));
});

/** A model of the AI SDK that calls the tool, then says what it heard. */
function scripted(toolName: string) {
  const usage = {
    inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: 1, text: 1, reasoning: 0 },
  };
  const call = { type: 'tool-call' as const, toolCallId: 't1', toolName, input: '{"a":6,"b":7}' };
  return new MockLanguageModelV4({
    doGenerate: async ({ prompt }) => {
      const heard = prompt.at(-1);
      const isDone = heard?.role === 'tool';
      return {
        content: isDone ? [{ type: 'text', text: JSON.stringify(heard.content) }] : [call],
        finishReason: { unified: isDone ? 'stop' : 'tool-calls', raw: undefined },
        usage,
        warnings: [],
      };
    },
  });
}

const generate = (name: string, tools: ToolSet) =>
  generateText({ model: scripted(name), tools, prompt: 'Go', stopWhen: isStepCount(3) });

test('a tool of the AI SDK asks before it runs, and keeps the rest', async () => {
  const { gate, asked, reported } = await startGate(approved());
  const tools = {
    multiply: aiTool({
      description: 'Multiplies.',
      inputSchema: schema,
      execute: async (it) => multiply(it),
    }),
    // One that the application answers itself.
    ask: aiTool({ inputSchema: schema }),
  };
  const wrapped = gate.wrapTools(tools);
  expectTypeOf(wrapped).toEqualTypeOf(tools);
  expect(wrapped.ask).toBe(tools.ask);
  expect(wrapped.multiply).toMatchObject({ description: 'Multiplies.', inputSchema: schema });
  expect((await generate('multiply', { multiply: wrapped.multiply })).text).toContain('42');
  expect(asked()).toEqual([['multiply', '{"a":6,"b":7}']]);
  expect(await reported()).toEqual([['ok', '"42"']]);
});

test('a refused tool of the AI SDK does not run, and the model hears why', async () => {
  const { gate } = await startGate(REFUSED);
  const execute = vi.fn(async (it: z.infer<typeof schema>) => multiply(it));
  const wrapped = gate.wrapTools({ multiply: aiTool({ inputSchema: schema, execute }) });
  expect((await generate('multiply', wrapped)).text).toContain('Ana rejected this.');
  expect(execute).not.toHaveBeenCalled();
});

test('a tool of the AI SDK that yields outputs ends with the last', async () => {
  const { gate, reported } = await startGate(approved());
  const wrapped = gate.wrapTools({
    multiply: aiTool({
      inputSchema: schema,
      async *execute(it) {
        yield 'half';
        yield multiply(it);
      },
    }),
  });
  expect((await generate('multiply', wrapped)).text).toContain('42');
  expect(await reported()).toEqual([['ok', '"42"']]);
});

const openaiMultiply = (execute: typeof multiply) =>
  openaiTool({ name: 'multiply', description: 'Multiplies.', parameters: schema, execute });

test('a tool of the OpenAI Agents SDK asks before it runs, and keeps the rest', async () => {
  const { gate, asked, reported } = await startGate(approved());
  const own = openaiMultiply(multiply);
  const hosted = { type: 'hosted_tool' as const, name: 'web_search' };
  const [wrapped, other] = gate.wrapTools([own, hosted] as const);
  expect(other).toBe(hosted);
  expect({ ...wrapped, invoke: own.invoke }).toEqual(own);
  expect(await wrapped.invoke(new RunContext(), '{"a":6,"b":7}')).toBe('42');
  expect(asked()).toEqual([['multiply', '{"a":6,"b":7}']]);
  expect(await reported()).toEqual([['ok', '"42"']]);
});

test('a refused tool of the OpenAI Agents SDK does not run, and the model hears why', async () => {
  const { gate } = await startGate(REFUSED);
  const execute = vi.fn(multiply);
  const [wrapped] = gate.wrapTools([openaiMultiply(execute)]);
  expect(await wrapped?.invoke(new RunContext(), '{"a":6,"b":7}')).toBe(
    'multiply may not run: Ana rejected this.',
  );
  expect(execute).not.toHaveBeenCalled();
});

test('a tool needs a name', async () => {
  const { gate } = await startGate(approved());
  const nameless = aiTool({ inputSchema: schema, execute: async (it) => multiply(it) });
  expect(() => gate.wrapTools([nameless])).toThrow('by name');
});
