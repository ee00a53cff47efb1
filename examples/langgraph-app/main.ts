import { ChatOpenAI } from '@langchain/openai';
import { Gate } from 'countersign-client';
import { createApp } from './app.ts';

const { COUNTERSIGN_URL: url = 'http://127.0.0.1:3000', COUNTERSIGN_API_KEY: key = '' } = process.env;
const { MODEL: model = 'gpt-5-mini' } = process.env;
const gate = new Gate({ url, key, agentName: 'Invoices', agentType: 'langgraph' });
const app = createApp({ model: new ChatOpenAI({ model }), gate });

const question = process.argv[2] ?? 'Send Bob an invoice over 120 euros.';
// A conversation is a session: its calls belong together in the record.
const { messages } = await gate.run({ session: 'langgraph-example' }, () =>
  app.invoke({ messages: [{ role: 'user', content: question }] }),
);
console.log(messages.at(-1)?.text);
