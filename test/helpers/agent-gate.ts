import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Gate, type GateOptions } from 'countersign-client';
import { onTestFinished } from 'vitest';
import { startAppWithModel } from './app.ts';

const KEY = 'a-key-of-a-program-that-asks-2718';
/** Who answers for the program. */
const PERSON = 'U0ANA00001';

/**
 * The whole app with one program, which posts its cards in a channel, and a client for it.
 * @param web keeps its address over restarts
 */
export async function startAgentGate({
  web = false,
  ...options
}: Partial<GateOptions> & { web?: boolean } = {}) {
  const { app, driver, model } = await startAppWithModel({
    web,
    env: { COUNTERSIGN_API_KEY: KEY },
    file: {
      programs: { env: { title: 'Builder', for: PERSON, channel: 'C0GENERAL1' } },
      policy: { rules: [{ tools: 'agent.agent_read_*', action: 'allow' }] },
      mcpServers: {},
    },
  });
  const gate = new Gate({ url: app.url, key: KEY, timeoutMs: 30_000, ...options });
  onTestFinished(async () => {
    await gate.flush();
  });
  const card = (words: string) => driver.waitForMessage((message) => driver.text(message).includes(words));
  return {
    app,
    driver,
    model,
    key: KEY,
    gate,
    card,
    async click(words: string, button: 'Approve' | 'Reject') {
      const isOpen = (text: string) => text.includes(words) && text.includes(`[${button}]`);
      const message = await driver.waitForMessage((it) => isOpen(driver.text(it)));
      await driver.as(PERSON).click(message, button);
    },
  };
}

/** Runs a program. Resolves with what it has printed once it ends. */
export async function runProgram(
  [command, ...args]: readonly [string, ...string[]],
  env: Readonly<Record<string, string>> = {},
): Promise<string> {
  const program = spawn(command, args, {
    env: { ...process.env, PYTHONIOENCODING: 'utf-8', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [program.stdout, program.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk;
    });
  }
  await once(program, 'close');
  return output.trim();
}
