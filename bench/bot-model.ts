import { type FixtureResponse, LLMock } from '@copilotkit/aimock';

/** A tool of the calendar that comes with the product; here a person is asked before it runs. */
export const BOT_TOOL = 'list_calendars';
export const BOT_TOOL_RESULT = '1 calendar: ana';
export const BOT_ANSWER = 'There is one calendar.';

/** A model over HTTP that answers at once: to a person with one call, to its result with the answer. */
export async function startBotModel(): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const mock = new LLMock({ port: 0, host: '127.0.0.1', logLevel: 'silent', journalMaxEntries: 0 });
  let calls = 0;
  mock.on({ predicate: () => true }, ({ messages, tools }): FixtureResponse => {
    if (messages.at(-1)?.role !== 'user') return { content: BOT_ANSWER };
    calls += 1;
    const name = tools?.find((it) => it.function.name.endsWith(BOT_TOOL))?.function.name ?? BOT_TOOL;
    return { toolCalls: [{ id: `call_${calls}`, name, arguments: '{}' }] };
  });
  const url = await mock.start();
  return { url: `${url}/v1`, stop: async () => void (await mock.stop()) };
}
