import { setTimeout as after } from 'node:timers/promises';
import { type ChatCompletionRequest, type FixtureResponse, LLMock, type ToolCall } from '@copilotkit/aimock';
import { contentOf } from '../helpers/model.ts';

/** What an entry is called in a message: whoever writes it wants it in the ledger. */
const ENTRY = /\b[a-z]+\d+x\d+\b/g;
/** The word in a message that has the agent read first. */
export const LOOK = 'Look first.';

/**
 * A model that answers by rule from what it is told, and so says the same however often it is asked: it
 * proposes one call for each entry that the last message names, and then says that it is done with them.
 */
export async function startRuleModel(): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const mock = new LLMock({ port: 0, host: '127.0.0.1', logLevel: 'silent', journalMaxEntries: 0 });
  mock.on({ predicate: () => true }, async (request) => {
    // Long enough for something to go wrong meanwhile.
    await after(20 + ((request.messages.length * 37) % 80));
    return answerTo(request);
  });
  const url = await mock.start();
  return {
    url: `${url}/v1`,
    stop: async () => void (await mock.stop()),
  };
}

/** The words of the answer to a message: what people must come to see. */
export function answerOn(entries: readonly string[]): string {
  return `Done with ${entries.join(' and ')}.`;
}

function answerTo({ messages, tools }: ChatCompletionRequest): FixtureResponse {
  const asked = messages.findLastIndex(({ role }) => role === 'user');
  const message = messages[asked];
  const text = message ? contentOf(message) : '';
  const entries = text.match(ENTRY) ?? [];
  const results = messages.slice(asked + 1).filter(({ role }) => role === 'tool').length;
  const looks = text.includes(LOOK) ? 1 : 0;
  const call = (name: string, id: string, args: object): ToolCall => ({
    id,
    name: tools?.find((tool) => tool.function.name.endsWith(name))?.function.name ?? name,
    arguments: JSON.stringify(args),
  });
  if (results < looks) return { toolCalls: [call('read_entries', `look_${entries[0]}`, {})] };
  if (results > looks) return { content: answerOn(entries) };
  return { toolCalls: entries.map((entry) => call('add_entry', `call_${entry}`, { entry })) };
}
