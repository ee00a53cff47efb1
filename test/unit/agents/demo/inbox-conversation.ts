import { AIMessage, type BaseMessage, ToolMessage } from '@langchain/core/messages';
import { demoReply } from '../../../../src/agents/demo/reply.ts';
import { personMessage, withTime } from '../../../../src/agents/shared/speakers.ts';
import type { JsonObject } from '../../../../src/lib/json.ts';

const ANA = { id: 'slack:T1:U1', name: 'Ana Almeida' };
/** A Monday at 8:00 in Berlin. */
const now = Date.UTC(2026, 10, 30, 7);
const NAMES = 'send_email schedule_meeting check_calendar Question Done read_attachment read_conversation';

const MAIL = {
  id: 'm_1',
  from: '"Bob Berger" <bob@example.com>',
  to: 'ana@example.com',
  cc: '',
  subject: 'Price list',
  text: 'Hi Ana, could you send me the price list? Bob',
  attachments: [],
  warnings: [],
};

/** What has come of a call: its result as the model is told it. */
interface Ended {
  readonly name: string;
  readonly arguments?: JsonObject;
  readonly text: string;
  readonly failed?: boolean;
}

interface Asked {
  readonly mail?: object;
  readonly ended?: readonly Ended[];
  readonly remembered?: JsonObject;
  /** What Ana wrote in the thread after these calls. @default nothing */
  readonly wrote?: string;
}

/** What the demo model does next about a mail, after these calls. */
export function nextReply({ mail = {}, ended = [], remembered, wrote }: Asked) {
  const ask = (itemId: string, text: string) =>
    withTime(personMessage({ itemId, text, speaker: ANA }), ANA, {
      now: 'now',
      remembered: remembered ?? null,
    });
  const read = { name: 'read_mail', text: JSON.stringify({ message: { ...MAIL, ...mail } }) };
  const calls = [read, ...ended].flatMap((call, index): BaseMessage[] => {
    const id = `c${index}`;
    const args = 'arguments' in call ? (call.arguments ?? {}) : {};
    const status = 'failed' in call && call.failed ? 'error' : 'success';
    return [
      new AIMessage({ content: '', tool_calls: [{ id, name: call.name, args }] }),
      new ToolMessage({ tool_call_id: id, content: call.text, status }),
    ];
  });
  const messages = [ask('i', 'Answer the mail that came.'), ...calls, ...(wrote ? [ask('j', wrote)] : [])];
  const tools = NAMES.split(' ').map((name) => ({ name }));
  return demoReply({ messages, tools, now, timeZone: 'Europe/Berlin' });
}
