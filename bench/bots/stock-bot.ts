import { HumanMessage } from '@langchain/core/messages';
import { Command, MemorySaver } from '@langchain/langgraph';
import { ChatOpenAI } from '@langchain/openai';
import { App, LogLevel } from '@slack/bolt';
import { type AgentMiddleware, createAgent, humanInTheLoopMiddleware, tool } from 'langchain';
import { z } from 'zod';
import { openOfficialSaver } from '../official-saver.ts';
import { BOT_TOOL, BOT_TOOL_RESULT } from './model.ts';

/** The usual bot, as tutorials have it: Bolt, langchain's agent with its middleware, the official Redis saver; without Redis, MemorySaver. */
const env = z
  .object({
    SLACK_BOT_TOKEN: z.string(),
    SLACK_APP_TOKEN: z.string(),
    SLACK_API_URL: z.string(),
    OPENAI_BASE_URL: z.string(),
    REDIS_URL: z.string(),
  })
  .parse(process.env);

const listCalendars = tool(async () => BOT_TOOL_RESULT, {
  name: BOT_TOOL,
  description: 'Lists the calendars.',
  schema: z.object({}),
});
// @ts-expect-error the package's types do not hold under exactOptionalPropertyTypes
const approvals: AgentMiddleware = humanInTheLoopMiddleware({ interruptOn: { [BOT_TOOL]: true } });
const agent = createAgent({
  model: new ChatOpenAI({
    apiKey: 'none',
    model: 'gpt-5-mini',
    configuration: { baseURL: env.OPENAI_BASE_URL },
  }),
  tools: [listCalendars],
  middleware: [approvals],
  checkpointer: env.REDIS_URL === '' ? new MemorySaver() : await openOfficialSaver(env.REDIS_URL),
});

const app = new App({
  token: env.SLACK_BOT_TOKEN,
  appToken: env.SLACK_APP_TOKEN,
  socketMode: true,
  logLevel: LogLevel.ERROR,
  clientOptions: { slackApiUrl: env.SLACK_API_URL },
});

const configOf = (threadId: string) => ({ configurable: { thread_id: threadId } });

app.message(async ({ message, client }) => {
  if (message.subtype !== undefined) return;
  const { channel, ts, text = '' } = message;
  const threadTs = message.thread_ts ?? ts;
  const threadId = `${channel}-${threadTs}`;
  const result = await agent.invoke({ messages: [new HumanMessage(text)] }, configOf(threadId));
  if ('__interrupt__' in result) {
    await client.chat.postMessage({
      channel,
      thread_ts: threadTs,
      text: `May I call ${BOT_TOOL}?`,
      blocks: [
        { type: 'section', text: { type: 'mrkdwn', text: `May I call *${BOT_TOOL}*?` } },
        { type: 'actions', elements: [button('approve', 'Approve'), button('reject', 'Reject')] },
      ],
    });
    return;
  }
  await client.chat.postMessage({ channel, thread_ts: threadTs, text: result.messages.at(-1)?.text ?? '' });
});

app.action(/^(approve|reject)$/, async ({ ack, action, body, client }) => {
  await ack();
  if (body.type !== 'block_actions' || !body.channel || !body.message || !('action_id' in action)) return;
  const channel = body.channel.id;
  const threadTs = z.string().parse(body.message.thread_ts);
  const type = action.action_id;
  const resume = { decisions: [type === 'reject' ? { type, message: 'No.' } : { type }] };
  const result = await agent.invoke(new Command({ resume }), configOf(`${channel}-${threadTs}`));
  const text = `${type === 'approve' ? 'Approved' : 'Rejected'} by <@${body.user.id}>`;
  await client.chat.update({
    channel,
    ts: body.message.ts,
    text,
    blocks: [{ type: 'section', text: { type: 'mrkdwn', text } }],
  });
  await client.chat.postMessage({ channel, thread_ts: threadTs, text: result.messages.at(-1)?.text ?? '' });
});

function button(id: string, text: string) {
  return {
    type: 'button',
    action_id: id,
    value: id,
    text: { type: 'plain_text', text },
  } as const;
}

await app.start();
