import { setTimeout as after } from 'node:timers/promises';
import { type FixtureResponse, LLMock } from '@copilotkit/aimock';

/** A tool of the calendar that comes with the product; here a person is asked before it runs. */
export const BOT_TOOL = 'list_calendars';
export const BOT_TOOL_RESULT = '1 calendar: ana';
export const BOT_ANSWER = 'There is one calendar.';

/** How long it takes to say what is to be remembered of a message, in milliseconds: longer than a turn. */
export const EXTRACTION_MS = 300;
const REMEMBERED = JSON.stringify({
  items: [{ kind: 'critical_fact', key: 'other', text: 'asks about calendars', evidence: 'calendars' }],
});

/** What a person asks for to get so many calls in one answer: to read the calendars, or to create an event each. */
export const manyReads = (count: number) => `Which calendars are there? Look ${count} times.`;
export const manyEvents = (count: number) => `Create ${count} events.`;

const NEW_EVENT = 'create_event';
const EVENT = {
  calendar_id: 'primary',
  start: '2026-11-24T09:00:00',
  duration_minutes: 30,
  time_zone: 'Europe/Berlin',
};

/** A model over HTTP that answers at once, but for what is to be remembered: to a person with a call or as many as they ask for, to results with the answer. */
export async function startBotModel(): Promise<{
  readonly url: string;
  /** Requests so far, but for those. */
  readonly calls: () => number;
  stop(): Promise<void>;
}> {
  const mock = new LLMock({ port: 0, host: '127.0.0.1', logLevel: 'silent', journalMaxEntries: 0 });
  let requests = 0;
  let calls = 0;
  mock.on({ predicate: () => true }, async ({ messages, tools }): Promise<FixtureResponse> => {
    if (JSON.stringify(messages[0]?.content).includes('is worth remembering of them')) {
      await after(EXTRACTION_MS);
      return { content: REMEMBERED };
    }
    requests += 1;
    const asked = messages.at(-1);
    if (asked?.role !== 'user') return { content: BOT_ANSWER };
    const fullName = (name: string) =>
      tools?.find((it) => it.function.name.endsWith(name))?.function.name ?? name;
    return {
      toolCalls: namesOfCalls(JSON.stringify(asked.content)).map((name) => {
        calls += 1;
        const args = name === NEW_EVENT ? { ...EVENT, title: `Event ${calls}` } : {};
        return { id: `call_${calls}`, name: fullName(name), arguments: JSON.stringify(args) };
      }),
    };
  });
  const url = await mock.start();
  return { url: `${url}/v1`, calls: () => requests, stop: async () => void (await mock.stop()) };
}

function namesOfCalls(words: string): readonly string[] {
  const events = /Create (\d+) events/.exec(words)?.[1];
  const reads = /Look (\d+) times/.exec(words)?.[1];
  const name = events === undefined ? BOT_TOOL : NEW_EVENT;
  return Array.from({ length: Number(events ?? reads ?? 1) }, () => name);
}
