import { Gate } from 'countersign-client';
import { answer } from './app.ts';

const { COUNTERSIGN_URL: url = 'http://127.0.0.1:3000', COUNTERSIGN_API_KEY: key = '' } = process.env;
const { MODEL: model = 'openai/gpt-5-mini' } = process.env;
const gate = new Gate({ url, key, agentName: 'Invoices', agentType: 'ai-sdk' });

console.log(await answer(process.argv[2] ?? 'Send Bob an invoice over 120 euros.', { model, gate }));
