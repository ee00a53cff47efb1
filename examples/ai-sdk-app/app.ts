import { generateText, isStepCount, type LanguageModel, tool } from 'ai';
import type { Gate } from 'countersign-client';
import { z } from 'zod';

const tools = {
  send_invoice: tool({
    description: 'Sends an invoice.',
    inputSchema: z.object({ to: z.string(), euros: z.number() }),
    execute: async ({ to, euros }) => `Invoice over ${euros} € sent to ${to}.`,
  }),
};

/** An agent with the AI SDK whose tools wait for people in Slack. Returns what the model says in the end. */
export async function answer(prompt: string, { model, gate }: { model: LanguageModel; gate: Gate }) {
  const { text } = await generateText({
    model,
    tools: gate.wrapTools(tools),
    prompt,
    stopWhen: isStepCount(5),
  });
  return text;
}
